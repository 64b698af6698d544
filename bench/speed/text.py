"""The sentences that are measured on."""

from __future__ import annotations

import random
from pathlib import Path

from bench.errors import RunError

Sentences = list[list[str]]


def sentences(path: Path | None, limit: int) -> Sentences:
    """Of a file, tokenised, one a line; by default built-in text. At most `limit`, in an order in
    which the first ones are like the rest.

    Raises RunError for a file that is not there or holds nothing.
    """
    if path is None:
        from tasks.smallworld import ensure

        path = ensure() / "text" / "train.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"--text {path}: {getattr(error, 'strerror', None) or error}") from error
    found = [words for line in lines if (words := line.split())]
    if not found:
        raise RunError(f"--text {path}: no sentences: one a line, its tokens divided by blanks")
    return random.Random(0).sample(found, min(limit, len(found)))


def tokens(found: Sentences) -> int:
    return sum(map(len, found))
