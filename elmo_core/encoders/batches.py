"""Batches of similar lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def batches(
    lengths: Sequence[int], tokens: int, sentences: int | None = None
) -> Iterator[list[int]]:
    """Part indices, the longest first, into batches of at most `tokens` once padded.

    A batch has at most `sentences` of them. What is longer than `tokens` stands alone. If memory is
    short, it is short at once.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        width = lengths[batch[0]] if batch else 0
        if batch and (len(batch) == sentences or width * (len(batch) + 1) > tokens):
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
