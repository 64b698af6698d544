"""Nearest neighbours of an occurrence: the search against brute force, and the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bench.neighbours import search
from bench.neighbours.__main__ import main
from bench.neighbours.search import Nearest, Occurrence, neighbours
from elmo_core.encoders.random import random_elmo
from tests.bench import verbs
from tests.conftest import TINY_ENCODER
from tests.elmo_core.conftest import TINY

QUERY = Occurrence(("the", "play", "was", "long"), 1)
TEXT = [
    "a play began .",
    "they play in the park .",
    "Play it again .",
    "the play was long",
    "nobody saw a play , a long play .",
    "a play began .",
    "the park was long .",
]
SENTENCES = [line.split() for line in TEXT]


@pytest.fixture(scope="module")
def encoder() -> Any:
    return random_elmo(TINY)


def brute_force(encoder: Any, layer: int, wanted: Callable[[str], bool]) -> list[tuple[Any, float]]:
    """Every distinct occurrence outside the query's sentence, by cosine."""
    (asked,) = encoder.encode([QUERY.sentence])
    found = {}
    for words in SENTENCES:
        (layers,) = encoder.encode([words])
        for place, word in enumerate(words):
            if wanted(word) and tuple(words) != QUERY.sentence:
                cosine = F.cosine_similarity(layers[layer, place], asked[layer, 1], dim=0)
                found[tuple(words), place] = cosine.item()
    return sorted(found.items(), key=lambda item: -item[1])


@pytest.mark.parametrize("tokens", [1, 9, 10_000])
@pytest.mark.parametrize("layer", [0, 1, 2])
@pytest.mark.parametrize("same_word", [False, True])
def test_nearest_by_brute_force_in_batches_of_any_size(
    encoder: Any, tokens: int, layer: int, same_word: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "TOKENS", tokens)
    found = neighbours(encoder, QUERY, SENTENCES, layer=layer, number=4, same_word=same_word)
    expected = brute_force(encoder, layer, lambda word: not same_word or word.lower() == "play")
    assert found.sentences == len(SENTENCES)
    assert [c for c, _ in found.contexts] == pytest.approx([c for _, c in expected[:4]], abs=1e-5)
    if layer:  # layer 0 has the same vector for each occurrence of a word
        assert [(o.sentence, o.place) for _, o in found.contexts] == [
            name for name, _ in expected[:4]
        ]


@pytest.mark.parametrize("same_word", [False, True])
def test_static_neighbours_are_word_types(encoder: Any, same_word: bool) -> None:
    found = neighbours(encoder, QUERY, SENTENCES, layer=2, number=5, same_word=same_word)
    types = sorted({word for words in SENTENCES for word in words} - {"play"})
    rows = encoder.encode([[word] for word in ["play", *types]])
    cosines = F.cosine_similarity(torch.stack([r[0, 0] for r in rows[1:]]), rows[0][0, 0], dim=1)
    expected = sorted(zip(cosines.tolist(), types, strict=True), reverse=True)[:5]
    assert [word for _, word in found.static] == [word for _, word in expected]
    assert [c for c, _ in found.static] == pytest.approx([c for c, _ in expected], abs=1e-5)


def test_same_word_encodes_no_more_than_it_must(encoder: Any) -> None:
    class Counting:
        layers, seen = encoder.layers, 0

        def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
            self.seen += len(sentences)
            return encoder.encode(sentences)

    counting: Any = Counting()
    text = [*SENTENCES, *(["the", "park", "was", "long", "."] for _ in range(50))]
    neighbours(counting, QUERY, text, layer=2, number=2, same_word=True)
    assert counting.seen == 7  # the query, and all but its own sentence and the repeated ones


def test_running_top_k_keeps_distinct_names() -> None:
    torch.manual_seed(0)
    query, vectors = torch.randn(5), torch.randn(300, 5)
    names = [i % 40 for i in range(300)]  # each comes several times, in several batches
    top = Nearest[int](query, 6)
    for start in range(0, 300, 23):
        top.add(names[start : start + 23], vectors[start : start + 23])
    cosines = F.cosine_similarity(vectors, query[None], dim=1).tolist()
    best = {
        name: max(c for c, n in zip(cosines, names, strict=True) if n == name) for name in names
    }
    expected = sorted(best.items(), key=lambda item: -item[1])[:6]
    assert [name for _, name in top.ranked] == [name for name, _ in expected]
    assert [c for c, _ in top.ranked] == pytest.approx([c for _, c in expected], abs=1e-5)


# -- the command line

Said = Callable[..., tuple[int, str, str]]
SAW = ("I saw the saw.", *TINY_ENCODER)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Said:
    """Exit status, output, errors."""
    monkeypatch.setenv("COLUMNS", "120")

    return lambda *words: verbs.said(capsys, main, words)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(TEXT) + "\n")
    return path


def test_contexts_and_words_on_the_console(said: Said, corpus: Path) -> None:
    status, out, _ = said(*SAW, "--word", "saw#2", "--corpus", corpus, "--same-word")
    assert status == 0
    assert "I saw the *saw* ." in out
    assert "nearest of 7 sentences, by random-" in out
    assert "nobody *saw* a play , a long play ." in out
    assert "words, layer 0" in out


def test_json_has_all_of_it(said: Said, corpus: Path) -> None:
    status, out, _ = said(
        *SAW, "--word", "saw#1", "--corpus", corpus, "--top", 3, "--layer", 1, "--json"
    )
    assert status == 0
    found = json.loads(out)
    assert found["tokens"] == ["I", "saw", "the", "saw", "."]
    assert (found["word"], found["place"], found["layer"], found["sentences"]) == ("saw", 1, 1, 7)
    assert len(found["contexts"]) == len(found["static"]) == 3
    for row in found["contexts"]:
        assert row["tokens"][row["place"]] == row["word"]
        assert " ".join(row["tokens"]) in TEXT
    cosines = [row["cosine"] for row in found["contexts"]]
    assert cosines == sorted(cosines, reverse=True)


def test_the_built_in_text_is_searched_without_a_corpus(said: Said) -> None:
    status, out, _ = said(*SAW, "--word", "saw#1", "--same-word", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["sentences"] > 5000
    assert {row["word"].lower() for row in found["contexts"]} == {"saw"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--word", "seen"], "--word seen: not in the sentence, I | saw | the | saw | ."),
        (["--word", "sawn"], "did you mean 'saw'?"),
        (["--word", "saw"], "--word saw: 2 times in the sentence: --word saw#1 or saw#2"),
        (["--word", "saw#3"], "--word saw#3: the sentence has 'saw' 2 times"),
        (["--word", "the", "--layer", "3"], "--layer 3: random-"),
        (["--word", "the", "--corpus", "gone.txt"], "gone.txt: no such file or folder"),
        (["--word", "the", "encoder.sede=1"], "encoder.sede: no such key"),
        (["--word", "the", "elmo.placement=none"], "elmo.placement=none: without an encoder"),
    ],
)
def test_mistakes_are_one_line(said: Said, arguments: list[str], message: str) -> None:
    status, _, error = said(*SAW, *arguments)
    assert status == 2
    assert message in error
    assert len(error.splitlines()) == 1


def test_a_number_of_neighbours_that_is_none(said: Said) -> None:
    status, _, error = said(*SAW, "--word", "the", "--top", "0")
    assert status == 2
    assert error.endswith("argument --top: '0' is not a whole number from 1\n")


def test_a_corpus_without_sentences_or_without_the_word(said: Said, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n\n")
    assert "empty.txt: no sentence in it" in said(*SAW, "--word", "the", "--corpus", empty)[2]
    without = tmp_path / "without.txt"
    without.write_text("Nothing of the kind .\n")
    error = said(*SAW, "--word", "saw#1", "--corpus", without, "--same-word")[2]
    assert "no other 'saw' in it: try without --same-word" in error
    without.write_text("I saw the saw .\n")
    error = said(*SAW, "--word", "saw#1", "--corpus", without)[2]
    assert "no sentence in it but yours, which does not count" in error


def test_a_word_without_a_vector_has_no_neighbours(
    said: Said, corpus: Path, tmp_path: Path
) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("play 1 0\npark 0 1\n")
    words = ("encoder=static", f"encoder.vectors={vectors}", "trainer=cpu", "--corpus", corpus)
    status, _, err = said("A zorgle .", "--word", "zorgle", *words)
    assert status == 2
    assert "zorgle: vectors has no vector for it in layer 0" in err
