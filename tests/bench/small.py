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

DIVERGING = (
    "training.optimizer._target_=torch.optim.SGD",
    "training.clip_norm=null",
    "training.max_epochs=10",
    "training.patience=10",
)
"""With a learning rate of 1e6, such a run leaves the numbers within a few epochs."""
