"""An interruption that Python dropped is raised again."""

from __future__ import annotations

import pytorch_lightning as pl

from bench.interrupts import raise_again


class LostSignals(pl.Callback):
    """Raises at the next batch what was raised in a finaliser, where Python drops it."""

    def _raise_again(self, *_: object, **__: object) -> None:
        raise_again()

    on_train_batch_start = on_validation_batch_start = on_test_batch_start = _raise_again
