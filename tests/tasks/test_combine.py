"""Task.combine: what several models say together, against sums by hand and brute force."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from typing import Any

import pytest
import torch
from torch import Tensor

from tasks.coref import Coref
from tasks.formats.tags import convert, follows
from tasks.ner import NER
from tasks.nn.crf import CRF
from tasks.pos import POS
from tasks.snli import SNLI
from tasks.squad import SQuAD
from tasks.srl import SRL
from tasks.sst5 import SST5
from tasks.task import NotCombinable, Task

MODELS, TOKENS = 3, 4
WORDS = {"words": ["a"], "dim": 2}


@pytest.fixture
def drawn() -> torch.Generator:
    return torch.Generator().manual_seed(7)


@pytest.mark.parametrize("kind", [SNLI, SST5])
def test_classes_have_the_mean_of_their_probabilities(
    kind: type[SNLI] | type[SST5], drawn: torch.Generator
) -> None:
    task = kind()
    logits = [3 * torch.randn(2, len(task.labels), generator=drawn) for _ in range(MODELS)]
    rows = task.predict(task.combine([{"logits": x} for x in logits]), [_labelled(task)] * 2)
    for i, row in enumerate(rows):
        shares = [x[i].softmax(0).tolist() for x in logits]
        expected = [sum(share) / MODELS for share in zip(*shares, strict=True)]
        assert list(row["probabilities"].values()) == pytest.approx(expected, abs=1e-6)
        assert row["prediction"] == task.labels[expected.index(max(expected))]


def _labelled(task: Any) -> dict[str, Any]:
    return {"id": "1", "label": task.labels[0]}


def test_the_mean_of_probabilities_is_no_majority() -> None:
    """Two models are hardly for the second class, one is sure of the first."""
    task = SNLI()
    logits = torch.tensor([[0.0, 0.1, -9.0], [0.0, 0.1, -9.0], [5.0, 0.0, -9.0]])
    output = task.combine([{"logits": row[None]} for row in logits])
    assert task.predict(output, [_labelled(task)])[0]["prediction"] == task.labels[0]


def test_a_words_tag_has_the_mean_of_its_probabilities(drawn: torch.Generator) -> None:
    task = POS()
    task.tags = ["DT", "NN", "VB"]
    logits = [3 * torch.randn(1, 2, 3, generator=drawn) for _ in range(MODELS)]
    example = {"id": "1", "tokens": ["a", "man"], "tags": ["DT", "NN"]}
    (row,) = task.predict(task.combine([{"logits": x} for x in logits]), [example])
    best = sum(x[0].softmax(1) for x in logits).argmax(1).tolist()
    assert row["prediction"] == [task.tags[i] for i in best]


def _paths(tags: list[str], scheme: str) -> list[tuple[int, ...]]:
    """All valid tag sequences, as numbers."""

    def valid(path: tuple[int, ...]) -> bool:
        names = [None, *(tags[i] for i in path), None]
        return all(follows(a, b, scheme) for a, b in pairwise(names))

    return [path for path in product(range(len(tags)), repeat=TOKENS) if valid(path)]


@pytest.mark.parametrize("seed", range(4))
def test_named_entities_are_the_best_path_of_the_summed_potentials(seed: int) -> None:
    torch.manual_seed(seed)
    task = NER(scheme="bioes")
    task.restore({**WORDS, "kinds": ["LOC", "PER"]})
    tags = list(task.labels)
    outputs = [_chain(tags) for _ in range(MODELS)]

    def score(path: tuple[int, ...]) -> float:
        return sum(
            (o["start"][path[0]] + o["end"][path[-1]]).item()
            + sum(o["emissions"][0, t, tag].item() for t, tag in enumerate(path))
            + sum(o["transitions"][step].item() for step in pairwise(path))
            for o in outputs
        )

    best = max(_paths(tags, "bioes"), key=score)
    example = {"id": "1", "tokens": ["x"] * TOKENS, "tags": ["O"] * TOKENS}
    (row,) = task.predict(task.combine(outputs), [example])
    assert row["prediction"] == convert([tags[i] for i in best], "bioes", "bio")


def _chain(tags: list[str]) -> dict[str, Tensor]:
    crf = CRF(tags, partial(follows, scheme="bioes"))
    transitions, start, end = (scores.detach() for scores in crf.chain())
    return {
        "emissions": torch.randn(1, TOKENS, len(tags)),
        "mask": torch.ones(1, TOKENS, dtype=torch.bool),
        "transitions": 3 * transitions,
        "start": 3 * start,
        "end": 3 * end,
    }


def test_roles_are_the_best_path_of_the_summed_log_probabilities(drawn: torch.Generator) -> None:
    task = SRL()
    task.restore({**WORDS, "roles": ["A0", "A1"]})
    tags = list(task.labels)
    mask = torch.ones(1, TOKENS, dtype=torch.bool)
    logits = [2 * torch.randn(1, TOKENS, len(tags), generator=drawn) for _ in range(MODELS)]

    def score(path: tuple[int, ...]) -> float:
        return sum(x[0, t].log_softmax(0)[tag].item() for x in logits for t, tag in enumerate(path))

    best = max(_paths(tags, "bio"), key=score)
    example = {"id": "1", "words": ["x"] * TOKENS, "predicate": 0, "tags": ["O"] * TOKENS}
    (row,) = task.predict(task.combine([{"logits": x, "mask": mask} for x in logits]), [example])
    assert row["prediction"] == [tags[i] for i in best]
    assert 0 < row["confidence"] < 1


def test_answers_are_the_span_of_the_highest_summed_score(drawn: torch.Generator) -> None:
    task = SQuAD(longest_answer=2)
    scores = 2 * torch.randn(MODELS, 2, 1, TOKENS, generator=drawn)
    ends = [{"start": s.log_softmax(1), "end": e.log_softmax(1)} for s, e in scores]
    spans = [(i, j) for i in range(TOKENS) for j in range(i, min(i + 2, TOKENS))]

    def score(span: tuple[int, int]) -> float:
        return sum(o["start"][0, span[0]].item() + o["end"][0, span[1]].item() for o in ends)

    places = {"starts": [0, 2, 4, 6], "ends": [1, 3, 5, 7]}
    example = {"id": "1", "context": "a b c d", "answers": ["a"], **places}
    together = task.combine(ends)
    assert [together[end].exp().sum().item() for end in ends[0]] == pytest.approx([1, 1])
    (row,) = task.predict(together, [example])
    ranked = sorted(spans, key=score, reverse=True)
    assert [(s[0] // 2, (s[1] - 1) // 2) for s in row["spans"]] == ranked
    assert 0 < row["probability"] < 1


def test_padding_stays_out() -> None:
    """−inf in all models is −inf together, not NaN."""
    row = torch.tensor([[0.5, 0.5, 0.0]]).log()
    together = SQuAD().combine([{"start": row, "end": row}] * 2)
    assert together["start"].exp().tolist() == [[0.5, 0.5, 0.0]]


def test_coreference_refuses_with_the_reason() -> None:
    with pytest.raises(NotCombinable, match="each model keeps mentions of its own"):
        Coref().combine([{}, {}])


def test_a_task_that_says_nothing_refuses() -> None:
    with pytest.raises(NotCombinable, match="does not say how"):
        Task.combine(SNLI(), [{}, {}])
