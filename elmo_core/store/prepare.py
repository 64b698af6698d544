"""Before a run reads features: the best way to have them is chosen, said, and taken."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch

from elmo_core.devices import random_state_kept
from elmo_core.encoder import KeepsWords
from elmo_core.errors import StoreError
from elmo_core.store.feature_store import Advance, FeatureStore, nobody
from elmo_core.store.plan import Cost, Wanted, Way, amount, decide, estimate, room_on

log = logging.getLogger(__name__)

Progress = Callable[[int], AbstractContextManager[Advance]]


def silent(tokens: int) -> AbstractContextManager[Advance]:
    return nullcontext(nobody)


def prepare(
    store: FeatureStore,
    sentences: Iterable[Sequence[str]],
    *,
    of: str,
    mode: str = "auto",
    limit: int | None = None,
    progress: Progress = silent,
) -> None:
    """Make the store ready for these sentences; `of` is their name in what is said.

    `mode` store: on the disk, or else StoreError; live: encoded whenever they are asked for; auto:
    the first of store, memory, live that there is room for. `limit` bounds the bytes below the
    store's root; `progress(tokens)` is entered while they are encoded.
    """
    wanted = Wanted.of(sentences)
    said = f"features of {of}: {wanted.sentences:,} sentences, {wanted.tokens:,} tokens"
    if mode == "live":
        log.info("%s, encoded live%s", said, _keep_words(store, wanted))
        return
    missing = store.attach(wanted.distinct)
    if not missing:
        log.info("%s, all %s", said, "in memory" if store.kept else f"stored in {store.places}")
        return
    cost = estimate(store, {key: wanted.distinct[key] for key in missing})
    log.info("%s; %s distinct, %s", said, f"{len(wanted.distinct):,}", cost)
    way, why = decide(store, cost, limit)
    if mode == "store" and way != "store":
        raise StoreError(f"{amount(cost.bytes)} are needed for features of {of}, but {why}")
    try:
        _go(way, why, store, wanted, cost, progress)
    except OSError as error:
        why = f"{store.folder} cannot be written: {error.strerror or error}"
        if mode == "store":
            raise StoreError(why) from error
        way, _ = decide(store, cost, limit=0)
        _go(way, why, store, wanted, cost, progress)


def hold(store: FeatureStore, device: torch.device) -> None:
    """Copy the features that were made ready to a GPU, if it has room; say what came of it.

    Where it has none, or where they are encoded live, the store is read as before.
    """
    needed = store.to_hold
    if not needed:
        log.info("features: not held on %s, since they are encoded live", device)
        return
    room, said = room_on(device)
    try:
        if needed <= room:
            store.hold(device)
            log.info("features: %s held on %s; %s", amount(needed), device, said)
            return
    except torch.cuda.OutOfMemoryError:
        said = "another process took what was free"
    log.info("features: not held on %s: %s are needed, %s", device, amount(needed), said)


def _go(
    way: Way, why: str, store: FeatureStore, wanted: Wanted, cost: Cost, progress: Progress
) -> None:
    """Have the features in the way that was chosen, and say so in the log."""
    if way == "live":
        log.info("features: live, since %s%s", why, _keep_words(store, wanted))
        return
    if way == "store":
        beside = f", beside {store.shared}, which is only read" if store.shared else ""
        log.info("features: store, in %s%s; %s", store.folder, beside, why)
    else:
        log.info("features: memory, since %s", why)
    _keep_words(store, wanted)
    started = time.perf_counter()
    with progress(cost.tokens) as advance:
        compute = store.fill if way == "store" else store.keep
        compute(wanted.distinct, advance)
    log.info("features: done in %.0f s", time.perf_counter() - started)


def _keep_words(store: FeatureStore, wanted: Wanted) -> str:
    """Have layer 0 computed once a word, where the encoder can; return what to say of it.

    As in `FeatureStore.encode`, random numbers stay as they were: a run has the same ones whichever
    way its features come.
    """
    if not isinstance(store.encoder, KeepsWords):
        return ""
    with random_state_kept():
        store.encoder.keep_words(wanted.words)
    return f"; the token layer of {len(wanted.words):,} words is kept"
