"""How far an epoch is, and how much time is left: of the epoch, and at most of the run."""

from __future__ import annotations

import time
from typing import Any

from pytorch_lightning import Callback, LightningModule, Trainer

from bench.console import Counter, duration


class EpochProgress(Callback):
    """Counts the batches of training and scoring on the console. Epochs are counted from 1.

    The time left of the run is that of all `max_epochs`: early stopping can only shorten it.
    """

    def __init__(self) -> None:
        self.counter: Counter | None = None
        self.epoch_began = 0.0
        self.epoch_took: float | None = None  # the last whole one, in this process

    def on_train_epoch_start(self, trainer: Trainer, pl_module: Any) -> None:
        self.epoch_began = time.monotonic()
        later = (trainer.max_epochs or 1) - trainer.current_epoch - 1

        def run(left: float) -> str:
            whole = self.epoch_took or time.monotonic() - self.epoch_began + left
            return f", at most {duration(left + later * whole)} of the run" if later else ""

        scores = [epoch["dev"][pl_module.task.metric] for epoch in pl_module.history]
        news = f", dev so far {max(scores):.2f}" if scores else ""
        self._count(trainer, self._epoch(trainer), int(trainer.num_training_batches), run, news)

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        fitting = trainer.state.fn == "fit"
        what = f"{self._epoch(trainer)}, dev" if fitting else "dev"
        self._count(trainer, what, int(sum(trainer.num_val_batches)))

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._stop()
        if trainer.state.fn == "fit":
            self.epoch_took = time.monotonic() - self.epoch_began

    def on_test_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._count(trainer, "test", int(sum(trainer.num_test_batches)))

    def _epoch(self, trainer: Trainer) -> str:
        return f"epoch {trainer.current_epoch + 1}/{trainer.max_epochs}"

    def _count(self, trainer: Trainer, what: str, total: int, *more: Any) -> None:
        self._stop()
        if trainer.is_global_zero:
            self.counter = Counter(what, total, "batches", *more)

    def _advance(self, *_: object, **__: object) -> None:
        if self.counter is not None:
            self.counter.advance()

    def _stop(self, *_: object, **__: object) -> None:
        if self.counter is not None:
            self.counter.stop()
        self.counter = None

    on_train_batch_end = on_validation_batch_end = on_test_batch_end = _advance
    on_test_end = on_exception = _stop
