"""The sentences that are measured on."""

from __future__ import annotations

import random
from pathlib import Path

from bench.errors import RunError
from elmo_core.text.files import read_tokenised

Sentences = list[list[str]]


def sentences(path: Path | None, limit: int) -> Sentences:
    """Read at most `limit` tokenised sentences, one a line, from a file or else the built-in text.

    They are shuffled, so that the first ones are like the rest. Raises TextError for a file that
    cannot be read, RunError for one that holds nothing.
    """
    if path is None:
        from tasks.smallworld import ensure

        path = ensure("text") / "train.txt"
    found = list(read_tokenised([path]))
    if not found:
        raise RunError(f"--text {path}: no sentences: one a line, its tokens divided by blanks")
    return random.Random(0).sample(found, min(limit, len(found)))


def tokens(found: Sentences) -> int:
    """Count the tokens."""
    return sum(map(len, found))
