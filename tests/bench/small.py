"""The words of a run of seconds."""

from __future__ import annotations

from tests.conftest import TINY_ENCODER

SMALL = (
    "task=snli",
    "task.hidden=8",
    "task.word_dim=8",
    "training.max_epochs=3",
    "trainer=cpu",
    *TINY_ENCODER,
)
