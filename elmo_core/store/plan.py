"""What is wanted, what it costs, and the best way to have it: from the store, from memory, live."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch

from elmo_core.memory import all_memory, free_memory
from elmo_core.store.feature_store import FeatureStore, Sentence
from elmo_core.store.files import existing, size
from elmo_core.store.shards import address, pack

Way = Literal["store", "memory", "live"]
PROBES = 32, 1024  # sentences by which an encoder's speed is measured, the more if the few are …
QUICK = 0.05  # … encoded within so many seconds: a GPU takes a thousand in the time of a few
RESERVE = 1_000_000_000  # bytes of a disk that are left to others


@dataclass
class Wanted:
    """Sentences, counted, and the distinct ones by address."""

    sentences: int = 0
    tokens: int = 0
    distinct: dict[bytes, Sentence] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)  # one object for each word, for all to hold

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Wanted:
        wanted = cls()
        for words in sentences:
            wanted.sentences += 1
            wanted.tokens += len(words)
            key = address(words)
            if key not in wanted.distinct:
                wanted.distinct[key] = tuple(wanted.words.setdefault(w, w) for w in words)
        return wanted


@dataclass(frozen=True)
class Cost:
    """What it takes to compute the sentences that are missing."""

    sentences: int
    tokens: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.sentences:,} of them to be computed: {self.tokens:,} tokens, "
            f"{amount(self.bytes)}, about {self.seconds:,.0f} s"
        )


def estimate(store: FeatureStore, missing: Mapping[bytes, Sentence]) -> Cost:
    """Estimate what the missing sentences cost, by encoding a few of them, of all lengths."""
    if not missing:
        return Cost(0, 0, 0, 0.0)
    ordered = sorted(missing.values(), key=len)
    store.encode(ordered[:1])  # what is only done once shall not count
    for most in PROBES:
        n = min(most, len(ordered))
        probe = [ordered[i * len(ordered) // n] for i in range(n)]
        started = time.perf_counter()
        encoded = store.encode(probe)
        took = time.perf_counter() - started
        if took > QUICK or n == len(ordered):
            break
    rate = sum(map(len, probe)) / took
    tokens = sum(map(len, ordered))
    width = pack(encoded).shape[1]
    return Cost(len(ordered), tokens, tokens * width * store.dtype.itemsize, tokens / rate)


def decide(store: FeatureStore, cost: Cost, limit: int | None = None) -> tuple[Way, str]:
    """Choose the first of store, memory, live that there is room for; say what room there is.

    `limit` bounds the bytes of all that lies below the store's root.
    """
    free = shutil.disk_usage(existing(store.root)).free
    room, said = free - RESERVE, f"{amount(free)} are free in {store.root}"
    if limit is not None and (left := max(limit - size(store.root), 0)) < room:
        room, said = left, f"{amount(left)} are left of {amount(limit)} for {store.root}"
    if cost.bytes <= room:
        return "store", said
    # Other runs may have taken memory, or be about to: each leaves half of what it finds.
    memory = max(min(all_memory() // 2 - store.kept, free_memory() // 2), 0)
    if cost.bytes <= memory:
        return "memory", said
    return "live", f"{said}, and {amount(memory)} of memory may be used"


def room_on(device: torch.device) -> tuple[int, str]:
    """Return how many bytes may be held on a CUDA device, and say what is free.

    A quarter of the device's memory is left to what is trained there.
    """
    torch.cuda.empty_cache()  # what torch keeps for later counts as free
    free, total = torch.cuda.mem_get_info(device)
    said = f"{amount(free)} are free, {amount(total // 4)} of them for training"
    return free - total // 4, said


def amount(size: int) -> str:
    """Write a number of bytes as people read it."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"
