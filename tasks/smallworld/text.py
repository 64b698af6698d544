"""Plain text: tokenised sentences, one a line, a blank line after each story."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tasks.smallworld.stories import Story


def write(path: Path, stories: Sequence[Story]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for story in stories:
            lines = (" ".join(sentence.tokens) for sentence in story.document.sentences)
            file.write("\n".join(lines) + "\n\n")
