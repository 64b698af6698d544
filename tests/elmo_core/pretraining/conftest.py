"""A small language to train on, and everything else that these tests share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core.bilm.options import Options
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import Corpus, encode
from elmo_core.pretraining.prepare import Request, prepare
from elmo_core.pretraining.progress import read_log
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.train import train
from elmo_core.pretraining.vocabulary import Vocabulary

EVERY = 3


def sentence(rng: random.Random) -> str:
    noun, verb = rng.choice(["cat", "dog", "bird"]), rng.choice(["sees", "hears"])
    return f"the {noun} {verb} a {rng.choice(['small', 'large'])} {rng.choice(['mouse', 'tree'])} ."


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A file of 600 tokenised sentences."""
    rng = random.Random(0)
    path = tmp_path / "text.txt"
    path.write_text("".join(sentence(rng) + "\n" for _ in range(600)))
    return path


@pytest.fixture
def prepared(tmp_path: Path, text: Path) -> Path:
    """The folder that `prepare` makes of it."""
    prepare([text], tmp_path / "corpus", Request(heldout=0.3, min_count=1))
    return tmp_path / "corpus"


@pytest.fixture
def options(tiny_options: dict[str, Any]) -> Options:
    return Options.parse(tiny_options)


@pytest.fixture
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


def state(out: Path) -> dict[str, torch.Tensor]:
    model, _, _ = folder.load(out)
    return model.state_dict()


def steps(out: Path) -> int:
    """How many the log says there were."""
    return int(read_log(out)[-1]["step"])
