"""The sentences that are measured on."""

from __future__ import annotations

import random
from pathlib import Path

from bench.errors import RunError

Sentences = list[list[str]]


def sentences(path: Path | None, limit: int) -> Sentences:
    """Read at most `limit` tokenised sentences, one a line, from a file or else the built-in text.

    They are shuffled, so that the first ones are like the rest. Raises RunError for a file that is
    not there or holds nothing.
    """
    if path is None:
        from tasks.smallworld import ensure

        path = ensure("text") / "train.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"--text {path}: {getattr(error, 'strerror', None) or error}") from error
    found = [words for line in lines if (words := line.split())]
    if not found:
        raise RunError(f"--text {path}: no sentences: one a line, its tokens divided by blanks")
    return random.Random(0).sample(found, min(limit, len(found)))


def tokens(found: Sentences) -> int:
    """Count the tokens."""
    return sum(map(len, found))
