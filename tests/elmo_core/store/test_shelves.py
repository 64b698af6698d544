"""What is said of the stores below a folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from elmo_core.locks import locked
from elmo_core.store.claims import claim
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import LOCK, shards_in
from elmo_core.store.shards import read, write
from elmo_core.store.shelves import shelves
from tests.elmo_core.store.conftest import Noting, by_address, sentences

Opened = Callable[..., FeatureStore]
WANTED = by_address(sentences(60))


@pytest.fixture
def filled(opened: Opened, small_shards: int) -> FeatureStore:
    store = opened()
    store.fill(WANTED)
    return store


def test_each_encoder_the_largest_first(filled: FeatureStore, opened: Opened) -> None:
    few = opened(Noting("few"))
    few.fill(by_address(sentences(3)))
    half = opened(Noting("half"), "float16")
    half.fill(WANTED)
    found = shelves(filled.root)
    assert [shelf.encoder for shelf in found] == ["noting", "half", "few"]
    assert [shelf.folder for shelf in found] == [filled.folder, half.folder, few.folder]
    assert [shelf.precision for shelf in found] == ["float32", "float16", "float32"]
    first = found[0]
    assert (first.sentences, first.tokens) == (len(WANTED), sum(map(len, WANTED.values())))
    assert (first.shards, first.damaged) == (len(shards_in(filled.folder)), 0)
    assert first.bytes == sum(path.stat().st_size for path in shards_in(filled.folder))


def test_a_folder_is_called_as_most_of_its_shards(filled: FeatureStore) -> None:
    first, *others = shards_in(filled.folder)
    assert others
    about = {"encoder": "other", "fingerprint": "x", "precision": "float32"}
    theirs = write(filled.folder, read(first), {**about, "sentences": "1", "tokens": "1"})
    theirs.rename(theirs.with_name("zzz.safetensors"))  # the last of them
    (shelf,) = shelves(filled.root)
    assert (shelf.encoder, shelf.damaged) == ("noting", 0)


def test_it_is_idle_since_it_was_last_used(filled: FeatureStore) -> None:
    day_ago = time.time() - 86_400
    os.utime(filled.folder, (day_ago, day_ago))
    assert shelves(filled.root)[0].idle_days == pytest.approx(1, abs=0.01)


def test_it_is_busy_while_somebody_fills_it(filled: FeatureStore) -> None:
    (shelf,) = shelves(filled.root)
    assert not shelf.busy
    with locked(filled.folder / LOCK):
        mine = claim(filled.folder, [bytes(16)])
    with mine:
        assert shelf.busy
    assert not shelf.busy


def test_damaged_files_and_those_of_other_programs_are_counted(filled: FeatureStore) -> None:
    shard = shards_in(filled.folder)[0]
    write(filled.folder, read(shard), {"format": "pt"})
    (filled.folder / "cut.safetensors").write_bytes(shard.read_bytes()[:100])
    (shelf,) = shelves(filled.root)
    assert (shelf.damaged, shelf.encoder, shelf.sentences) == (2, "noting", len(WANTED))


def test_what_the_system_does_not_open_is_counted_too_and_a_folder_is_not(
    filled: FeatureStore,
) -> None:
    """As it is with another user's shard that is theirs alone."""
    (filled.folder / "folder.safetensors").mkdir()
    (filled.folder / "gone.safetensors").symlink_to(filled.folder / "nowhere")
    (shelf,) = shelves(filled.root)
    assert (shelf.damaged, shelf.encoder, shelf.sentences) == (1, "noting", len(WANTED))
