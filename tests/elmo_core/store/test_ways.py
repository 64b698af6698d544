"""Which way features are had: store, memory or live, by the room that there is."""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from elmo_core.encoders.checked import Checked
from elmo_core.errors import StoreError
from elmo_core.store import plan
from elmo_core.store.feature_store import Advance, FeatureStore
from elmo_core.store.files import shards_in, size
from elmo_core.store.plan import Wanted, estimate
from elmo_core.store.prepare import prepare
from tests.elmo_core.store.conftest import Noting, sentences, truth

Opened = Callable[..., FeatureStore]
SENTENCES = sentences(60)
DISTINCT = len(set(SENTENCES))
BYTES = sum(map(len, set(SENTENCES))) * (3 * 4 - 2) * 4


@pytest.fixture(autouse=True)
def _said(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO, "elmo_core"):
        yield


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`free(disk=…, memory=…)`: what may be used of this machine, in bytes, half of all its
    memory; `left`: of all of it."""

    def set_free(disk: int = 1 << 40, memory: int = 1 << 40, left: int | None = None) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=disk))
        monkeypatch.setattr(plan, "all_memory", lambda: 2 * memory)
        monkeypatch.setattr(plan, "free_memory", lambda: 2 * memory if left is None else left)

    return set_free


class WordKeeping(Noting):
    kept: list[str]

    def keep_words(self, words: Iterable[str]) -> None:
        self.kept = list(words)


def ready(store: FeatureStore, **given: Any) -> FeatureStore:
    prepare(store, SENTENCES, of="train", **given)
    return store


def test_before_it_fills_it_says_what_that_costs(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    ready(opened())
    tokens = sum(map(len, SENTENCES))
    distinct = sum(map(len, set(SENTENCES)))
    said = caplog.messages
    assert said[0].startswith(
        f"features of train: 66 sentences, {tokens} tokens; {DISTINCT} distinct, "
    )
    assert f"{DISTINCT} of them to be computed: {distinct} tokens, 0.0 MB, about 0 s" in said[0]
    assert said[1].startswith(f"features: store, in {opened().folder}; ")
    assert "are free in" in said[1]
    caplog.clear()
    ready(opened())
    assert "all stored in" in caplog.text


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_the_estimate_is_what_is_written(opened: Opened, precision: str) -> None:
    store = opened(None, precision)
    expected = BYTES if precision == "float32" else BYTES // 2
    wanted = Wanted.of(iter(SENTENCES))
    assert (wanted.sentences, wanted.tokens) == (66, sum(map(len, SENTENCES)))
    cost = estimate(store, wanted.distinct)
    assert (cost.sentences, cost.bytes) == (DISTINCT, expected)
    store.fill(wanted.distinct)
    (path,) = shards_in(store.folder)
    assert cost.bytes < path.stat().st_size < cost.bytes + DISTINCT * 20 + 1000


def test_few_sentences_are_each_asked_once_for_the_estimate(opened: Opened) -> None:
    encoder = Noting()
    few = [("a",) * length for length in range(1, 8)]
    estimate(opened(encoder), Wanted.of(few).distinct)
    assert encoder.asked[1:] == few  # after a first one, which is not timed


def test_sentences_of_all_lengths_are_asked_for_the_estimate(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "QUICK", -1.0)
    encoder = Noting()
    estimate(opened(encoder), Wanted.of([("a",) * n for n in range(1, 129)]).distinct)
    assert [len(words) for words in encoder.asked[1:]] == [*range(1, 129, 4)]


def test_the_estimate_is_of_what_is_missing(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    prepare(opened(), SENTENCES[:20], of="train")
    caplog.clear()
    ready(opened())
    rest = set(SENTENCES) - set(SENTENCES[:20])
    expected = f"{len(rest)} of them to be computed: {sum(map(len, rest))} tokens"
    assert expected in caplog.messages[0]


def test_an_encoder_that_takes_a_thousand_as_quickly_as_a_few_is_asked_for_a_thousand(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU's estimate by a few sentences was thirty times what it took."""
    clock = 0.0

    class Gpu(Noting):
        def encode(self, sentences: Sequence[Sequence[str]]) -> list[torch.Tensor]:
            nonlocal clock
            clock += 0.02
            return super().encode(sentences)

    monkeypatch.setattr(plan.time, "perf_counter", lambda: clock)
    many = [(f"w{i}",) for i in range(10_240)]
    cost = estimate(opened(Gpu()), Wanted.of(many).distinct)
    assert cost.seconds == pytest.approx(0.2)


def test_a_short_disk_means_memory_a_short_memory_live(
    opened: Opened, free: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    encoder = WordKeeping()
    free(disk=plan.RESERVE + BYTES, memory=0)
    assert ready(opened(encoder)).folder.exists()
    shutil.rmtree(opened().root)
    free(disk=plan.RESERVE + BYTES - 1, memory=BYTES)
    store = ready(opened(encoder))
    assert store.kept == BYTES
    assert "features: memory, since 1.0 GB are free in" in caplog.text
    free(disk=plan.RESERVE + BYTES - 1, memory=BYTES - 1)
    live = ready(opened(encoder))
    assert (live.kept, live.root.exists()) == (0, False)
    words = len({word for sentence in SENTENCES for word in sentence})
    assert len(encoder.kept) == words
    assert f"of memory may be used; the token layer of {words} words is kept" in caplog.text
    for each in (store, live):
        assert torch.equal(each.layers(SENTENCES), truth(SENTENCES))


def test_a_limit_counts_what_is_there(
    opened: Opened, free: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    free()
    other = opened(Noting("other"))
    ready(other)
    there = size(other.root)
    ready(opened(), limit=there + BYTES - 1)
    assert not shards_in(opened().folder)
    assert "features: memory, since 0.0 MB are left of 0.0 MB for" in caplog.text
    caplog.clear()
    ready(opened(), limit=1)
    assert "features: memory, since 0.0 MB are left of 0.0 MB for" in caplog.text
    ready(opened(), limit=there + BYTES)
    assert shards_in(opened().folder)


def test_memory_is_short_where_much_is_kept_already(
    opened: Opened, free: Callable[..., None]
) -> None:
    free(disk=0, memory=2 * BYTES)
    store = ready(opened())
    prepare(store, [(*words, "too") for words in SENTENCES], of="test")  # which are longer
    assert store.kept == BYTES


@pytest.mark.parametrize("left", [2 * BYTES, 2 * BYTES - 1])
def test_memory_is_short_where_others_have_taken_it(
    opened: Opened, free: Callable[..., None], left: int
) -> None:
    """Of what is free, half is left: several runs may begin at once on a full disk."""
    free(disk=0, left=left)
    assert ready(opened()).kept == (BYTES if left == 2 * BYTES else 0)


@pytest.mark.parametrize("disk", [0, 1 << 40])
def test_words_are_kept_whichever_way_sentences_are(
    opened: Opened, free: Callable[..., None], disk: int
) -> None:
    """And random numbers are left as they were."""

    class Drawing(WordKeeping):
        def keep_words(self, words: Iterable[str]) -> None:
            torch.rand(3)
            super().keep_words(words)

    free(disk=disk)
    encoder, state = Drawing(), torch.get_rng_state()
    ready(opened(encoder))
    assert set(encoder.kept) == {word for sentence in SENTENCES for word in sentence}
    assert torch.equal(torch.get_rng_state(), state)


def test_where_it_must_be_stored_and_cannot_it_says_why(
    opened: Opened, free: Callable[..., None]
) -> None:
    free(disk=0)
    with pytest.raises(
        StoreError, match=r"0.0 MB are needed for features of train, but 0.0 MB are free"
    ):
        ready(opened(), mode="store")
    assert not opened().root.exists()


def test_live_encodes_whenever_it_is_asked(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    encoder = WordKeeping()
    store = ready(opened(Checked(encoder)), mode="live")
    assert encoder.asked == []
    for _ in range(2):
        assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    assert len(encoder.asked) == 2 * DISTINCT
    assert encoder.kept
    assert "encoded live; the token layer of" in caplog.text
    assert not store.root.exists()


@pytest.fixture
def full_after_three(monkeypatch: pytest.MonkeyPatch, small_shards: int) -> None:
    """The disk is full from the fourth shard on, halfway through it."""
    write, calls = Path.write_bytes, []

    def full(self: Path, content: bytes) -> int:
        if self.name.startswith(".claim"):  # a few bytes
            return write(self, content)
        calls.append(self)
        if len(calls) > 3:
            write(self, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, content)

    monkeypatch.setattr(Path, "write_bytes", full)


def test_a_disk_that_fills_up_on_the_way(
    opened: Opened, full_after_three: None, caplog: pytest.LogCaptureFixture
) -> None:
    encoder = Noting()
    store = ready(opened(encoder))
    assert len(shards_in(store.folder)) == 3
    assert {path.suffix for path in store.folder.iterdir()} == {".safetensors", ""}
    assert "cannot be written: No space left on device" in caplog.text
    assert store.kept > 0
    encoder.asked.clear()
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    assert encoder.asked == []


def test_a_disk_that_fills_up_where_it_must_be_stored(
    opened: Opened, full_after_three: None
) -> None:
    with pytest.raises(StoreError, match="cannot be written: No space left on device"):
        ready(opened(), mode="store")
    assert len(shards_in(opened().folder)) == 3


@pytest.mark.parametrize("disk", [0, 1 << 40])
def test_progress_hears_of_every_token(
    opened: Opened, small_shards: int, free: Callable[..., None], disk: int
) -> None:
    free(disk=disk)
    told: list[int] = []
    done: list[int] = []

    @contextmanager
    def progress(tokens: int) -> Iterator[Advance]:
        told.append(tokens)
        yield done.append

    ready(opened(), progress=progress)
    assert told == [sum(done)] == [sum(map(len, set(SENTENCES)))]
    assert len(done) > 5
