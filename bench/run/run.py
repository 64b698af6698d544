"""One run, from the composed configuration to the record: seed, fit, best, score, record."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytorch_lightning as pl
import torch
from omegaconf import DictConfig
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities import rank_zero_only
from safetensors.torch import save as as_bytes

from bench.choice import Choice
from bench.console import counted, said_in
from bench.errors import ConfigError, RunError
from bench.interrupts import end_with_launcher, told
from bench.records import Finished, OnlineCode
from bench.run import (
    checkpoints,
    copies,
    earlier,
    features,
    labels,
    loggers,
    online_code,
    out_of_memory,
    panel,
    together,
    unfinished,
)
from bench.run.build import encoder_of, placement_of, task_of
from bench.run.callbacks.checkpoint import Stopper, best_and_last
from bench.run.callbacks.memory import HeapTrimmer
from bench.run.callbacks.progress import EpochProgress
from bench.run.callbacks.sittings import Sittings
from bench.run.contents import chosen, warn_of_uncounted
from bench.run.datamodule import BenchData
from bench.run.module import BenchModule, Scored
from bench.run.record import Record
from bench.run.result import result_of
from bench.run.trainer import check_device, check_usable, trainer_of
from bench.world import ALL, world_size
from elmo_core import Encoder
from elmo_core.errors import CheckpointError
from elmo_core.lightning import SafeCheckpointIO, read_checkpoint, starting
from elmo_core.whole_files import write_bytes

log = logging.getLogger(__name__)


def run(cfg: DictConfig) -> Finished:
    """Do the run, go on with it, or show what it gave.

    Args:
        cfg: A configuration that `bench.config.check` has passed.

    Returns:
        The run's result.

    Raises:
        RunError: The run cannot go on, for a reason that its owner can mend. What else is raised
            is recorded too, as the reason why the run failed.
    """
    if cfg.trainer.devices in ALL:  # on another machine, that would be another run
        cfg.trainer.devices = str(world_size(cfg.trainer))
    choice, record = chosen(cfg)
    if (result := _earlier(cfg, choice, record)) is not None:
        return result
    steps = _Run(cfg, choice, record)
    if not _is_first():
        end_with_launcher()
        logging.disable(logging.INFO)
        with told(lambda: ""), together.explained(first=False):
            return steps.go()
    account = unfinished.accounted_for(
        choice, record, lambda: steps.module, force=cfg.force, new=not record.folder.exists()
    )
    with record.lock(), said_in(record.log), account, together.explained(first=True):
        if (result := _earlier(cfg, choice, record)) is not None:  # of whoever held the lock before
            return result
        if cfg.force:
            record.forget()
        else:
            checkpoints.make_whole(choice, record)
        record.write_config(cfg)
        result = steps.go()
    panel.show(result, record.folder, limit_batches=cfg.trainer.limit_batches)
    return result


def _earlier(cfg: DictConfig, choice: Choice, record: Record) -> Finished | None:
    """Show and return what the run gave before; None where it is to be done."""
    if _is_first():
        return earlier.shown(cfg, choice, record)
    return None if cfg.force else record.finished()


def _is_first() -> bool:
    """Return whether this is, of several processes, the one that records."""
    return getattr(rank_zero_only, "rank", 0) == 0


class _Run:
    """The steps of one run, and the parts that they share."""

    data: BenchData
    encoder: Encoder | None

    def __init__(self, cfg: DictConfig, choice: Choice, record: Record) -> None:
        self.cfg, self.choice, self.record = cfg, choice, record
        self.module: BenchModule | None = None  # until it is made
        self.sittings = Sittings()
        self.timing: dict[str, float] = {}

    def go(self) -> Finished:
        check_device(self.cfg)
        check_usable(self.cfg)
        if self.cfg.trainer.deterministic:  # older versions of torch read it at the first product
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        loggers.require(self.cfg.logger)  # before data and features, which may take hours
        pl.seed_everything(self.cfg.seed, verbose=False)
        module = self.module = self._prepare()
        with loggers.opened(self.cfg.logger, self.record.folder, self.choice) as logger:
            trainer = self._trainer(module.learns, logger)
            task = self.data.task
            with out_of_memory.explained(
                self.cfg, lambda: out_of_memory.of_batch(task, module.at_hand)
            ):
                self._fit(trainer, module)
                metrics, predictions = self._evaluate(trainer, module)
                code = self._online_code()
            result = result_of(
                self.choice,
                self.data,
                self.encoder,
                module,
                metrics,
                online_code=code,
                timing=self.timing,
                provenance=self.sittings.all,
            )
            loggers.finished(logger, result)
        return self._save(module, predictions, result) if trainer.is_global_zero else result

    def _prepare(self) -> BenchModule:
        """Make encoder, vocabularies and model; compute the features of train and dev."""
        cfg, task = self.cfg, task_of(self.cfg)
        online_code.check(cfg, task)
        with out_of_memory.explained(cfg, lambda: out_of_memory.LOADING):
            self.encoder = encoder_of(cfg)  # before the data, whose reading may take minutes
        if self.encoder is not None:
            warn_of_uncounted(cfg)
        placement = placement_of(cfg, self.encoder)
        self.data = BenchData.of(cfg, task)
        train = self.data.examples("train")
        task.prepare(train)
        online_code.check_labels(cfg, task)
        # A fault in test shows now, not after the training.
        rest = {name: found for name in ("dev", "test") if (found := self.data.split(name))}
        for split, examples in rest.items():
            labels.warn_of_unseen(task, split, examples)
        copies.warn_of_copies(task, train, rest)
        if self.encoder is not None:
            what = (self.encoder.name, self.encoder.layers, self.encoder.dim)
            log.info("encoder: %s, %d layers × %d", *what)
            self.data.store = features.store_of(cfg, self.encoder)
        module = BenchModule(task, placement, cfg.training, cfg.seed)
        if self.encoder is not None:
            module.encoder = self.encoder.fingerprint
            if _is_first():
                checkpoints.of_encoder(self.record, module.encoder)
        if not module.learns and world_size(cfg.trainer) > 1:
            raise ConfigError("trainer.devices: must be 1 where nothing is learned by gradient")
        for split, examples in rest.items():
            if len(examples) < (processes := world_size(cfg.trainer)):
                raise ConfigError(
                    f"trainer.devices: {processes} processes, and {split} has "
                    f"{counted(len(examples), 'example')}: at most as many"
                )
        self._fill("train", "dev", every_epoch=True)
        return module

    def _trainer(self, learns: bool, logger: Logger | None) -> pl.Trainer:
        """Make the Trainer; a model that does not learn by gradient takes one epoch.

        Raises ConfigError for what Lightning does not take.
        """
        cfg, limit = self.cfg, self.cfg.trainer.limit_batches
        return trainer_of(
            cfg,
            [
                Stopper(cfg.training.patience),
                *best_and_last(self.record.checkpoints),
                HeapTrimmer(),
                self.sittings,
                EpochProgress(),
            ],
            devices=cfg.trainer.devices,
            strategy=cfg.trainer.strategy,
            max_epochs=cfg.training.max_epochs if learns else 1,
            limit_train_batches=limit,
            limit_val_batches=limit,
            limit_test_batches=limit,
            plugins=[SafeCheckpointIO(), *starting()],
            logger=logger or False,
            default_root_dir=str(self.record.folder),
            detect_anomaly=cfg.debug,
        )

    def _fit(self, trainer: pl.Trainer, module: BenchModule) -> None:
        """Train, from the last checkpoint if there is one; then take the best epoch's weights."""
        last = self.record.last if self.record.last.exists() else None
        if last:
            log.info("going on from %s", last)
        trainer.fit(module, datamodule=self.data, ckpt_path=last)
        try:
            best = read_checkpoint(self.record.best)
        except CheckpointError as error:
            raise RunError(f"{error}: the same command goes on from what is whole") from None
        epoch, wanted = len(best["history"]), module.best_epoch
        if epoch != wanted:  # by one that had stood still, and did not know that it lost the run
            raise RunError(
                f"{self.record.best}: of epoch {epoch}, and the best is {wanted}: another process "
                "wrote it; force=true trains anew"
            )
        module.load_state_dict(best["state_dict"], strict=False)

    def _evaluate(
        self, trainer: pl.Trainer, module: BenchModule
    ) -> tuple[dict[str, dict[str, float]], list[dict[str, Any]]]:
        """Return metrics and predictions of dev and, where there is one, of test."""
        metrics: dict[str, dict[str, float]] = {}
        predictions: list[dict[str, Any]] = []
        for split, evaluate in (("dev", trainer.validate), ("test", trainer.test)):
            if self.data.split(split) is None:
                log.info("no %s file: %s alone is reported", split, ", ".join(metrics))
                continue
            scored = module.best if split == "dev" else None
            if scored is None:
                scored = self._scored(split, module, evaluate)
            metrics[split] = scored.metrics
            predictions += [{"split": split, **row} for row in scored.predictions]
        return metrics, predictions

    def _scored(self, split: str, module: BenchModule, evaluate: Callable[..., Any]) -> Scored:
        if split == "test":
            self._fill(split)
        with self._timed(f"{split}_s"):
            evaluate(module, datamodule=self.data, verbose=False)
        return Scored(module.metrics, module.predictions)

    def _online_code(self) -> OnlineCode | None:
        """Return the code length of the training labels, where it is asked for."""
        if not self.cfg.training.online_code:
            return None
        with self._timed("online_code_s"):
            kept = self.record.online_code
            return online_code.online_code(self.cfg, self.data, self.encoder, kept)

    def _save(
        self, module: BenchModule, predictions: list[dict[str, Any]], result: Finished
    ) -> Finished:
        """Write the record, the result last; return it with the files that it vouches for."""
        # A copy each: safetensors takes none that share memory, as a part under two names does.
        weights, plain = module.model.state_dict(), torch.contiguous_format
        state = {key: value.clone(memory_format=plain) for key, value in weights.items()}
        write_bytes(self.record.head, as_bytes(state))  # save_file lets nobody else read it
        self.record.write_json("vocabulary.json", self.data.task.vocabulary())
        self.record.write_predictions(predictions)
        self.record.write_environment()
        result = replace(result, files=self.record.checksums())
        self.record.write_result(result)
        return result

    def _fill(self, *splits: str, every_epoch: bool = False) -> None:
        """Compute the features of these splits, unless a few batches are all that is wanted.

        Those that are read in every epoch may be held on the GPU.
        """
        if self.data.store is None or self.cfg.trainer.limit_batches:
            return
        encoding = out_of_memory.explained(self.cfg, lambda: out_of_memory.ENCODING)
        with encoding, self._timed("features_s"):
            features.fill(self.cfg, self.data.store, self.data, *splits)
            if every_epoch:
                features.hold_on_gpu(self.cfg, self.data.store)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        """Add the seconds that pass inside to `timing`."""
        started = time.perf_counter()
        yield
        self.timing[name] = self.timing.get(name, 0.0) + time.perf_counter() - started
