"""What every task promises (tasks/task.py), checked for every task found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

import tasks
from bench.config import CONF
from elmo_core import PLACEMENTS, Placement
from tasks.task import DataError, Task

LAYERS, DIM = 3, 6
names = pytest.mark.parametrize("name", tasks.names())
placements = pytest.mark.parametrize("where", PLACEMENTS)
Configured = Callable[..., DictConfig]


def build(cfg: DictConfig, **changes: Any) -> Task:
    return instantiate({k: v for k, v in cfg.task.items() if k != "name"}, **changes)


@pytest.fixture(scope="module")
def ready(configured: Configured) -> Callable[[str], tuple[Task, Any]]:
    """A task of the built-in data, prepared once, and its training split."""
    made: dict[str, tuple[Task, Any]] = {}

    def get(name: str) -> tuple[Task, Any]:
        if name not in made:
            task = build(configured(f"task={name}", "data=mini"))
            train = task.load("train")
            task.prepare(train)
            made[name] = task, train
        return made[name]

    return get


def some_layers(task: Task, examples: list[Any], dim: int = DIM) -> torch.Tensor:
    sentences = [s for example in examples for s in task.sentences(example)]
    generator = torch.Generator().manual_seed(0)
    longest = max(map(len, sentences))
    layers = torch.randn(len(sentences), LAYERS, longest, dim, generator=generator)
    for row, sentence in zip(layers, sentences, strict=True):
        row[:, len(sentence) :] = 0
    return layers


def learns(model: torch.nn.Module) -> bool:
    """By gradient."""
    return any(p.requires_grad for p in model.parameters())


ELSEWHERE = {"coref": "test_coref_overfit.py (slow): its loss does not miss what pruning loses"}


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
def test_gold_scores_full_marks(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, _ = ready(name)
    dev = task.load("dev")
    examples = [dev[i] for i in range(32)]
    with torch.no_grad():
        output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    rows = [{**row, "prediction": row["gold"]} for row in task.predict(output, examples)]
    assert task.score(rows)[task.metric] == pytest.approx(100)


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
    again = build(configured(f"task={name}", "data=mini"))
    again.restore(json.loads(json.dumps(task.vocabulary())))
    examples = [train[i] for i in range(8)]
    for key, tensor in task.collate(examples).items():
        assert torch.equal(again.collate(examples)[key], tensor)
    shapes = {k: v.shape for k, v in task.model(Placement("none", 0, 0)).state_dict().items()}
    restored = again.model(Placement("none", 0, 0)).state_dict()
    assert {k: v.shape for k, v in restored.items()} == shapes


@names
def test_new_text_is_predicted_on(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, _ = ready(name)
    text = "Anna Reed met her sister in Oslo. She was glad."
    given = {"text": text, "predicate": 2, "question": "Who met her sister?", "passage": text}
    given |= {"word": "sister", "pos": "NOUN"}
    examples = [{**task.parse({**given, "premise": text, "hypothesis": text}), "id": "1"}]
    model = task.model(Placement("none", 0, 0)).eval()
    with torch.no_grad():
        rows = task.predict(model(task.collate(examples), None), examples)
    assert rows[0]["id"] == "1"
    with pytest.raises(DataError):
        task.parse({"nothing": "of use"})


@names
def test_overfits_sixteen_examples(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    """The model can learn: with dropout off, 16 examples are soon known by heart. One that has
    nothing to learn by gradient has them from the encoder's vectors, which it is given."""
    if name in ELSEWHERE:
        pytest.skip(ELSEWHERE[name])
    task, train = ready(name)
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
    optimizer = torch.optim.Adam(trained, lr=2e-3) if trained else None
    for _ in range(60):
        output = model(batch, layers)
        if task.score(task.predict(output, examples))[task.metric] >= 99:
            return
        if optimizer is not None:
            optimizer.zero_grad()
            output["loss"].backward()
            optimizer.step()
    pytest.fail("did not reach 99 in 60 steps")


@names
def test_yardsticks_are_scores(name: str, ready: Callable[[str], tuple[Task, Any]]) -> None:
    task, train = ready(name)
    yardsticks = task.yardsticks(train, task.load("dev"))
    assert yardsticks
    assert all(0 <= value <= 100 for value in yardsticks.values())
