"""A text file, some lines at a time, so that what is found can be cut out of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.data.leaks.overlap import normalised
from elmo_core.errors import TextError
from elmo_core.text.files import read_bytes

SIZE = 20_000
"""Bytes after which a stretch ends without an empty line: bounds the memory."""
CONTEXT = 2_000
"""Bytes of such a stretch that the next one begins with: what crosses the cut is found."""
WRAPPED = 100
"""Bytes of a line above which text is not hard-wrapped."""


@dataclass
class Stretch:
    """Neighbouring lines: up to an empty one, or so many that they are enough.

    The first `seen` of them were the last ones of the stretch before.
    """

    path: Path
    first: int  # the number of the first line, from 1
    lines: list[bytes]
    seen: int
    whole: bool  # all the lines between two empty ones

    @cached_property
    def words(self) -> list[str]:
        """The normalised words. Reading them raises TextError for a line that is not UTF-8."""
        self._ends: list[int] = []
        words: list[str] = []
        for number, line in enumerate(self.lines, start=self.first):
            try:
                words += normalised(line.decode("utf-8"))
            except UnicodeDecodeError as error:
                raise TextError(f"{self.path}, line {number}: not UTF-8 ({error.reason})") from None
            self._ends.append(len(words))
        return words

    def line(self, word: int) -> int:
        """Return the number of the line in which a word stands."""
        return self.first + bisect_right(self._ends, word)

    def paragraph(self, first: int, last: int) -> range:
        """Return the numbers of the lines that go if these words go.

        Of hard-wrapped text, the lines between two empty ones; otherwise a line is a paragraph.
        """
        if self.whole and all(len(line) <= WRAPPED for line in self.lines):
            return range(self.first, self.first + len(self.lines))
        return range(self.line(first), self.line(last) + 1)


def stretches(path: Path) -> Iterator[Stretch]:
    """Yield the file, compressed or not, from beginning to end, each line once besides the context.

    Raises TextError where it cannot be read."""
    lines: list[bytes] = []
    seen, size, whole = 0, 0, True
    number = 0
    for number, line in enumerate(read_bytes(path), start=1):
        lines.append(line)
        size += len(line)
        if not line.strip() or size > SIZE:
            empty = not line.strip()
            yield Stretch(path, number - len(lines) + 1, lines, seen, whole and empty)
            lines, size, whole = [] if empty else _context(lines), 0, empty
            seen = len(lines)
    if len(lines) > seen:
        first = number - len(lines) + 1
        yield Stretch(path, first, lines, seen, whole and first > 1)  # else no line was empty


def _context(lines: list[bytes]) -> list[bytes]:
    """Return the last lines that are together long enough."""
    size = 0
    for count, line in enumerate(reversed(lines), start=1):
        size += len(line)
        if size >= CONTEXT:
            return lines[-count:]
    return lines[:]
