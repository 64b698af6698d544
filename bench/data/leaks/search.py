"""One pass over the text: where each sentence was found best, and the text without it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bench.console import progress
from bench.data.leaks.overlap import KINDS, Collection, Match
from bench.data.leaks.stretches import Stretch, stretches
from elmo_core.text.files import size_of
from elmo_core.whole_files import replacing


@dataclass(frozen=True)
class Place:
    """Where a sentence was found best."""

    match: Match
    where: str  # file:line

    @property
    def rank(self) -> tuple[int, int, float]:
        """Larger is worse."""
        return -KINDS.index(self.match.kind), self.match.words, self.match.share


def search(
    collection: Collection, files: Mapping[str, Path], targets: Mapping[str, Path]
) -> tuple[dict[int, Place], int]:
    """Return where each sentence was found best, and how many lines the `targets` lack."""
    found: dict[int, Place] = {}
    removed = 0
    with progress("searching", size_of(files.values()), "bytes") as advance:
        for name, path in files.items():
            with ExitStack() as stack:
                out = None
                if name in targets:
                    temporary = stack.enter_context(replacing(targets[name]))
                    out = stack.enter_context(open(temporary, "wb"))
                writer = Writer(out)
                for stretch in stretches(path):
                    writer.take(stretch, _found_in(stretch, collection, found))
                    advance(sum(map(len, stretch.lines[stretch.seen :])))
                writer.close()
                removed += writer.removed
    return found, removed


def _found_in(stretch: Stretch, collection: Collection, found: dict[int, Place]) -> set[int]:
    """Return the numbers of lines in which something was found, and note it in `found`."""
    lines: set[int] = set()
    for match in collection.matches(stretch.words):
        place = Place(match, f"{stretch.path}:{stretch.line(match.first)}")
        best = found.get(match.sentence)
        if best is None or place.rank > best.rank:
            found[match.sentence] = place
        lines.update(stretch.paragraph(match.first, match.last))
    return lines


class Writer:
    """Writes the lines that stay, byte for byte; those that may still go wait."""

    def __init__(self, out: BinaryIO | None) -> None:
        self.out, self.removed = out, 0
        self._waiting: dict[int, bytes] = {}

    def take(self, stretch: Stretch, without: set[int]) -> None:
        """Take the next stretch, which may take back lines of the one before."""
        self._write([number for number in self._waiting if number < stretch.first])
        fresh = stretch.lines[stretch.seen :]
        self._waiting.update(enumerate(fresh, start=stretch.first + stretch.seen))
        for number in without & self._waiting.keys():
            del self._waiting[number]
            self.removed += 1

    def close(self) -> None:
        """Write what waits: there are no more lines."""
        self._write(list(self._waiting))

    def _write(self, numbers: list[int]) -> None:
        for number in numbers:
            line = self._waiting.pop(number)
            if self.out is not None:
                self.out.write(line)
