"""A store that others own is read; what it lacks is computed into a folder of one's own."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import shards_in
from elmo_core.store.prepare import prepare
from tests.elmo_core.store.conftest import Noting, by_address, sentences, truth

SENTENCES = sentences(60)
WANTED = by_address(SENTENCES)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The root of a store with half of the sentences."""
    root = tmp_path / "group"
    FeatureStore(Noting(), root).fill(by_address(SENTENCES[:30]))
    return root


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch, shared: Path) -> set[Path]:
    """Paths that may not be written, though root may write anything: the whole store."""
    refused = {shared, *shared.rglob("*")}
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path) not in refused and access(path, mode)
    )
    return refused


def content(root: Path) -> dict[Path, Any]:
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in root.rglob("*")}


def test_only_what_is_missing_is_computed_into_the_overlay(
    shared: Path, tmp_path: Path, small_shards: int
) -> None:
    before, encoder, again = content(shared), Noting(), Noting()
    store = FeatureStore(encoder, shared, overlay=tmp_path / "own")
    store.fill(WANTED)
    assert set(encoder.asked) == set(SENTENCES) - set(SENTENCES[:30])
    assert content(shared) == before
    assert store.folder.is_relative_to(tmp_path / "own")
    later = FeatureStore(again, shared, overlay=tmp_path / "own")
    assert later.attach(WANTED) == set()
    for each in (store, later):
        assert torch.equal(each.layers(SENTENCES), truth(SENTENCES))
    assert again.asked == []


def test_by_default_the_overlay_is_the_users_cache(
    shared: Path,
    unwritable: set[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    before, store = content(shared), FeatureStore(Noting(), shared)
    with caplog.at_level(logging.INFO):
        prepare(store, SENTENCES, of="train", mode="store")
        prepare(FeatureStore(Noting(), shared), SENTENCES, of="train")
    own = tmp_path / "cache" / "features" / store.folder.name
    theirs = shared / store.folder.name
    assert f"features: store, in {own}, beside {theirs}, which is only read" in caplog.text
    assert f"all stored in {own} and {theirs}" in caplog.text
    assert content(shared) == before
    assert shards_in(own)


def test_a_folder_or_lock_of_somebody_else_is_enough(
    shared: Path, unwritable: set[Path], tmp_path: Path
) -> None:
    """The root of the store may be written: another encoder's layers go there."""
    (folder,) = shared.iterdir()
    for theirs in (folder, folder / ".lock"):
        unwritable.clear()
        unwritable.add(theirs)
        assert FeatureStore(Noting(), shared).shared == folder
        assert FeatureStore(Noting("other"), shared).shared is None
    unwritable.clear()
    assert FeatureStore(Noting(), shared).folder == folder


def test_a_cache_that_cannot_be_written_has_no_overlay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert FeatureStore(Noting()).shared is None
    assert FeatureStore(Noting(), overlay=tmp_path / "own").root == tmp_path / "own"


def test_damage_is_reported_once_and_left_to_its_owner(
    shared: Path, tmp_path: Path, small_shards: int, caplog: pytest.LogCaptureFixture
) -> None:
    (damaged,) = shared.rglob("*.safetensors")
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"x")
    encoder = Noting()
    store = FeatureStore(encoder, shared, overlay=tmp_path / "own")
    store.fill(WANTED)
    assert len(shards_in(store.folder)) > 5
    assert caplog.text.count("is damaged") == 1
    assert sorted(encoder.asked) == sorted(WANTED.values())
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    assert damaged.exists()


def test_a_shard_that_may_not_be_read_is_computed_again(
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (hidden,) = shared.rglob("*.safetensors")
    opened = Path.open

    def refuse(self: Path, *given: Any, **more: Any) -> Any:
        if self == hidden:
            raise PermissionError(13, "Permission denied", str(self))
        return opened(self, *given, **more)

    monkeypatch.setattr(Path, "open", refuse)
    store = FeatureStore(Noting(), shared, overlay=tmp_path / "own")
    store.fill(WANTED)
    assert caplog.text.count(f"{hidden} cannot be read (Permission denied)") == 1
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_what_the_group_adds_meanwhile_is_used(
    shared: Path, tmp_path: Path, small_shards: int
) -> None:
    class Helped(Noting):
        def encode(self, sentences: Any) -> list[Tensor]:
            if not self.asked:
                FeatureStore(Noting(), shared).fill(WANTED)
            return super().encode(sentences)

    encoder = Helped()
    store = FeatureStore(encoder, shared, overlay=tmp_path / "own")
    store.fill(WANTED)
    assert sum(map(len, encoder.asked)) <= small_shards  # one shard, which was begun
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
