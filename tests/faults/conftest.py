"""Small runs and trainings to be spoiled."""

from __future__ import annotations

from tests.bench.conftest import small
from tests.elmo_core.conftest import tiny_options
from tests.elmo_core.pretraining.conftest import options, prepared, text, training

__all__ = ["options", "prepared", "small", "text", "tiny_options", "training"]
