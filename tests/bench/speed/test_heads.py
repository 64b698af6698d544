"""Heads beside a peer's: a network of plain torch stands for AllenNLP's, in this interpreter."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from bench.errors import RunError
from bench.speed import measure
from bench.speed.__main__ import main
from bench.speed.peer import heads
from bench.speed.peer.heads import Beside
from elmo_core.encoders.random import random_elmo
from tests.conftest import TINY_ENCODER
from tests.elmo_core.conftest import TINY

PROBE = """
import torch
from torch import nn
from torch.nn import functional as F

OVERRIDES = ["elmo.placement=input", "elmo.layers=mean"]
DIFFERENCE = ""


class Network(nn.Module):
    def __init__(self, ours, chosen):
        super().__init__()
        tags = len(chosen["labels"])
        self.gamma = nn.Parameter(ours["placement.mixes.input.gamma"].detach().clone())
        self.linear = nn.Linear(ours["linear.weight"].shape[1], tags)
        for name, mine in self.linear.named_parameters():
            mine.data.copy_(ours[f"linear.{name}"])

    def forward(self, batch, layers):
        logits = self.linear(self.gamma * layers.mean(1))
        return F.cross_entropy(logits.flatten(0, 1), batch["tags"].flatten())
"""
SAME = ("ner", "snli", "squad", "srl", "sst5")
"""Tasks whose peers are the same function as ours."""


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """The peer.py of a task: what `pos` computes."""
    path = tmp_path / "peer.py"
    path.write_text(PROBE)
    return path


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Beside:
    """`pos` beside the same network."""
    path = tmp_path_factory.mktemp("peer") / "peer.py"
    path.write_text(PROBE)
    return beside("pos", path)


def beside(task: str, file: Path, *words: str, python: str = sys.executable) -> Beside:
    """Two steps of a task with a tiny encoder."""
    words = ("trainer=cpu", *words)
    return heads.measured(words, task, file, Path(python), random_elmo(TINY), steps=2)


def test_what_a_recipe_takes_from_the_optimizer_is_not_given_to_either(probe: Path) -> None:
    assert beside("pos", probe, "+training.optimizer.rho=null").theirs.seconds > 0


def test_the_same_network_has_the_same_loss(found: Beside) -> None:
    assert tuple(found.ours) == heads.precisions()
    for ours in found.ours.values():
        assert ours.loss == pytest.approx(found.theirs.loss, rel=1e-5)
        assert ours.parameters == found.theirs.parameters
        assert ours.seconds > 0
        assert ours.rate > 0
    theirs = found.theirs.operations
    assert found.ours["float32"].operations == theirs > 0
    for ours in found.ours.values():
        assert theirs <= ours.operations <= theirs * 17 / 16  # bfloat16's rows are filled up
    assert found.theirs.memory >= 0
    assert (found.task, found.batch_size, found.difference) == ("pos", 80, "")
    assert json.loads(json.dumps(asdict(found)))["theirs"]["loss"] == found.theirs.loss
    assert found.overrides == ["elmo.placement=input", "elmo.layers=mean"]


@pytest.mark.slow
def test_another_network_has_another(probe: Path) -> None:
    probe.write_text(PROBE.replace("layers.mean(1)", "layers[:, 0]"))
    found = beside("pos", probe)
    assert found.ours["float32"].loss != pytest.approx(found.theirs.loss, rel=1e-5)


@pytest.mark.parametrize("bfloat16", [True, False])
def test_bfloat16_is_measured_where_the_processor_has_it(
    monkeypatch: pytest.MonkeyPatch, bfloat16: bool
) -> None:
    monkeypatch.setattr(heads, "multiplies_bfloat16", lambda: bfloat16)
    assert heads.precisions() == (("float32", "bfloat16") if bfloat16 else ("float32",))


def test_a_peer_that_fails_says_why(probe: Path) -> None:
    probe.write_text("import allennlp_of_tomorrow")
    with pytest.raises(RunError, match="No module named 'allennlp_of_tomorrow'"):
        beside("pos", probe)


def test_tasks_take_part_whose_folder_has_a_peer() -> None:
    found = {name: heads.file_of([], name) for name in ("snli", "wsd")}
    assert found["snli"] is not None
    assert found["snli"].parts[-2:] == ("snli", "peer.py")
    assert found["wsd"] is None


def test_tables(
    found: Beside,
    probe: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(measure.heads, "measured", lambda *_: found)
    monkeypatch.setattr(measure.machine, "TIMES", 2)
    monkeypatch.setattr(measure.peer, "measured", lambda *_: None)  # the encoder's
    monkeypatch.setattr(heads, "file_of", lambda words, name: probe if name == "pos" else None)
    fixed = [*TINY_ENCODER, "trainer=cpu", f"features.dir={tmp_path / 'features'}"]
    quick = ["--seconds", "0.01", "--sentences", "40", "--steps", "2"]
    main([*fixed, *quick, "--tasks", "pos", "wsd", "--peer", sys.executable])
    out = capsys.readouterr().out
    table = out.split("beside a network of AllenNLP's modules")[1]
    rows = [line.split()[:2] for line in table.splitlines() if line.startswith("pos ")]
    precisions = heads.precisions()
    assert rows[: len(precisions)] == [["pos", each] for each in precisions]
    assert "wsd" not in table
    assert "pos with elmo.placement=input elmo.layers=mean" in table


@pytest.mark.parametrize("task", SAME)
def test_theirs_is_the_same_function(task: str) -> None:
    python = os.environ.get("ELMO_BENCH_PEER")
    if not python:
        pytest.skip("no AllenNLP (set ELMO_BENCH_PEER to its interpreter; docs/performance.md)")
    file = heads.file_of([], task)
    assert file is not None
    found = beside(task, file, python=python)
    ours = found.ours["float32"]
    assert ours.loss == pytest.approx(found.theirs.loss, rel=1e-5)
    assert abs(ours.parameters - found.theirs.parameters) <= 2  # biases that change nothing
    assert ours.operations == pytest.approx(found.theirs.operations, rel=0.1)
