"""What every task promises (tasks/task.py), checked for every task found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hydra.utils import get_class

import tasks
from bench.config import CONF
from bench.report import compare
from bench.run.build import task_of
from bench.run.predictions import predictions
from elmo_core import PLACEMENTS, Placement
from tasks.task import DataError, Task
from tests.tasks.every_task import DIM, LAYERS, Configured, names, some_layers

placements = pytest.mark.parametrize("where", PLACEMENTS)


def learns(model: torch.nn.Module) -> bool:
    """By gradient."""
    return any(p.requires_grad for p in model.parameters())


@names
def test_has_a_configuration_and_a_card(name: str) -> None:
    assert (CONF / "task" / f"{name}.yaml").is_file()
    assert (Path(tasks.__file__).parent / name / "README.md").is_file()


@names
def test_splits_have_unique_ids(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, _ = ready(name)
    for split in ("train", "dev", "test"):
        ids = list(task.load(split)["id"])
        assert ids
        assert len(set(ids)) == len(ids)


@names
@placements
def test_learns_and_predicts_in_every_placement(
    name: str, where: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, train = ready(name)
    examples = [train[i] for i in range(4)]
    placement = Placement(where, LAYERS, DIM)
    model = task.model(placement)
    layers = some_layers(task, examples) if placement.active else None
    output = model(task.collate(examples), layers)
    if learns(model):
        output["loss"].backward()
        unused = [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]
        assert unused == []
        for mix in placement.mixes.values():
            assert mix.gamma.grad.abs() > 0
    else:
        assert "loss" not in output
        assert not placement.active or any(buffer.any() for buffer in model.buffers())
    rows = task.predict(output, examples)
    assert [row["id"] for row in rows] == [example["id"] for example in examples]
    json.dumps(rows)
    assert task.metric in task.score(rows)


@names
def test_predictions_name_the_cluster_of_each_example(
    name: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, _ = ready(name)
    dev = task.load("dev")
    clusters = [task.cluster(example) for example in dev]
    assert all(isinstance(cluster, str) and cluster for cluster in clusters)
    assert 1 < len(set(clusters)) <= len(dev)
    examples = [dev[i] for i in range(4)]
    with torch.no_grad():
        output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    rows = predictions(task, output, examples)
    assert [row["cluster"] for row in rows] == clusters[:4]
    assert [row["id"] for row in rows] == [example["id"] for example in examples]


@names
def test_a_prediction_is_drawn_and_sliced(
    name: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, _ = ready(name)
    dev = task.load("dev")
    examples = [dev[i] for i in range(8)]
    with torch.no_grad():
        output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    for row, example in zip(predictions(task, output, examples), examples, strict=True):
        assert row["slices"]["length"] == task.size(example)
        assert all(type(value) in (str, int) for value in row["slices"].values())
        assert list(row["drawn"]) == ["text", "gold", "prediction"]
        assert all(isinstance(words, str) for words in row["drawn"].values())
        assert example_words(task, example) & set(row["drawn"]["text"].split())
        if row["prediction"] != row["gold"]:
            right = task.drawn(example, {**row, "prediction": row["gold"]})
            assert right["prediction"] != row["drawn"]["prediction"]


def example_words(task: Task, example: Any) -> set[str]:
    return {word for sentence in task.sentences(example) for word in sentence}


@names
def test_gold_scores_full_marks(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, _ = ready(name)
    dev = task.load("dev")
    examples = [dev[i] for i in range(32)]
    with torch.no_grad():
        output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    rows = task.predict(output, examples)
    right = [{**row, "prediction": row["gold"]} for row in rows]
    assert task.score(right)[task.metric] == pytest.approx(100)
    if task.counts(rows[0]) is not None:
        sums = np.array([task.counts(row) for row in rows], dtype=float).sum(axis=0)
        assert float(task.from_counts(sums)) == pytest.approx(task.score(rows)[task.metric])


@names
def test_a_report_counts_as_the_task_does(name: str, configured: Configured) -> None:
    """Wherever its package says that the counts are, so that a report needs no torch."""
    target = configured(f"task={name}").task._target_
    kind = get_class(target)
    assert compare.count_functions(target) == (kind.counts, kind.from_counts)


@names
def test_the_yaml_says_the_defaults_and_all_of_them(name: str, configured: Configured) -> None:
    cfg = configured(f"task={name}").task
    kind, keys = get_class(cfg._target_), cfg.keys() - {"name", "_target_"}
    own = {key: each for key, each in signature(kind).parameters.items() if key in keys}
    assert keys == own.keys() | {field.name for field in fields(kind.sizes_type)}
    assert all(each.default == cfg[key] for key, each in own.items())
    assert kind(**{key: cfg[key] for key in keys}).sizes == kind.sizes_type() == kind().sizes


@names
def test_a_mistyped_key_is_told_with_what_was_meant(name: str, configured: Configured) -> None:
    cfg = configured(f"task={name}").task
    kind = get_class(cfg._target_)
    for key in cfg.keys() - {"name", "_target_"}:
        with pytest.raises(
            TypeError, match=rf"^task\.{key}x: no such key; did you mean '{key}'\?$"
        ):
            kind(**{f"{key}x": cfg[key]})


@names
def test_what_stands_beside_an_example_does_not_matter(
    name: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, train = ready(name)
    examples = sorted((train[i] for i in range(6)), key=task.size)
    model = task.model(Placement("input+output", LAYERS, DIM, layer_norm=True)).eval()
    with torch.no_grad():
        together = task.predict(
            model(task.collate(examples), some_layers(task, examples)), examples
        )
        first, count = examples[:1], len(task.sentences(examples[0]))
        layers = some_layers(task, examples)[:count, :, : task.size(examples[0])]
        alone = task.predict(model(task.collate(first), layers), first)
    assert alone[0]["prediction"] == together[0]["prediction"]
    assert _numbers(alone[0]) == pytest.approx(_numbers(together[0]), abs=1e-5)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [n for item in value.values() for n in _numbers(item)]
    if isinstance(value, list):
        return [n for item in value for n in _numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


@names
def test_vocabulary_comes_back(
    name: str, configured: Configured, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, train = ready(name)
    again = task_of(configured(f"task={name}", "data=mini"))
    again.restore(json.loads(json.dumps(task.vocabulary())))
    examples = [train[i] for i in range(8)]
    for key, tensor in task.collate(examples).items():
        assert torch.equal(again.collate(examples)[key], tensor)
    shapes = {k: v.shape for k, v in task.model(Placement("none", 0, 0)).state_dict().items()}
    restored = again.model(Placement("none", 0, 0)).state_dict()
    assert {k: v.shape for k, v in restored.items()} == shapes


@names
def test_labels_have_names_and_get_others(
    name: str, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    task, train = ready(name)
    examples = [train[i] for i in range(16)]
    gold = {label for example in examples for label in task.gold_labels(example)}
    assert gold <= set(task.label_names)
    assert bool(gold) == bool(task.label_names)
    with torch.no_grad():
        output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    rows = [{**row, "prediction": row["gold"]} for row in task.predict(output, examples)]
    assert [task.renamed(row, {}) for row in rows] == rows
    other = {label: f"{label}x" for label in gold}
    renamed = [task.renamed(row, other) for row in rows]
    assert (renamed != rows) == bool(gold)
    assert task.score(renamed)[task.metric] == pytest.approx(task.score(rows)[task.metric])


@names
def test_new_text_is_predicted_on(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, _ = ready(name)
    given = json.loads(json.dumps(task.example_input))  # as it comes from a user
    examples = [{**task.parse(given), "id": "1"}]
    model = task.model(Placement("none", 0, 0)).eval()
    with torch.no_grad():
        rows = task.predict(model(task.collate(examples), None), examples)
    assert rows[0]["id"] == "1"
    for key in given:
        with pytest.raises(DataError, match=key):
            task.parse({other: given[other] for other in given if other != key})


QUICK = {
    "squad": ["hidden=16"],
    "snli": ["hidden=16", "word_dim=8"],
    "srl": ["hidden=32", "layers=2"],
    "ner": ["hidden=[32,32]", "char_filters=16"],
    "sst5": ["hidden=32", "word_dim=32"],
}
"""Sizes at which a step takes milliseconds; the others' own are small enough."""


@names
def test_overfits_sixteen_examples(
    name: str, configured: Configured, ready: Callable[[str], tuple[Task, Any]]
) -> None:
    """The model can learn: with dropout off, 16 examples are soon known by heart. One that has
    nothing to learn by gradient has them from the encoder's vectors, which it is given."""
    if (Path(__file__).parent / name / "test_overfit.py").is_file():
        pytest.skip("it has a test of its own for this")
    prepared, train = ready(name)
    sizes = (f"task.{size}" for size in QUICK.get(name, ()))
    task = task_of(configured(f"task={name}", "data=mini", *sizes))
    task.restore(prepared.vocabulary())
    examples = [train[i] for i in range(16)]
    torch.manual_seed(0)
    model, layers = task.model(Placement("none", 0, 0)), None
    if not learns(model):
        layers = some_layers(task, examples, dim=64)
        model = task.model(Placement("input", LAYERS, 64))
    for module in model.modules():
        if hasattr(module, "p"):
            module.p = 0.0
    batch = task.collate(examples)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=1e-2) if trained else None
    for step in range(61):
        output = model(batch, layers)
        if step % 5 == 0:  # for some tasks this takes as long as a step
            score = task.score(task.predict(output, examples))[task.metric]
            if score >= 99:
                return
        if optimizer is not None:
            optimizer.zero_grad()
            output["loss"].backward()
            optimizer.step()
    pytest.fail(f"{score:.1f}, not 99, after 60 steps")


@names
def test_yardsticks_are_scores(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, train = ready(name)
    yardsticks = task.yardsticks(train, task.load("dev"))
    assert yardsticks
    assert all(0 <= value <= 100 for value in yardsticks.values())
