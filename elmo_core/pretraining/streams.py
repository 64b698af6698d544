"""Where each row of a batch reads: contiguous streams for both directions, nothing padded.

The ring of a corpus is cut into equal arcs, one a row (over all devices). Forward, a row starts at
the left end of its arc and reads to the right; backward, it starts at the right end and reads
to the left. So the state that is carried from window to window always comes from the text just
read, which lies before the window (forward) or after it (backward). At the end of its arc a
row goes on into its neighbour's: there are no epochs in the reading, and the batch of a step
depends on the step alone, which is all that resuming needs to know.

(The published program also carries the state, but its backward model reads the sentences in the
forward model's order, each reversed. There they are shuffled, so neither makes sense; here a text's
order is kept, and backward means backward.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

import numpy as np
from torch.utils.data import IterableDataset

from elmo_core.pretraining.corpus import Array, Corpus, Window

T = TypeVar("T")


@dataclass(frozen=True)
class Streams:
    """The windows of one device: rows `rank * batch` to `(rank + 1) * batch` of all rows."""

    corpus: Corpus
    batch: int
    steps: int
    rank: int = 0
    devices: int = 1

    def window(self, number: int) -> Window:
        """Return the `number`-th window from the start of the training."""
        rows = np.arange(self.rank * self.batch, (self.rank + 1) * self.batch)
        left, right = _ends(rows, len(self.corpus), self.batch * self.devices)
        offset = number * self.steps
        return self.corpus.window(left + offset, right - 1 - offset, self.steps)


def _ends(rows: Array, size: int, pieces: int) -> tuple[Array, Array]:
    """Return where the arcs of these rows begin and end, if a ring of `size` has so many pieces."""
    return rows * size // pieces, (rows + 1) * size // pieces


@dataclass(frozen=True)
class Arcs:
    """The windows for measuring: each place of the ring once, in `pieces` arcs of equal length.

    A piece is the same however many are read at a time, so that no number depends on it.
    """

    corpus: Corpus
    length: int = 2000

    @property
    def pieces(self) -> int:
        return -(-len(self.corpus) // self.length)

    def windows(self, rows: Array, steps: int) -> Iterator[tuple[Window, np.ndarray]]:
        """Yield these pieces' windows, in order, with a mask (steps, batch) of what counts."""
        left, right = _ends(rows, len(self.corpus), self.pieces)
        for offset in range(0, int((right - left).max()), steps):
            window = self.corpus.window(left + offset, right - 1 - offset, steps)
            yield window, offset + np.arange(steps)[:, None] < right - left


class Feed(IterableDataset[Window]):
    """Windows without end, from where the training stands."""

    def __init__(self, streams: Streams, position: Callable[[], int]) -> None:
        self.streams, self.position = streams, position

    def __iter__(self) -> Iterator[Window]:
        return map(Ahead(self.streams.window), count(self.position()))


class Ahead(Generic[T]):
    """A function of a step's number, computed for the next one while this one is under way."""

    def __init__(self, function: Callable[[int], T]) -> None:
        self.function = function
        self._thread = ThreadPoolExecutor(1)
        self._coming: tuple[int, Future[T]] | None = None

    def __call__(self, number: int) -> T:
        """Return the function's value, whether or not this number was expected."""
        expected, coming = self._coming or (None, None)
        value = coming.result() if coming and expected == number else self.function(number)
        self._coming = number + 1, self._thread.submit(self.function, number + 1)
        return value
