"""The atlas of an encoder that can be worked out by hand, and the command."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor

from bench.atlas import __main__ as command
from bench.atlas import runs
from bench.atlas.layers import layers, nearest_uses, varied
from bench.atlas.sample import Sample, sample
from tests.bench.made_up import ENCODER, Maker
from tests.conftest import TINY_ENCODER

NOUNS = ("bank", "dog", "tree", "cat", "sun", "sea")
SENTENCES = [tuple(f"the {noun} is old".split()) for noun in NOUNS]


class OneHot:
    """Layer 0 tells words apart, layer 1 places, layer 2 sentences by their nouns."""

    name, layers, dim, fingerprint, parameters = "one-hot", 3, 16, "1", 0

    def to(self, device: torch.device | str) -> OneHot:
        return self

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        eye = torch.eye(self.dim)
        words = ["the", "is", "old", *NOUNS]
        return [
            torch.stack(
                [
                    eye[[words.index(word) for word in s]],
                    eye[: len(s)],
                    eye[[words.index(s[1])] * len(s)],
                ]
            )
            for s in sentences
        ]


@pytest.fixture
def found() -> Sample:
    return sample(OneHot(), [*SENTENCES, *SENTENCES], 100, seed=1)


def test_sentences_are_drawn_once_by_the_seed(found: Sample) -> None:
    assert sorted(found.sentences) == sorted(SENTENCES)
    small = sample(OneHot(), SENTENCES, 3, seed=1)
    assert len(small.sentences) == 3
    assert small.sentences == sample(OneHot(), SENTENCES, 3, seed=1).sentences
    assert small.sentences != sample(OneHot(), SENTENCES, 3, seed=2).sentences


def test_numbers_of_each_layer(found: Sample) -> None:
    """24 uses make 276 pairs. Layer 0: those of `the`, `is` and `old`, 15 each, are alike; layer 1:
    those of each of the four places; layer 2: those of each of the six sentences, 6 each."""
    words, places, nouns = layers(found)
    assert words.anisotropy == pytest.approx(45 / 276)
    assert places.anisotropy == pytest.approx(60 / 276)
    assert nouns.anisotropy == pytest.approx(36 / 276)
    assert words.self_similarity == pytest.approx(1 - 45 / 276)
    assert places.self_similarity == pytest.approx(1 - 60 / 276)
    assert nouns.self_similarity == pytest.approx(0 - 36 / 276)
    assert words.in_sentence == pytest.approx(1 / 2 - 45 / 276)  # four directions: 1 / √4
    assert nouns.in_sentence == pytest.approx(1 - 36 / 276)
    assert nouns.effective_rank == pytest.approx(5)  # six directions, without their mean
    assert places.effective_rank == pytest.approx(3)
    assert math.isnan(nouns.dimension)  # all neighbours are equally far


def test_words_and_their_nearest_uses(found: Sample) -> None:
    assert set(found.by_word) == {"the", "is", "old"}  # the others have one use
    assert set(varied(found, 9)) == {"the", "is", "old"}
    uses = nearest_uses(found, "is")
    assert uses.asked.word == "is"
    assert [round(cosine, 6) for cosine, _ in uses.nearest] == [1, 1, 0]
    assert all(use.sentence != uses.asked.sentence for _, use in uses.nearest)
    with pytest.raises(KeyError):
        nearest_uses(found, "bank")


def test_runs_of_the_encoder_stand_by_layer(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for layers_ in ("0", "1", "all"):
        for seed in (1, 2):
            make.run(placement="input", layers=layers_, seed=seed, shift=1.0)
    make.run(placement="none")
    assert ENCODER.fingerprint is not None
    tables = runs.tables(tmp_path, ENCODER.fingerprint)
    assert list(tables) == ["scores by layer", "learned mixes"]
    scores = tables["scores by layer"]
    assert scores.head == ["task", "chosen", "layer 0", "layer 1", "mix · λ=0.001"]
    ((task, chosen, *cells),) = scores.rows
    assert (task, chosen) == ("snli on mini, test accuracy", "input")
    assert all("(n=2)" in cell for cell in cells)
    assert runs.tables(tmp_path, "another") == {}
    assert runs.tables(tmp_path / "nowhere", ENCODER.fingerprint) == {}


def test_each_penalty_of_the_mix_is_a_column(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for l2 in (10.0, 0.0, 0.1):
        make.run(placement="input", l2=l2)
    assert ENCODER.fingerprint is not None
    scores = runs.tables(tmp_path, ENCODER.fingerprint)["scores by layer"]
    assert scores.head[2:] == ["mix · λ=0", "mix · λ=0.1", "mix · λ=10"]
    (row,) = scores.rows
    assert all(row[2:])


def test_runs_of_one_encoder_by_other_keys_are_other_rows(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for seed in (1, 2):
        run_id = make.run(placement="input", seed=seed)
    config = tmp_path / "snli" / run_id / "config.yaml"
    config.write_text(config.read_text().replace("encoder:\n", "encoder:\n  revision: main\n"))
    assert ENCODER.fingerprint is not None
    rows = runs.tables(tmp_path, ENCODER.fingerprint)["scores by layer"].rows
    assert sorted(row[1] for row in rows) == ["input", "input encoder.revision=main"]
    assert all(row[-1] for row in rows)


def test_trial_runs_are_marked(tmp_path: Path) -> None:
    run_id = Maker(tmp_path).run(placement="input")
    config = tmp_path / "snli" / run_id / "config.yaml"
    config.write_text(config.read_text().replace("limit_batches: null", "limit_batches: 2"))
    assert ENCODER.fingerprint is not None
    ((_, chosen, score),) = runs.tables(tmp_path, ENCODER.fingerprint)["scores by layer"].rows
    assert chosen == "input (a trial)"
    assert score


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"The {noun} is old .\n" for noun in NOUNS))
    return path


def test_one_command_writes_the_page(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    options = ("--text", str(text), "--runs", str(tmp_path / "runs"), "-o", str(out))
    command.main([*TINY_ENCODER, *options])
    shown = capsys.readouterr().out
    assert "# Layers of random-elmo-0" in shown
    assert shown.count("\n| 2 | ") == 4  # the numbers, and three words
    assert "One use of each of the words, made of letters, whose uses are least alike" in shown
    assert "python -m bench -m task=pos encoder=random" in shown
    page = out.read_text()
    assert page.count("<svg ") == 1
    assert "python -m bench -m task=pos" in page
    assert "src=" not in page  # nothing comes from elsewhere
    assert 'href="http' not in page


def test_sentences_and_seed_choose_what_is_looked_at(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def page(*words: str) -> str:
        given = ("--text", str(text), "--runs", str(tmp_path), "-o", str(tmp_path / "page.html"))
        command.main([*TINY_ENCODER, *given, "--word", "is", *words])
        return capsys.readouterr().out

    five = page("--sentences", "5")
    assert "5 sentences of" in five
    assert five == page("--sentences", "5", "--seed", "1")
    other = page("--sentences", "5", "--seed", "2")
    assert other.replace("seed 2", "seed 1") != five


def test_words_that_were_asked_for_are_not_said_to_vary(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--text", str(text), "--runs", str(tmp_path), "-o", str(tmp_path / "page.html"))
    command.main([*TINY_ENCODER, *options, "--word", "old"])
    shown = capsys.readouterr().out
    assert "One use of each word that was asked for" in shown
    assert "least alike" not in shown


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--word", "bank"), "--word bank: in fewer than 5 of 6 sentences"),
        (("--sentences", "0"), "--sentences: '0' is not a whole number from 1"),
        (("-o", "/"), "-o /: is a folder: name a file, such as atlas.html in it"),
        (("encoder=elmo-minni",), "encoder=elmo-minni: unknown; did you mean 'elmo-mini'?"),
        (("elmo.placement=none",), "elmo.placement=none: without an encoder"),
    ],
)
def test_mistakes_are_one_line(
    options: tuple[str, ...], says: str, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main([*TINY_ENCODER[:1], "--text", str(text), *options])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(("count", "end"), [(1, "elmo.layers=0"), (4, "elmo.layers=0,1,2,3,all")])
def test_commands_ask_for_the_layers_that_there_are(count: int, end: str) -> None:
    given = Namespace(overrides=["encoder=static"], runs=Path("runs"))
    assert all(words.endswith(end) for words in command._commands(given, count))
