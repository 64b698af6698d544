"""Text for encoders, wherever they compute."""

from __future__ import annotations

import random

from tests.encoder_files import WORDS


def sentences(count: int) -> list[list[str]]:
    """Of 1 to 33 words, some of them long, and many that begin alike."""
    drawn = random.Random(0)
    words = [*WORDS, "x" * 60, "é"]
    return [[*words[: i % 4], *drawn.choices(words, k=drawn.randint(1, 30))] for i in range(count)]
