"""Several processes and one store: killed, at once, one behind the other."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest
import torch
from torch import Tensor

from elmo_core.store import claims
from elmo_core.store.feature_store import FeatureStore, Sentence
from elmo_core.store.files import shards_in
from tests.elmo_core.store.conftest import Noting, by_address, sentences, truth
from tests.processes import wait_for

Opened = Callable[..., FeatureStore]
SENTENCES = sentences(200)
WANTED = by_address(SENTENCES)
FORK = multiprocessing.get_context("fork")  # quick: nothing is imported anew


class Slow(Noting):
    """Takes its time, and notes what it is asked where other processes can read it."""

    def __init__(self, notes: Path, seconds: float) -> None:
        super().__init__()
        self.notes, self.seconds = notes, seconds

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        time.sleep(self.seconds)
        with self.notes.open("a") as file:
            file.writelines(" ".join(words) + "\n" for words in sentences)
        return super().encode(sentences)


def noted(notes: Path) -> list[Sentence]:
    return [tuple(line.split()) for line in notes.read_text().splitlines()]


def start(
    root: Path, notes: Path, wanted: Sequence[Sentence], seconds: float = 0.01
) -> ForkProcess:
    def work() -> None:
        FeatureStore(Slow(notes, seconds), root).fill(by_address(wanted))

    process = FORK.Process(target=work)
    process.start()
    return process


@pytest.mark.usefixtures("small_shards")
def test_killed_it_loses_one_shard(opened: Opened, tmp_path: Path) -> None:
    folder = opened().folder
    process = start(folder.parent, tmp_path / "notes", SENTENCES, seconds=0.05)
    wait_for(lambda: len(shards_in(folder)) >= 4)
    process.kill()
    process.join()
    before = shards_in(folder)
    (folder / ".0123.safetensors.77.tmp").write_bytes(b"half of a shard")
    encoder = Noting()
    store = opened(encoder)
    missing = store.attach(WANTED)
    assert 0 < len(missing) < len(WANTED)
    store.fill(WANTED)
    assert sorted(encoder.asked) == sorted(WANTED[key] for key in missing)
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))
    assert set(before) < set(shards_in(folder))
    assert {path.name for path in folder.iterdir()} - {p.name for p in shards_in(folder)} == {
        ".lock"
    }


@pytest.mark.usefixtures("small_shards")
def test_two_at_once_share_the_work(opened: Opened, tmp_path: Path) -> None:
    """They want different sentences, some the same; none is computed twice."""
    wants = [SENTENCES[:140], SENTENCES[60:]]
    notes = [tmp_path / "first", tmp_path / "second"]
    root = opened().root
    processes = [start(root, note, wanted) for note, wanted in zip(notes, wants, strict=True)]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    asked = [noted(note) for note in notes]
    assert min(map(len, asked)) > len(WANTED) / 10
    assert sorted(asked[0] + asked[1]) == sorted(WANTED.values())
    store = opened()
    assert store.attach(WANTED) == set()
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_what_another_computes_is_waited_for(opened: Opened, tmp_path: Path) -> None:
    process = start(opened().root, tmp_path / "notes", SENTENCES, seconds=0.5)
    wait_for(lambda: list(opened().folder.glob(".claim-*")))
    encoder = Noting()
    store = opened(encoder)
    store.fill(WANTED)
    process.join()
    assert encoder.asked == []
    assert torch.equal(store.layers(SENTENCES), truth(SENTENCES))


def test_whoever_computes_what_is_not_wanted_is_not_waited_for(
    opened: Opened, tmp_path: Path
) -> None:
    others = [(*words, "other") for words in SENTENCES]
    theirs = start(opened().root, tmp_path / "theirs", others, seconds=60)
    wait_for(lambda: len(list(opened().folder.glob(".claim-*"))) == 1)
    ours = start(opened().root, tmp_path / "ours", SENTENCES, seconds=2)
    wait_for(lambda: len(list(opened().folder.glob(".claim-*"))) == 2)
    encoder = Noting()
    opened(encoder).fill(WANTED)
    claimed = len(list(opened().folder.glob(".claim-*")))
    theirs.kill()
    theirs.join()
    ours.join()
    assert (encoder.asked, claimed) == ([], 1)


def test_what_is_finished_in_this_moment_is_not_computed_again(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its shard comes, and its claim goes, while one looks."""
    other = FeatureStore(Noting(), tmp_path / "other")
    other.fill(WANTED)
    (shard,) = shards_in(other.folder)

    def held(folder: Path) -> dict[Path, set[bytes]]:
        shutil.copy(shard, folder)
        return {}

    monkeypatch.setattr(claims, "held", held)
    encoder = Noting()
    opened(encoder).fill(WANTED)
    assert encoder.asked == []


def test_a_claim_that_is_gone_is_not_waited_for(tmp_path: Path) -> None:
    claims.wait(tmp_path / ".claim-0123")


def test_what_another_leaves_behind_is_taken_over(opened: Opened, tmp_path: Path) -> None:
    process = start(opened().root, tmp_path / "notes", SENTENCES, seconds=60)
    wait_for(lambda: list(opened().folder.glob(".claim-*")))
    pid = process.pid
    assert pid is not None

    def kill() -> None:
        time.sleep(0.2)
        os.kill(pid, signal.SIGKILL)

    killer = FORK.Process(target=kill)
    killer.start()
    encoder = Noting()
    opened(encoder).fill(WANTED)  # waits, until the other is gone
    process.join()
    killer.join()
    assert sorted(encoder.asked) == sorted(WANTED.values())
