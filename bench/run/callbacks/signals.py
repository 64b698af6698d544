"""Signals stay ours while Lightning trains."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl

from bench.interrupts import take_back


class OwnSignals(pl.Callback):
    """Answers SIGTERM as outside of training.

    Lightning's own answer waits, inside the signal, for all processes of the run: those that wait
    for this one in the meantime never come, and none ends.
    """

    def on_train_start(self, *_: Any) -> None:
        take_back()

    def on_validation_start(self, *_: Any) -> None:
        take_back()

    def on_test_start(self, *_: Any) -> None:
        take_back()
