"""The speed of a store that gives back what it holds: tokens and bytes a second."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.speed.clock import seconds
from bench.speed.text import Sentences, tokens
from elmo_core import Encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import root_folder, shards_in
from elmo_core.store.plan import Wanted

BATCH = 32


@dataclass(frozen=True)
class Reading:
    """One measurement."""

    what: str
    tokens_a_second: float
    bytes_a_second: float  # of the layers that it gives, padding left out


def measured(encoder: Encoder, root: str | None, precision: str, found: Sentences) -> list[Reading]:
    """Measure a store that is made for it beside the others, read in batches, and thrown away.

    First it is read from the disk, where the system can be asked to forget what it has read of a
    file. The wall clock is used: waiting for a disk takes no CPU time.
    """
    folder = root_folder(root)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".speed-", dir=folder) as place:
        store = FeatureStore(encoder, place, precision)
        store.fill(Wanted.of(found).distinct)
        again = FeatureStore(encoder, place, precision)
        again.attach(Wanted.of(found).distinct)
        del store  # what is mapped is not forgotten
        names = ["cold", "warm"] if _forget(again) else ["warm", "warm"]
        took = {name: seconds(lambda: _read(again, found), time.perf_counter) for name in names}
    count = tokens(found)
    size = count * encoder.layers * encoder.dim * again.dtype.itemsize
    return [Reading(name, count / spent, size / spent) for name, spent in took.items()]


def _read(store: FeatureStore, found: Sentences) -> None:
    for i in range(0, len(found), BATCH):
        store.layers(found[i : i + BATCH])


def _forget(store: FeatureStore) -> bool:
    """Ask the system to drop the store's files from its cache; return whether it could be asked."""
    forget: Callable[..., None] | None = getattr(os, "posix_fadvise", None)
    if forget is None:
        return False
    for path in shards_in(store.folder):
        with path.open("rb") as file:
            os.fsync(file.fileno())  # what is not written yet is not dropped
            forget(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True
