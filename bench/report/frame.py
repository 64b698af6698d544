"""A plain table of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """A plain table."""

    head: list[str]
    rows: list[list[str]]

    @classmethod
    def of(cls, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Frame:
        """Make a table without the columns that are empty in every row."""
        kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
        return cls([head[i] for i in kept], [[row[i] for i in kept] for row in rows])
