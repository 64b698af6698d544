"""The store gives what the encoder gives, asks it once, and never uses what is damaged."""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor

from elmo_core.errors import EncoderError, OptionsError
from elmo_core.store import feature_store, shards
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import shards_in
from tests.elmo_core.store.conftest import Noting, by_address, sentences, truth

Opened = Callable[..., FeatureStore]
SENTENCES = sentences(60)
WANTED = by_address(SENTENCES)


def test_each_sentence_is_encoded_once_for_all(opened: Opened, small_shards: int) -> None:
    first, later = Noting(), Noting()
    done: list[int] = []
    store = opened(first)
    store.fill(WANTED, done.append)
    assert sorted(first.asked) == sorted(WANTED.values())
    assert sum(done) == sum(map(len, WANTED.values()))
    assert len(shards_in(store.folder)) > 5
    store.fill(WANTED)
    again = opened(later)
    assert again.attach(WANTED) == set()
    for each in (store, again):
        assert torch.equal(each.layers(SENTENCES), truth(SENTENCES))
    assert len(first.asked) == len(WANTED)
    assert later.asked == []


def test_only_what_is_missing_is_computed(opened: Opened, small_shards: int) -> None:
    opened().fill(by_address(SENTENCES[:30]))
    encoder = Noting()
    store = opened(encoder)
    store.fill(WANTED)
    assert set(encoder.asked) == set(SENTENCES) - set(SENTENCES[:30])
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_what_was_not_filled_is_encoded_as_it_comes(opened: Opened) -> None:
    encoder = Noting()
    store = opened(encoder)
    store.fill(by_address(SENTENCES[:10]))
    encoder.asked.clear()
    mixed = [*SENTENCES[8:12], *SENTENCES[8:12]]
    assert torch.equal(store.layers(mixed), truth(mixed))
    assert encoder.asked == SENTENCES[10:12]


def test_in_memory_nothing_is_written(opened: Opened, small_shards: int) -> None:
    encoder = Noting()
    store = opened(encoder)
    store.keep(WANTED)
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    assert len(encoder.asked) == len(WANTED)
    assert not store.root.exists()
    assert store.kept == sum(map(len, WANTED.values())) * (3 * 4 - 2) * 4


def test_rows_stay_on_the_disk(opened: Opened) -> None:
    """What changes in the file changes in the store: nothing was copied."""
    store = opened()
    store.fill(WANTED)
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    (path,) = shards_in(store.folder)
    with path.open("r+b") as file:
        file.seek(-16 * len(WANTED) - 400, 2)  # the keys stand at the end
        file.write(bytes(400))
    assert not torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_another_encoder_or_precision_is_another_store(opened: Opened) -> None:
    opened().fill(WANTED)
    for other in (opened(Noting(scale=2.0)), opened(Noting("other")), opened(None, "float16")):
        assert other.attach(WANTED) == set(WANTED)
    for name, size in (("layers", 4), ("dim", 6)):  # by a fingerprint that does not tell
        reshaped = Noting()
        setattr(reshaped, name, size)
        assert opened(reshaped).attach(WANTED) == set(WANTED)
    given = FeatureStore(Noting(), opened().root, given="a file of the user's")
    assert given.attach(WANTED) == set(WANTED)
    renamed = Noting()
    renamed.name = "the same by another name"
    assert opened(renamed).attach(WANTED) == set()


def test_the_fingerprint_is_not_asked_for_each_shard(opened: Opened, small_shards: int) -> None:
    """It may be a property that reads all weights."""

    class Counting(Noting):
        asked_for = 0

        @property
        def fingerprint(self) -> str:
            self.asked_for += 1
            return "noting"

        @fingerprint.setter
        def fingerprint(self, _: str) -> None: ...

    for work in ("fill", "attach"):
        encoder = Counting()
        getattr(opened(encoder), work)(WANTED)
        assert encoder.asked_for == 1


def test_half_precision(opened: Opened) -> None:
    half, whole = opened(None, "float16"), opened()
    half.fill(WANTED)
    whole.fill(WANTED)
    unmet = sentences(5, seed=9)
    for some in (SENTENCES, unmet):
        layers = half.layers(some)
        assert layers.dtype == torch.float16
        assert torch.equal(layers, truth(some).half())
    assert sum(path.stat().st_size for path in shards_in(half.folder)) < 0.6 * sum(
        path.stat().st_size for path in shards_in(whole.folder)
    )
    with pytest.raises(OptionsError, match="float8"):
        opened(None, "float8")
    with pytest.raises(EncoderError, match="too large for float16"):
        opened(Noting(scale=1e6), "float16").fill(WANTED)


def test_one_number_that_is_too_large_for_half_precision_is_enough(opened: Opened) -> None:
    class Loud(Noting):
        def _encode(self, words: Sequence[str]) -> Tensor:
            return super()._encode(words) * (1e6 if tuple(words) == SENTENCES[7] else 1)

    with pytest.raises(EncoderError, match="too large for float16"):
        opened(Loud(), "float16").fill(WANTED)
    opened(Loud()).fill(WANTED)


def test_the_longest_come_first(opened: Opened) -> None:
    """So that a memory that is too small shows at once."""
    encoder = Noting()
    opened(encoder).fill(WANTED)
    lengths = [len(words) for words in encoder.asked]
    assert lengths == sorted(lengths, reverse=True)


def test_a_shard_has_so_many_bytes_at_most(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an encoder with large layers it holds fewer tokens."""
    monkeypatch.setattr(feature_store, "SHARD_BYTES", 20 * 3 * 4 * 4)
    store = opened()
    store.fill(WANTED)
    tokens = [sum(shards.read(path).lengths) for path in shards_in(store.folder)]
    assert 10 < max(tokens) <= 20


def test_what_is_read_is_in_use(opened: Opened) -> None:
    """By the time of its folder what lies idle is thrown away."""
    opened().fill(WANTED)
    folder = opened().folder
    os.utime(folder, (0, 0))
    opened().attach(WANTED)
    assert time.time() - folder.stat().st_mtime < 3600


def test_random_numbers_are_left_as_they_were(opened: Opened) -> None:
    class Drawing(Noting):
        def encode(self, sentences: object) -> list[Tensor]:
            torch.rand(3)
            return super().encode(sentences)  # type: ignore[arg-type]

    state = torch.get_rng_state()
    store = opened(Drawing())
    store.fill(by_address(SENTENCES[:10]))
    store.layers(SENTENCES)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("place", [0, 9, 60, 200, 400, 600, 800, 1200, -1])
def test_a_flipped_byte_is_reported_and_refilled(
    opened: Opened, small_shards: int, place: int, caplog: pytest.LogCaptureFixture
) -> None:
    """In the header's length, the header, keys, lengths and rows."""
    store = opened()
    store.fill(WANTED)
    path = shards_in(store.folder)[3]
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)
    encoder = Noting()
    with caplog.at_level(logging.WARNING):
        mended = opened(encoder)
        mended.fill(WANTED)
    assert f"{path} is damaged" in caplog.text
    assert 0 < len(encoder.asked) < len(WANTED) / 2
    assert torch.equal(mended.layers(SENTENCES), truth(SENTENCES))
    assert not path.exists()
    caplog.clear()
    again = Noting()
    opened(again).fill(WANTED)
    assert (again.asked, caplog.text) == ([], "")


@pytest.mark.parametrize("size", [0, 7, 500])
def test_a_truncated_shard_is_reported_and_refilled(
    opened: Opened, small_shards: int, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    store = opened()
    store.fill(WANTED)
    path = shards_in(store.folder)[0]
    path.write_bytes(path.read_bytes()[:size])
    mended = opened()
    with caplog.at_level(logging.WARNING):
        assert 0 < len(mended.attach(WANTED)) < len(WANTED)
    assert f"{path} is damaged" in caplog.text
    assert not path.exists()
    mended.fill(WANTED)
    assert torch.equal(mended.layers(SENTENCES), truth(SENTENCES))


def test_a_shard_that_somebody_removed_is_computed_again(opened: Opened, small_shards: int) -> None:
    store = opened()
    store.fill(WANTED)
    for path in shards_in(store.folder)[:3]:
        path.unlink()
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))  # mapped, hence still there
    fresh = opened()
    fresh.fill(WANTED)
    assert torch.equal(fresh.layers(SENTENCES), truth(SENTENCES))


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    assert FeatureStore(Noting()).folder.parent == tmp_path / "cache" / "features"
    assert FeatureStore(Noting(), tmp_path).folder.parent == tmp_path


def test_a_shard_of_another_encoder_is_not_read(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    other, store = opened(Noting("other", 2.0)), opened()
    other.fill(WANTED)
    store.folder.mkdir()
    (theirs,) = shards_in(other.folder)
    strange = store.folder / theirs.name
    shutil.copy(theirs, strange)
    store.fill(WANTED)
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    assert f"{strange} cannot be read (it is of another encoder, other; remove it)" in caplog.text
    assert strange.exists()
