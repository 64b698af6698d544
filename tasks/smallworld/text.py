"""Plain text: tokenised sentences, one a line, a blank line after each story."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story


def write(folder: Path, parts: Parts) -> None:
    """Write `train.txt`, the stories of train and press, and `dev.txt`."""
    _write(folder / "train.txt", parts["train"][0] + parts["press"][0])
    _write(folder / "dev.txt", parts["dev"][0])


def _write(path: Path, stories: Sequence[Story]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for story in stories:
            lines = (" ".join(sentence.tokens) for sentence in story.document.sentences)
            file.write("\n".join(lines) + "\n\n")
