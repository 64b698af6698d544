"""A small language to train on, and everything else that these tests share."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core.bilm.options import Options
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import Corpus, Window, encode
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.prepare import Request, prepare
from elmo_core.pretraining.progress import read_log
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.train import train
from elmo_core.pretraining.vocabulary import Vocabulary
from tests.elmo_core.conftest import TINY

EVERY = 3


def sentence(rng: random.Random) -> str:
    noun, verb = rng.choice(["cat", "dog", "bird"]), rng.choice(["sees", "hears"])
    return f"the {noun} {verb} a {rng.choice(['small', 'large'])} {rng.choice(['mouse', 'tree'])} ."


@pytest.fixture(scope="session")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 600 tokenised sentences."""
    rng = random.Random(0)
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("".join(sentence(rng) + "\n" for _ in range(600)))
    return path


@pytest.fixture(scope="session")
def prepared_once(tmp_path_factory: pytest.TempPathFactory, text: Path) -> Path:
    """The folder that `prepare` makes of it; only to be read."""
    out = tmp_path_factory.mktemp("prepared") / "corpus"
    prepare([text], out, Request(heldout=0.3, min_count=1))
    return out


@pytest.fixture
def prepared(prepared_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed at will."""
    return Path(shutil.copytree(prepared_once, tmp_path / "corpus"))


@pytest.fixture(scope="session")
def options() -> Options:
    return Options.parse(TINY)


@pytest.fixture(scope="session")
def training() -> Training:
    return Training(batch_size=8, unroll_steps=5, epochs=0.12, optimizer="adam", learning_rate=0.03)


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Corpus]:
    """Sentences, and the words of the vocabulary → a Corpus."""

    def make(sentences: list[list[str]], words: list[str]) -> Corpus:
        vocabulary = Vocabulary.of(words)
        encode(sentences, vocabulary, tmp_path / "encoded")
        return Corpus(tmp_path / "encoded", vocabulary, 50)

    return make


@pytest.fixture
def run(prepared: Path, options: Options, training: Training) -> Callable[..., None]:
    """Train into a folder, an interval of three steps; changes apply to the training part."""

    def go(out: Path, every: int = EVERY, keep: Sequence[int] = (), **changes: Any) -> None:
        torch.manual_seed(99)  # nothing may depend on what was drawn before
        changed = replace(training, **changes)
        train(prepared, out, options, changed, every=every, keep=keep, accelerator="cpu")

    return go


@pytest.fixture(scope="session")
def trained_once(
    tmp_path_factory: pytest.TempPathFactory,
    prepared_once: Path,
    options: Options,
    training: Training,
) -> Path:
    """What `run` makes without changes; only to be read."""
    out = tmp_path_factory.mktemp("trained") / "out"
    torch.manual_seed(99)
    train(prepared_once, out, options, training, every=EVERY, accelerator="cpu")
    return out


@pytest.fixture
def trained(trained_once: Path) -> Callable[[Path], Path]:
    """`trained(out)`: what `run(out)` does, copied instead of computed."""

    def copy(out: Path) -> Path:
        return Path(shutil.copytree(trained_once, out, dirs_exist_ok=True))

    return copy


class Killed(BaseException):
    """As if the process were gone."""


def stop_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """The process dies in the middle of an interval."""
    original = PretrainingModule.training_step

    def dying(self: PretrainingModule, window: Window, index: int) -> torch.Tensor:
        if self.global_step == step:
            raise Killed
        return original(self, window, index)

    monkeypatch.setattr(PretrainingModule, "training_step", dying)


def state(out: Path) -> dict[str, torch.Tensor]:
    model, _, _ = folder.load(out)
    return model.state_dict()


def table(out: Path) -> list[dict[str, str]]:
    """The training's log, clock times aside."""
    return [{k: v for k, v in row.items() if k != "time"} for row in read_log(out)]


def assert_same(out: Path, whole: Path) -> None:
    assert table(out) == table(whole)
    ours, theirs = state(out), state(whole)
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        assert torch.equal(ours[name], tensor), name


def steps(out: Path) -> int:
    """How many the log says there were."""
    return int(read_log(out)[-1]["step"])
