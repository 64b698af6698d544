"""Batches of similar lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import TypeVar

from torch import Tensor

T = TypeVar("T", bound=Sized)


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


def in_batches(
    sentences: Sequence[T],
    read: Callable[[Sequence[T]], Iterable[Tensor]],
    tokens: int,
    most: int | None = None,
) -> list[Tensor]:
    """Return what `read` gives for each sentence, in order; it gets those of a batch together.

    A batch has at most `tokens` once padded, and at most `most` sentences.
    """
    found: dict[int, Tensor] = {}
    for batch in batches([len(sentence) for sentence in sentences], tokens, most):
        found.update(zip(batch, read([sentences[i] for i in batch]), strict=True))
    return [found[i] for i in range(len(sentences))]
