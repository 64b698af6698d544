"""`python -m bench.features stats`, `verify` and `prune`: what looks after the store."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from bench import features
from elmo_core.encoders.random import random_elmo
from elmo_core.store.claims import claim
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import KEY, shards_in
from elmo_core.store.prepare import prepare
from tests.bench.verbs import said
from tests.elmo_core.conftest import TINY

Verb = Callable[..., tuple[int, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "features"


@pytest.fixture
def verb(capsys: pytest.CaptureFixture[str], root: Path) -> Verb:
    """`verb("stats")`: exit status, and what was said."""

    def call(name: str, *arguments: str) -> tuple[int, str]:
        status, out, err = said(capsys, features.main, [name, "--dir", root, *arguments])
        return status, out + err

    return call


@pytest.fixture
def filled(root: Path) -> Path:
    """What is stored of one encoder."""
    store = FeatureStore(random_elmo(TINY), root)
    prepare(store, [["a", "b", "c"], ["d"]], of="three words and one")
    prepare(store, [["e", "f"]], of="two more")
    return store.folder


def test_what_lies_behind_a_link_is_thrown_away_with_it(
    filled: Path, verb: Verb, tmp_path: Path
) -> None:
    there = filled.rename(tmp_path / "elsewhere")
    filled.symlink_to(there)
    assert verb("prune", "--all", "--yes")[0] == 0
    assert not there.exists()
    assert not filled.is_symlink()


def test_stats(filled: Path, verb: Verb) -> None:
    status, shown = verb("stats")
    assert status == 0
    for words in ("random-elmo-0", "float32", "3       6", "today"):
        assert words in shown
    (filled / "x.safetensors").write_bytes(b"nothing")
    assert "1 of 3 shards cannot be read" in verb("stats")[1]


def test_verify_reports_and_removes(filled: Path, verb: Verb) -> None:
    count = len(shards_in(filled))
    assert verb("verify") == (0, f"{count} shards, all whole\n")
    shard = shards_in(filled)[-1]
    shard.write_bytes(shard.read_bytes()[:-1])
    status, shown = verb("verify")
    assert status == 2
    assert f"{shard}: damaged" in shown
    assert not shard.exists()
    (filled / "kept.safetensors").mkdir()  # of somebody's, and no shard
    assert verb("verify") == (0, f"{count - 1} shards, all whole\n")


def test_prune(filled: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "prune what?" in verb("prune")[1]
    assert "random-elmo-0" in verb("prune", "--encoder", "nobody")[1]
    assert "nothing to throw away" in verb("prune", "--idle", "1")[1]
    for wrong in ("-1", "0", "nan", "inf", "month"):
        status, shown = verb("prune", "--idle", wrong, "--yes")
        assert (status, f"'{wrong}' is not a number of days above 0" in shown) == (2, True)
    status, shown = verb("prune", "--all")  # standard input is no terminal
    assert (status, "--yes" in shown) == (2, True)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "")
    assert verb("prune", "--all") == (0, "")
    assert filled.exists()
    month_ago = time.time() - 30 * 86_400
    os.utime(filled, (month_ago, month_ago))
    assert "30 days ago" in verb("stats")[1]
    status, shown = verb("prune", "--idle", "29", "--yes")
    assert (status, "thrown away" in shown) == (0, True)
    assert not filled.exists()
    assert "nothing is stored" in verb("stats")[1]


def test_an_encoder_is_named_by_its_name_or_its_fingerprints_beginning(
    filled: Path, verb: Verb, root: Path
) -> None:
    other = random_elmo(TINY, seed=1)
    prepare(FeatureStore(other, root), [["g", "h"]], of="one of another encoder")
    (theirs,) = set(root.iterdir()) - {filled}
    count, both = len(shards_in(filled)), len(shards_in(filled)) + len(shards_in(theirs))
    assert verb("verify") == (0, f"{both} shards, all whole\n")
    assert verb("verify", "--encoder", "random-elmo-0") == (0, f"{count} shards, all whole\n")
    month_ago = time.time() - 30 * 86_400
    os.utime(theirs, (month_ago, month_ago))
    fresh = ("--encoder", "random-elmo-0", "--idle", "29", "--yes")
    assert verb("prune", *fresh) == (0, "nothing to throw away\n")
    assert "thrown away" in verb("prune", "--encoder", "random-elmo-0", "--yes")[1]
    assert list(root.iterdir()) == [theirs]
    idle = ("--encoder", str(other.fingerprint)[:12], "--idle", "29", "--yes")
    assert "thrown away" in verb("prune", *idle)[1]
    assert not theirs.exists()


def test_prune_leaves_alone_what_is_being_filled_by_the_time_of_the_answer(
    filled: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as filling:

        def answer(question: str) -> str:
            filling.enter_context(claim(filled, [bytes(KEY)]))
            return "y"

        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr("builtins.input", answer)
        status, shown = verb("prune", "--all")
        assert (status, "being filled, left alone" in shown) == (0, True)
    assert "thrown away" in verb("prune", "--all", "--yes")[1]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["stats"], "random-elmo-0"),
        (["verify"], "all whole"),
        (["prune", "--all", "--yes"], "away"),
    ],
)
def test_looking_after_it_needs_no_torch(words: list[str], expected: str, root: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bench.features", *words, "--dir", str(root)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert expected in shown.stdout
    assert " torch\n" not in shown.stderr


def test_what_others_keep_there_is_left_alone(root: Path, verb: Verb) -> None:
    weights = root / "my-bilm" / "encoder.safetensors"
    weights.parent.mkdir(parents=True)
    save_file({"w": np.ones(4, np.float32)}, weights)
    for words in (["stats"], ["verify"], ["prune", "--all", "--yes"]):
        assert verb(*words)[0] == 0
    assert weights.exists()
