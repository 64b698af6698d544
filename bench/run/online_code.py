"""How many bits the training labels take, given the vectors: online coding (Voita & Titov 2020).

A sender has the labels, and sender and receiver have the vectors. The labels are sent block after
block. Those of the first block cost log₂ K bits each, K labels being equally likely; those of each
other block cost −log₂ p(label) by a model that both have trained on all blocks before. The better
the vectors show the labels, and the fewer examples it takes to see it, the shorter is the code
(section 2.2.2 of the paper).
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytorch_lightning as pl
import torch
from datasets import Dataset
from omegaconf import DictConfig
from torch.utils.data import DataLoader

from bench.errors import ConfigError
from bench.records import CodedLabels, OnlineCode
from bench.run import module as training
from bench.run.build import placement_of
from bench.run.callbacks.checkpoint import Stopper, best_and_last
from bench.run.datamodule import BenchData, drawn
from bench.run.module import BenchModule
from bench.run.trainer import alone, trainer_of
from bench.world import world_size
from elmo_core import Encoder, strict_json
from elmo_core.lightning import SafeCheckpointIO, read_checkpoint
from elmo_core.whole_files import write_text
from tasks.task import DataError, Task

log = logging.getLogger(__name__)

PERCENT = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.25, 12.5, 25, 50, 100)
"""Where the blocks end, as shares of the training examples (section 3 of the paper)."""


def online_code(
    cfg: DictConfig, data: BenchData, encoder: Encoder | None, kept: Path
) -> OnlineCode:
    """Measure the online code of the training labels.

    Examples come in the order in which the run's seed draws them. The model of each block is
    trained as the run's is, on dev for its best epoch. It is the one that a run with so small a
    `data.train_share` would have but for its vocabulary and its labels: these are what
    `Task.prepare` found in the whole training set, so that every block can be coded.

    Args:
        cfg: The run's configuration.
        data: Its data, prepared, with the layers of train and dev.
        encoder: Its encoder; None without ELMo.
        kept: A file, to which each block is written when it is done. Those that an interrupted run
            has left there are not done again.

    Returns:
        The code, block by block.
    """
    train, order = data.examples("train"), drawn(data.examples("train"), cfg.seed)
    choices, fingerprint = len(data.task.labels), encoder.fingerprint if encoder else ""
    blocks = _earlier(kept, fingerprint)
    for known, end in [*pairwise([0, *ends(len(train))])][len(blocks) :]:
        part = _with_train(data, train.select(sorted(order[:known])))
        module = _trained(cfg, part, encoder)
        surprisals = list(_surprisals(module, part, train.select(order[known:end])))
        bits = math.fsum(surprisals) if known else len(surprisals) * math.log2(choices)
        blocks.append(CodedLabels(known=known, labels=len(surprisals), bits=bits))
        content = {"encoder": fingerprint, "blocks": [block.to_json() for block in blocks]}
        write_text(kept, json.dumps(content) + "\n")
        log.info(
            "online code: %s bits a label after %s of %s examples",
            *(f"{bits / max(len(surprisals), 1):.3f}", f"{known:,}", f"{len(train):,}"),
        )
    return OnlineCode(choices=choices, blocks=blocks)


def _earlier(kept: Path, fingerprint: str) -> list[CodedLabels]:
    """Return the blocks that were coded before an interruption, with the same encoder."""
    with suppress(OSError, ValueError, KeyError, TypeError):  # whatever is wrong with it
        content = strict_json.loads(kept.read_text(encoding="utf-8"))
        if content["encoder"] == fingerprint:
            log.info("online code: %d blocks are known from %s", len(content["blocks"]), kept)
            return [CodedLabels.from_json(block) for block in content["blocks"]]
    return []


def check(cfg: DictConfig, task: Task) -> None:
    """Raise ConfigError where an online code is asked for that cannot be measured."""
    if not cfg.training.online_code:
        return
    if type(task).surprisals is Task.surprisals:
        name = cfg.task["name"]
        raise ConfigError(f"training.online_code=true: {name} gives no Task.surprisals")
    if world_size(cfg.trainer) > 1:
        raise ConfigError("training.online_code=true: needs trainer.devices=1")


def check_labels(cfg: DictConfig, task: Task) -> None:
    """Raise DataError for one label alone: its code takes no bits, whatever the vectors show."""
    if cfg.training.online_code and len(task.labels) < 2:
        only = ", ".join(map(str, task.labels)) or "none"
        raise DataError(f"training.online_code=true: needs two labels in training, found {only}")


def ends(examples: int) -> list[int]:
    """Return how many examples there are up to the end of each block.

    >>> ends(1000)
    [1, 2, 4, 8, 16, 32, 62, 125, 250, 500, 1000]
    """
    return sorted({max(round(percent / 100 * examples), 1) for percent in PERCENT})


def _with_train(data: BenchData, train: Dataset) -> BenchData:
    """Return the same data with fewer training examples."""
    part = BenchData(data.task, data.batch_size, data.seed)
    part.splits, part.store = {**data.splits, "train": train}, data.store
    return part


def _trained(cfg: DictConfig, data: BenchData, encoder: Encoder | None) -> BenchModule:
    """Train a model from its beginning and take its best epoch; without examples, leave it so."""
    pl.seed_everything(cfg.seed, verbose=False)
    module = BenchModule(data.task, placement_of(cfg, encoder), cfg.training, cfg.seed)
    if not len(data.examples("train")):
        return module
    with TemporaryDirectory() as folder, _only_warnings(training.log):
        best, _ = best_and_last(Path(folder))
        trainer = trainer_of(
            cfg,
            [Stopper(cfg.training.patience), best],
            devices=alone(cfg),
            max_epochs=cfg.training.max_epochs,
            limit_train_batches=cfg.trainer.limit_batches,
            limit_val_batches=cfg.trainer.limit_batches,
            plugins=[SafeCheckpointIO()],
            logger=False,
            default_root_dir=folder,
        )
        trainer.fit(module, datamodule=data)
        state = read_checkpoint(Path(best.best_model_path))["state_dict"]
    module.load_state_dict(state, strict=False)
    return module


@torch.inference_mode()
def _surprisals(module: BenchModule, data: BenchData, examples: Dataset) -> Iterator[float]:
    """Yield the bits that each label of these examples takes."""
    module.eval()
    for batch in DataLoader(examples, batch_size=data.batch_size, collate_fn=data.collate):
        moved = module.transfer_batch_to_device(batch, module.device, 0)
        output = module.model(moved["tensors"], moved["layers"])
        yield from chain.from_iterable(data.task.surprisals(output, batch["examples"]))


@contextmanager
def _only_warnings(logger: logging.Logger) -> Iterator[None]:
    """Keep a logger from saying more than warnings inside: here, a line for every epoch."""
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)
