"""What `elmo_core.pretraining` raises, one line each."""

from __future__ import annotations

from elmo_core.errors import ElmoCoreError


class CorpusError(ElmoCoreError, ValueError):
    """A prepared corpus that cannot be used."""


class TrainingError(ElmoCoreError, RuntimeError):
    """A training that cannot go on, or a checkpoint that another training has written."""
