"""How long an epoch of a run takes on this machine: as measured before, or else tried now."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytorch_lightning as pl
import torch
from omegaconf import DictConfig, OmegaConf
from torch.utils.data import DataLoader

from bench.choice import Choice
from bench.errors import RunError
from bench.records import Finished
from bench.run import trust
from bench.run.build import device_of
from bench.run.datamodule import BenchBatch, BenchData
from bench.run.features import store_of
from bench.run.module import BenchModule
from bench.run.provenance import device_name
from bench.run.record import Record
from bench.run.trainer import alone, trainer_of
from elmo_core import Encoder, Placement

STEPS = 4
"""Training steps that are timed, after a first one that is not; one of scoring besides."""


def kind(cfg: DictConfig) -> dict[str, Any]:
    """Return what of a run decides the time of its epochs: not its seed, its mix or its rates."""
    choice = Choice.of(cfg).values
    sections = ("task", "data", "word_vectors", "encoder", "trainer", "features")
    parts = {key: choice.get(key) for key in sections}
    placement = choice["elmo"]["placement"]
    live = placement != "none" and OmegaConf.select(cfg, "features.mode") == "live"
    batch_size = choice["training"]["batch_size"]
    return {**parts, "placement": placement, "live": live, "batch_size": batch_size}


def earlier(cfg: DictConfig) -> list[float]:
    """Return the seconds of an epoch in each earlier run of this kind.

    Counted are those that were done in one go, on this machine's processor and with as many
    threads.
    """
    wanted = kind(cfg)
    return [
        median(epoch.seconds for epoch in result.history)
        for folder, result in _finished(Path(cfg.paths.runs).expanduser() / cfg.task.name)
        if _done_here(cfg, result) and wanted == _kind_of(folder)
    ]


def tried(cfg: DictConfig, data: BenchData, encoder: Encoder | None, mixes: Placement) -> float:
    """Return the seconds of an epoch, by a few of its steps: the reading of batches is left out."""
    pl.seed_everything(cfg.seed, verbose=False)
    data.task.prepare(data.examples("train"))
    data.store = None if encoder is None else store_of(cfg, encoder)
    laps = _Laps()
    trainer = trainer_of(
        cfg,
        [laps],
        devices=alone(cfg),
        max_epochs=1,
        limit_train_batches=STEPS + 1,
        logger=False,
        enable_checkpointing=False,
    )
    module = BenchModule(data.task, mixes, cfg.training, cfg.seed)
    trainer.fit(module, data.train_dataloader(), _middle_of_dev(data))
    limit = cfg.trainer.limit_batches
    batches = (-(-len(data.examples(split)) // data.batch_size) for split in ("train", "dev"))
    train, dev = (min(count, limit or count) for count in batches)
    return train * median(laps.train[1:] or laps.train) + dev * median(laps.dev)


def _middle_of_dev(data: BenchData) -> DataLoader[BenchBatch]:
    """Serve one batch of dev, of the examples of middle size."""
    examples = data.examples("dev")
    order = sorted(range(len(examples)), key=lambda i: data.task.size(examples[i]))
    first = max((len(order) - data.batch_size) // 2, 0)
    batch = order[first : first + data.batch_size]
    return DataLoader(examples, batch_sampler=[batch], collate_fn=data.collate)


class _Laps(pl.Callback):
    """Notes how long each step took."""

    def __init__(self) -> None:
        self.train: list[float] = []
        self.dev: list[float] = []
        self.started = 0.0

    def _start(self, *_: object, **__: object) -> None:
        self.started = _now()

    on_train_batch_start = on_validation_batch_start = _start

    def on_train_batch_end(self, *_: Any) -> None:
        self.train.append(_now() - self.started)

    def on_validation_batch_end(self, *_: Any) -> None:
        self.dev.append(_now() - self.started)


def _now() -> float:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def _finished(folder: Path) -> Iterator[tuple[Path, Finished]]:
    """Yield the finished runs of a task's folder; ensembles have no epochs."""
    for path in sorted(folder.glob("*/result.json")):
        result = Record(path.parent).readable()
        if result is not None and result.history:
            yield path.parent, result


def _done_here(cfg: DictConfig, result: Finished) -> bool:
    here = (device_name(device_of(cfg)), torch.get_num_threads(), 1)
    sittings = [(each.processor, each.threads, each.world_size) for each in result.provenance]
    return sittings == [here]


@cache
def _kind_of(folder: Path) -> dict[str, Any] | None:
    """Return the kind of a recorded run; None where its config.yaml is not whole."""
    try:
        return kind(trust.parsed(folder / "config.yaml"))
    except (RunError, KeyError, TypeError, AttributeError, ValueError):
        return None
