"""One run, from the composed configuration to the record: seed, fit, best, score, record."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytorch_lightning as pl
import torch
from omegaconf import DictConfig
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities import rank_zero_only
from pytorch_lightning.utilities.exceptions import MisconfigurationException
from safetensors.torch import save_file

from bench.config import ConfigError, choice, shorter
from bench.console import on_terminal, said_in
from bench.errors import RunError, build, explain
from bench.run import features, panel
from bench.run.build import encoder_of, placement_of, task_of
from bench.run.callbacks.checkpoint import Stopper, best_and_last
from bench.run.callbacks.memory import HeapTrimmer
from bench.run.callbacks.weight_average import WeightAverage
from bench.run.datamodule import BenchData
from bench.run.module import BenchModule
from bench.run.record import Record, outcome
from elmo_core import Encoder, Placement
from elmo_core.pretraining.checkpoint_io import SafeCheckpointIO
from elmo_core.products import chosen
from elmo_core.whole_files import replacing
from tasks.task import Task

log = logging.getLogger(__name__)


def run(cfg: DictConfig) -> dict[str, Any]:
    """Do the run, go on with it, or show what it gave; returns its result."""
    record = Record.of(cfg)
    if rank_zero_only.rank != 0:  # one of several processes: the first one speaks and records
        logging.disable(logging.INFO)
        return _Run(cfg, record).go()
    result = record.finished()
    if result is not None and not cfg.force:
        panel.show(result, record.folder, note="finished earlier; force=true repeats it")
        return result
    with record.lock(), said_in(record.log):
        if cfg.force:
            record.forget()
        elif not record.last.exists():
            _begin(cfg, record)
        record.write_config(cfg)
        try:
            result = _Run(cfg, record).go()
        except Exception as error:
            reason = explain(error) or f"{type(error).__name__}: {error}"
            with suppress(OSError):  # the disk may be what failed
                record.write_json("result.json", outcome(cfg, status="failed", error=reason))
            raise
    panel.show(result, record.folder)
    return result


def _begin(cfg: DictConfig, record: Record) -> None:
    """A finished run of the same choice with fewer epochs is the beginning of this one: to the bit
    what it would compute once more."""
    for name in shorter(cfg):
        other = Record(record.folder.parent / name)
        if other.best.exists() and other.last.exists() and other.finished():
            log.info("begins as %s ended, a run of fewer epochs", other.folder)
            record.begin_with(other)
            return


class _Run:
    """The parts that the steps of one run share."""

    def __init__(self, cfg: DictConfig, record: Record) -> None:
        self.cfg, self.record = cfg, record
        self.timing: dict[str, float] = {}
        pl.seed_everything(cfg.seed, verbose=False)
        self.task = task_of(cfg)
        self.data = BenchData(self.task, cfg.training.batch_size, cfg.seed, cfg.data.train_share)
        self.encoder: Encoder | None = None

    def go(self) -> dict[str, Any]:
        self.task.prepare(self.data.split("train"))
        module = BenchModule(self.task, self._placement(), self.cfg.training, self.cfg.seed)
        trainer = self._trainer(module.learns)
        try:
            self._fit(trainer, module)
            metrics, predictions = self._evaluate(trainer, module)
        except (RuntimeError, MemoryError) as error:
            raise _out_of_memory(error, self.task, module) or error from None
        finally:
            if "wandb" in sys.modules:
                sys.modules["wandb"].finish()
        result = self._outcome(module, metrics)
        result["versions"]["products"] = chosen() if module.device.type == "cpu" else "torch"
        if trainer.is_global_zero:
            self._save(module, predictions)
            self.record.write_json("result.json", result)  # last: all the rest is there by now
        return result

    def _placement(self) -> Placement:
        """The mixes, for this encoder; its features of train and dev are computed on the way."""
        self.encoder = encoder_of(self.cfg)
        placement = placement_of(self.cfg, self.encoder)
        if self.encoder is not None:
            what = (self.encoder.name, self.encoder.layers, self.encoder.dim)
            log.info("encoder: %s, %d layers × %d", *what)
            self.data.store = features.store_of(self.cfg, self.encoder)
            self._fill("train", "dev")
        return placement

    def _fill(self, *splits: str) -> None:
        if self.data.store is None or self.cfg.trainer.limit_batches:
            return
        with self._timed("features_s"):
            features.fill(self.cfg, self.data.store, self.data, *splits)

    def _trainer(self, learns: bool) -> pl.Trainer:
        """`learns`: by gradient; else the training set is shown once, to one process."""
        try:
            trainer = self._new_trainer(self.cfg.training.max_epochs if learns else 1)
        except (ValueError, MisconfigurationException) as error:
            raise ConfigError(f"trainer: {str(error).splitlines()[0]}") from error
        if trainer.world_size > 1 and not learns:
            raise ConfigError("trainer.devices: must be 1 where nothing is learned by gradient")
        return trainer

    def _new_trainer(self, max_epochs: int) -> pl.Trainer:
        cfg, limit = self.cfg, self.cfg.trainer.limit_batches
        average = [] if cfg.training.ema is None else [WeightAverage(cfg.training.ema)]
        return pl.Trainer(
            accelerator=cfg.trainer.accelerator,
            devices=cfg.trainer.devices,
            strategy=cfg.trainer.strategy,
            precision=cfg.trainer.precision,
            max_epochs=max_epochs,
            gradient_clip_val=cfg.training.clip_norm or cfg.training.clip_value,
            gradient_clip_algorithm="value" if cfg.training.clip_value else "norm",
            limit_train_batches=limit,
            limit_val_batches=limit,
            limit_test_batches=limit,
            callbacks=[
                Stopper(cfg.training.patience),
                *average,
                *best_and_last(self.record.checkpoints),
                HeapTrimmer(),
            ],
            plugins=[SafeCheckpointIO()],
            logger=self._logger(),
            default_root_dir=str(self.record.folder),
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
            enable_model_summary=False,
            enable_progress_bar=on_terminal(),
            detect_anomaly=cfg.debug,
        )

    def _logger(self) -> Logger | bool:
        if not self.cfg.logger.get("_target_"):
            return False
        logger: Logger = build(self.cfg.logger, save_dir=str(self.record.folder))
        logger.log_hyperparams(choice(self.cfg))
        return logger

    def _fit(self, trainer: pl.Trainer, module: BenchModule) -> None:
        last = self.record.last if self.record.last.exists() else None
        if last:
            log.info("going on from %s", last)
        trainer.fit(module, datamodule=self.data, ckpt_path=last)
        state = torch.load(self.record.best, map_location="cpu", weights_only=True)["state_dict"]
        module.load_state_dict(state, strict=False)

    def _evaluate(
        self, trainer: pl.Trainer, module: BenchModule
    ) -> tuple[dict[str, dict[str, float]], list[dict[str, Any]]]:
        """Metrics and predictions of dev and, where there is one, test."""
        metrics, predictions = {}, []
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

    def _outcome(self, module: BenchModule, metrics: dict[str, Any]) -> dict[str, Any]:
        history = module.history
        best = max(history, key=lambda epoch: epoch["dev"][self.task.metric])
        train = self.data.split("train")
        primary = "test" if "test" in metrics else "dev"
        self.timing["fit_s"] = sum(epoch["seconds"] for epoch in history)
        return outcome(
            self.cfg,
            status="finished",
            encoder=self.encoder and _describe(self.encoder),
            metrics=metrics,
            primary={
                "name": self.task.metric,
                "split": primary,
                "value": metrics[primary][self.task.metric],
            },
            yardsticks={s: self.task.yardsticks(train, self.data.split(s)) for s in metrics},
            mix=module.model.placement.summary(),
            epochs=len(history),
            best_epoch=best["epoch"],
            history=history,
            timing={name: round(seconds, 2) for name, seconds in self.timing.items()},
            counts={
                **{split: len(self.data.split(split)) for split in ("train", *metrics)},
                "trainable_parameters": sum(
                    p.numel() for p in module.parameters() if p.requires_grad
                ),
            },
        )

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timing[name] = self.timing.get(name, 0.0) + time.perf_counter() - started


def _describe(encoder: Encoder) -> dict[str, Any]:
    """What a record says of an encoder."""
    names = ("name", "fingerprint", "layers", "dim", "parameters")
    return {name: getattr(encoder, name) for name in names}


def _out_of_memory(error: Exception, task: Task, module: BenchModule) -> RunError | None:
    """If that is what `error` is: the longest example of the batch at hand, and the knob."""
    text = str(error).lower()
    if not isinstance(error, MemoryError) and not any(
        sign in text for sign in ("out of memory", "can't allocate memory", "not enough memory")
    ):
        return None
    if not module.batch:
        return RunError(
            "out of memory before the first batch: close other programs, or use less data"
        )
    longest = max(module.batch["examples"], key=task.size)
    return RunError(
        f"out of memory in a batch of {len(module.batch['examples'])}, whose longest example, "
        f"{longest['id']}, has {task.size(longest)} tokens: lower training.batch_size"
    )
