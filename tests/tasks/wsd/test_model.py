"""Word senses: averages, the neighbour search, and what the task makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from torch import Tensor

from elmo_core import Placement
from tasks.task import DataError
from tasks.wsd.model import SenseAverages, span_means
from tasks.wsd.score import score
from tasks.wsd.task import WSD
from tests.tasks.wsd.wsd_set import MONEY, RIVER, SAT, TAKE


def test_span_means() -> None:
    x = torch.randn(2, 5, 3)
    spans = torch.tensor([[[0, 1], [1, 4]], [[2, 5], [0, 0]]])
    expected = torch.stack(
        [
            torch.stack([x[0, 0], x[0, 1:4].mean(0)]),
            torch.stack([x[1, 2:].mean(0), torch.zeros(3)]),
        ]
    )
    assert torch.allclose(span_means(x, spans), expected, atol=1e-6)


@pytest.fixture
def task(wsd_folder: Path) -> WSD:
    task = WSD(data="open", folder=str(wsd_folder))
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    return task


def trained(task: WSD, batches: list[list[int]], layers: Tensor) -> SenseAverages:
    train = task.load("train")
    assert train is not None
    model = task.model(Placement("input", 3, 6, choice="all", dropout=0.9))
    assert isinstance(model, SenseAverages)
    for batch in batches:
        examples = [train[i] for i in batch]
        model(task.collate(examples), layers[batch][:, :, : max(map(task.size, examples))])
    return model.eval()


def test_averages_of_senses(task: WSD) -> None:
    """Nothing is learned: the mix is the mean. Two keys: the vector counts for both."""
    layers = torch.randn(2, 3, 7, 6)
    layers[1, :, 6:] = 0
    x = layers.mean(1)
    money = x[1, 1:4].mean(0)
    expected = {SAT: x[0, 1], RIVER: x[0, 4] + money, MONEY: money, TAKE: x[1, 4:].sum(0) / 2}
    for batches in ([[0, 1]], [[0], [1]], [[1], [0]]):
        model = trained(task, batches, layers)
        assert not any(p.requires_grad for p in model.parameters())
        for key, vector in expected.items():
            assert torch.allclose(model.sums[task.keys.index(key)], vector, atol=1e-6), key
        assert model.counts[task.keys.index(RIVER)] == 2


def test_half_precision_changes_nothing(task: WSD) -> None:
    layers = torch.randn(2, 3, 7, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = trained(task, [[0, 1]], layers)
    assert torch.equal(half.sums, trained(task, [[0, 1]], layers).sums)


def test_evaluation_adds_nothing(task: WSD) -> None:
    layers = torch.randn(2, 3, 7, 6)
    model = trained(task, [[0, 1]], layers)
    before = model.sums.clone()
    dev = task.load("dev")
    assert dev is not None
    model(task.collate([dev[0]]), torch.randn(1, 3, 2, 6))
    assert torch.equal(model.sums, before)


def test_instances_take_the_nearest_sense_or_the_first(task: WSD) -> None:
    """A lemma that training did not show: the inventory's first sense, or no answer."""
    layers = torch.randn(2, 3, 7, 6)
    model = trained(task, [[0, 1]], layers)
    test = task.load("test")
    assert test is not None
    examples = [test[0], test[1]]
    given = torch.zeros(2, 3, 2, 6)
    given[0, :, 0] = 5 * model.sums[task.keys.index(MONEY)]
    output = model(task.collate(examples), given)
    rows = task.predict(output, examples)
    assert [row["prediction"] for row in rows] == [[[MONEY], [SAT]], [["long%3:00:02::"], []]]
    assert rows[0]["similarity"][0] == pytest.approx(1, abs=1e-5)
    assert rows[1]["similarity"] == [None, None]
    found = task.score(rows)
    assert found["precision"] == pytest.approx(200 / 3)
    assert found["recall"] == found["f1/senseval2"] == pytest.approx(50)


@pytest.mark.parametrize(("space", "sense"), [("raw", 0), ("centred", 1), ("whitened", 1)])
def test_a_common_direction_hides_the_sense(space: str, sense: int) -> None:
    """Two senses that differ in how far they lie from 0 on the side where all vectors are."""
    model = SenseAverages(Placement("input", 1, 2, choice="all", dropout=0.0), 2, space)
    x = torch.tensor([[[40.0, 1.1], [40.0, 0.9], [60.0, 1.1], [60.0, 0.9], [60.0, 1.5]]])
    spans = torch.tensor([[[place, place + 1] for place in range(5)]])
    senses, either = torch.tensor([[[0], [0], [1], [1]]]), torch.tensor([[[0, 1]] * 5])
    train = {"mask": torch.ones(1, 5).bool(), "spans": spans[:, :4], "senses": senses}
    model({**train, "candidates": either[:, :4]}, x.unsqueeze(1))
    asked = {**train, "spans": spans[:, 4:], "candidates": either[:, 4:]}
    assert model.eval()(asked, x.unsqueeze(1))["nearest"].tolist() == [[sense]]


def test_a_sense_that_was_never_shown_is_not_taken() -> None:
    model = SenseAverages(Placement("input", 1, 2, choice="all", dropout=0.0), 2)
    x, mask = torch.tensor([[[[1.0, 0.0]]]]), torch.ones(1, 1).bool()
    given = {"mask": mask, "spans": torch.tensor([[[0, 1]]]), "senses": torch.tensor([[[1]]])}
    given["candidates"] = torch.tensor([[[0, 1]]])
    model(given, x)
    found = model.eval()(given, -x)  # further from the one sense than from nothing
    assert (found["nearest"].item(), found["similarity"].item()) == (1, pytest.approx(-1))


def test_every_second_document_is_held_out(wsd_folder: Path) -> None:
    task = WSD(data="open", folder=str(wsd_folder), held_out=2)
    train, dev, test = (task.load(split) for split in ("train", "dev", "test"))
    assert train is not None
    assert dev is not None
    assert test is not None
    assert [row["id"] for row in train] == ["semcor.d000.s000"]
    assert [row["id"] for row in dev] == ["semcor.d001.s000"]
    assert {row["set"] for row in test} == {"senseval2", "semeval2015"}  # as without
    assert task.paths("train") == task.paths("dev")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"space": "white"}, "space=white: unknown"),
        ({"held_out": 1}, "held_out=1: must be 2 or more"),
    ],
)
def test_keys_out_of_range_are_told(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        WSD(**keys)


def test_without_an_encoder_all_take_the_first_sense(task: WSD) -> None:
    dev, train = task.load("dev"), task.load("train")
    assert dev is not None
    assert train is not None
    model = task.model(Placement("none", 0, 0))
    model(task.collate([train[0], train[1]]), None)
    rows = task.predict(model.eval()(task.collate([dev[0]]), None), [dev[0]])
    assert rows[0]["prediction"] == [[RIVER], [SAT]]


def test_yardsticks(task: WSD) -> None:
    """Of bank, the river is the first sense, and the more frequent one; sit has one sense."""
    train, test = task.load("train"), task.load("test")
    assert train is not None
    assert test is not None
    found = task.yardsticks(train, test)
    expected = score(
        [senses for row in test for senses in row["senses"]],
        [[RIVER], [SAT], ["long%3:00:02::"], []],
        ["s"] * 4,
    )["f1"]
    assert found == pytest.approx(dict.fromkeys(("first sense", "most frequent sense"), expected))


def test_the_most_frequent_sense_is_trainings(task: WSD) -> None:
    """It need not be the first of the inventory, which stands in for lemmas training lacks."""
    money = {"lemmas": ["bank#n"], "senses": [[MONEY]]}
    train = Dataset.from_list([money, {**money, "senses": [[RIVER]]}, money])
    split = Dataset.from_list(
        [{**money, "set": "s"}, {"lemmas": ["sit#v"], "senses": [[SAT]], "set": "s"}]
    )
    found = task.yardsticks(train, split)
    assert found == {"first sense": 50.0, "most frequent sense": 100.0}


def test_new_text_says_what_is_wrong(task: WSD) -> None:
    found = task.parse(
        {"text": "He took a long walk", "word": "took", "pos": "VERB", "lemma": "Take"}
    )
    assert (found["lemmas"], found["spans"]) == (["take#v"], [[1, 2]])
    for given, says in (
        ({"text": "He took", "pos": "VERB", "word": "take"}, "word: 'take' is neither"),
        ({"text": "He took", "pos": "V", "word": 1}, "pos: 'V' is unknown"),
        ({"text": "He took", "word": 1}, "needs the field 'pos'"),
    ):
        with pytest.raises(DataError, match=says):
            task.parse(given)


def test_the_sentences_of_a_text_belong_together() -> None:
    assert WSD().cluster({"id": "senseval2.d001.s012"}) == "senseval2.d001"
