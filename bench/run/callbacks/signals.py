"""Signals stay ours while Lightning trains."""

from __future__ import annotations

import pytorch_lightning as pl

from bench.interrupts import raise_again, take_back


class OwnSignals(pl.Callback):
    """Answers SIGTERM as outside of training, and an interruption that was lost at the next batch.

    Lightning's own answer waits, inside the signal, for all processes of the run: those that wait
    for this one in the meantime never come, and none ends.
    """

    def _take_back(self, *_: object, **__: object) -> None:
        take_back()

    on_train_start = on_validation_start = on_test_start = _take_back

    def _raise_again(self, *_: object, **__: object) -> None:
        raise_again()

    on_train_batch_start = on_validation_batch_start = on_test_batch_start = _raise_again
