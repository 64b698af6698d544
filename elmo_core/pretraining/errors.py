"""What `elmo_core.pretraining` raises, one line each."""

from elmo_core.errors import ElmoCoreError


class CorpusError(ElmoCoreError, ValueError):
    """A text or a prepared corpus that cannot be used."""


class TrainingError(ElmoCoreError, RuntimeError):
    """A training that cannot go on, or a checkpoint that another training has written."""
