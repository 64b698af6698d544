"""One run, from the composed configuration to the record: seed, fit, best, score, record."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytorch_lightning as pl
from omegaconf import DictConfig
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities import rank_zero_only
from safetensors.torch import save_file

from bench.choice import Choice
from bench.config import ConfigError
from bench.console import said_in
from bench.errors import RunError, explain
from bench.interrupts import behind, told
from bench.records import EncoderFacts, Epoch, Failed, Finished, Mix, Primary
from bench.run import checkpoints, features, loggers, out_of_memory, panel
from bench.run.build import encoder_of, placement_of, task_of
from bench.run.callbacks.checkpoint import Stopper, best_and_last
from bench.run.callbacks.memory import HeapTrimmer
from bench.run.callbacks.progress import EpochProgress
from bench.run.callbacks.sittings import Sittings
from bench.run.datamodule import BenchData
from bench.run.fingerprint import changed, stamp
from bench.run.module import BenchModule
from bench.run.record import Record, outcome
from bench.run.trainer import check_device, trainer_of
from bench.world import ALL, world_size
from elmo_core import Encoder, products
from elmo_core.errors import CheckpointError
from elmo_core.lightning import SafeCheckpointIO, read_checkpoint
from elmo_core.whole_files import replacing

log = logging.getLogger(__name__)

Metrics = dict[str, dict[str, float]]
"""By split and name."""


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
    choice = Choice.of(cfg)
    record = Record.of(choice, cfg.paths.runs)
    if getattr(rank_zero_only, "rank", 0) != 0:  # of several processes, the first one records
        logging.disable(logging.INFO)
        with told(lambda: ""):
            return _Run(cfg, choice, record).go()
    result = record.finished()
    if result is not None and not cfg.force:
        other = ", on data that has changed since" if changed(cfg, result) else ""
        panel.show(result, record.folder, note=f"finished earlier{other}; force=true repeats it")
        return result
    was_there = record.folder.exists()
    with record.lock(), said_in(record.log):
        if cfg.force:
            record.forget()
        else:
            checkpoints.make_whole(choice, record)
        record.write_config(cfg)
        steps: _Run | None = None
        try:
            steps = _Run(cfg, choice, record)
            with told(steps.how_far):
                result = steps.go()
        except Exception as error:
            begun = was_there or (steps is not None and steps.trained)
            if behind(error) is None:
                _failed(error, choice, record, begun)
            raise
    panel.show(result, record.folder)
    return result


def _failed(error: Exception, choice: Choice, record: Record, begun: bool) -> None:
    """Record why a run failed. A finished result of before stays as it is.

    A user's mistake in a run that was not even `begun` leaves nothing.
    """
    reason = explain(error)
    if reason and not begun:
        record.remove()
    elif record.finished():
        log.info("failed; the result of before stays")
    else:
        with suppress(OSError):  # the disk may be what failed
            why = reason or f"{type(error).__name__}: {error}"
            record.write_result(outcome(Failed, choice, error=why))


class _Run:
    """The steps of one run, and the parts that they share."""

    def __init__(self, cfg: DictConfig, choice: Choice, record: Record) -> None:
        self.cfg, self.choice, self.record = cfg, choice, record
        self.timing: dict[str, float] = {}
        self.module: BenchModule | None = None
        check_device(cfg)
        pl.seed_everything(cfg.seed, verbose=False)
        self.task = task_of(cfg)
        self.data = BenchData(self.task, cfg.training.batch_size, cfg.seed, cfg.data.train_share)
        self.encoder: Encoder | None = None
        self.sittings = Sittings()
        self.stamp = stamp(cfg.data.dir)

    def go(self) -> Finished:
        self.module = module = self._prepare()
        with loggers.opened(self.cfg.logger, self.record.folder, self.choice) as logger:
            trainer = self._trainer(module.learns, logger)
            try:
                self._fit(trainer, module)
                metrics, predictions = self._evaluate(trainer, module)
            except (RuntimeError, MemoryError) as error:
                at_hand = module.batch["examples"] if module.batch else []
                raise out_of_memory.explained(error, self.task, at_hand) or error from None
            result = self._outcome(module, metrics)
            kernels = products.chosen() if module.device.type == "cpu" else "torch"
            result = replace(result, versions={**result.versions, "products": kernels})
            loggers.finished(logger, result)
        if trainer.is_global_zero:
            self._save(module, predictions)
            self.record.write_environment()
            result = replace(result, files=self.record.checksums())
            self.record.write_result(result)
        return result

    @property
    def trained(self) -> bool:
        """Whether a training step was begun."""
        return self.module is not None and self.module.batch is not None

    def how_far(self) -> str:
        """Say what is there of an interrupted run, and what the same command will do."""
        epochs = len(self.module.history) if self.module else 0
        then = "goes on" if self.record.last.exists() and not self.cfg.force else "begins anew"
        when = f"after epoch {epochs}" if epochs else "before the first epoch ended"
        if not epochs and then == "goes on":
            return "interrupted; the same command goes on"
        return f"interrupted {when}; the same command {then}"

    def _prepare(self) -> BenchModule:
        """Make vocabularies, encoder and model; compute the features of train and dev."""
        self.task.prepare(self.data.examples("train"))
        self.encoder = encoder_of(self.cfg)
        placement = placement_of(self.cfg, self.encoder)
        if self.encoder is not None:
            what = (self.encoder.name, self.encoder.layers, self.encoder.dim)
            log.info("encoder: %s, %d layers × %d", *what)
            self.data.store = features.store_of(self.cfg, self.encoder)
        module = BenchModule(self.task, placement, self.cfg.training, self.cfg.seed)
        if not module.learns and world_size(self.cfg.trainer) > 1:
            raise ConfigError("trainer.devices: must be 1 where nothing is learned by gradient")
        self._fill("train", "dev")
        return module

    def _fill(self, *splits: str) -> None:
        if self.data.store is None or self.cfg.trainer.limit_batches:
            return
        with self._timed("features_s"):
            features.fill(self.cfg, self.data.store, self.data, *splits)

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
            plugins=[SafeCheckpointIO()],
            logger=logger or False,
            default_root_dir=str(self.record.folder),
            num_sanity_val_steps=0,
            enable_progress_bar=False,
            detect_anomaly=cfg.debug,
        )

    def _fit(self, trainer: pl.Trainer, module: BenchModule) -> None:
        """Train, from the last checkpoint if there is one; then take the best epoch's weights."""
        last = self.record.last if self.record.last.exists() else None
        if last:
            log.info("going on from %s", last)
        trainer.fit(module, datamodule=self.data, ckpt_path=last)
        try:
            state = read_checkpoint(self.record.best, "cpu")["state_dict"]
        except CheckpointError as error:
            raise RunError(f"{error}: the same command goes on from what is whole") from None
        module.load_state_dict(state, strict=False)

    def _evaluate(
        self, trainer: pl.Trainer, module: BenchModule
    ) -> tuple[Metrics, list[dict[str, Any]]]:
        """Return metrics and predictions of dev and, where there is one, of test."""
        metrics: Metrics = {}
        predictions: list[dict[str, Any]] = []
        for split, evaluate in (("dev", trainer.validate), ("test", trainer.test)):
            if self.data.split(split) is None:
                log.info("no %s file: %s alone is reported", split, ", ".join(metrics))
                continue
            if split == "test":
                self._fill(split)
            with self._timed(f"{split}_s"):
                evaluate(module, datamodule=self.data, verbose=False)
            metrics[split] = module.metrics
            predictions += [{"split": split, **row} for row in module.predictions]
        return metrics, predictions

    def _save(self, module: BenchModule, predictions: list[dict[str, Any]]) -> None:
        with replacing(self.record.head) as temporary:
            state = {key: value.contiguous() for key, value in module.model.state_dict().items()}
            save_file(state, temporary)
        self.record.write_json("vocabulary.json", self.task.vocabulary())
        self.record.write_lines("predictions.jsonl", predictions)

    def _outcome(self, module: BenchModule, metrics: Metrics) -> Finished:
        history = module.history
        metric, primary = self.task.metric, "test" if "test" in metrics else "dev"
        best = max(history, key=lambda epoch: epoch["dev"][metric])
        train = self.data.examples("train")
        self.timing["fit_s"] = sum(epoch["seconds"] for epoch in history)
        return outcome(
            Finished,
            self.choice,
            data={
                **self.choice.values["data"],
                "fingerprint": self.data.fingerprints,
                "stamp": self.stamp,
            },
            encoder=self.encoder and _describe(self.encoder),
            metrics=metrics,
            primary=Primary(name=metric, split=primary, value=metrics[primary][metric]),
            yardsticks={s: self.task.yardsticks(train, self.data.examples(s)) for s in metrics},
            mix={p: Mix(**mix) for p, mix in module.placement.summary().items()},
            epochs=len(history),
            steps=history[-1].get("steps"),
            best_epoch=best["epoch"],
            history=[Epoch(**epoch) for epoch in history],
            provenance=self.sittings.all,
            timing={name: round(seconds, 2) for name, seconds in self.timing.items()},
            counts={
                **{split: len(self.data.examples(split)) for split in ("train", *metrics)},
                "trainable_parameters": sum(
                    p.numel() for p in module.parameters() if p.requires_grad
                ),
            },
        )

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        """Add the seconds that pass inside to `timing`."""
        started = time.perf_counter()
        yield
        self.timing[name] = self.timing.get(name, 0.0) + time.perf_counter() - started


def _describe(encoder: Encoder) -> EncoderFacts:
    """Return what a record says of an encoder."""
    names = ("name", "fingerprint", "layers", "dim", "parameters")
    return EncoderFacts(**{name: getattr(encoder, name) for name in names})
