"""Experiment files: each expands to exactly its runs, and a mistake in one is one clear line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.config import CONF
from bench.sweep.sweeper import Sweep
from tests.bench.ids import IDS, planned_ids
from tests.bench.sweep.conftest import own_experiment

Bench = Callable[..., int]
Planned = Callable[..., list[str]]

TASKS = sorted(path.stem for path in (CONF / "task").glob("*.yaml"))


@pytest.fixture(autouse=True)
def _no_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the runs cost is told in test_plan.py; to find it out takes seconds."""
    monkeypatch.setattr(Sweep, "_forecast", lambda self, todo: None)


@pytest.fixture
def planned(
    bench: Bench,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Planned:
    """The command of each run that an experiment would do, composed and checked, without the
    program's name."""

    def call(*arguments: str) -> list[str]:
        assert bench(*arguments, "plan=true", f"paths.runs={tmp_path / 'runs'}") == 0
        program = "python -m bench "
        lines = capsys.readouterr().out.splitlines()
        commands = [line for line in lines if line.startswith(program)]
        assert len(set(commands)) == len(commands)
        return [" ".join(shlex.split(c.removeprefix(program))) for c in commands]

    return call


EXPECTED = {
    "demo": (3, ["task=ner elmo.placement=none", "task=ner encoder=random"]),
    "table1": (60, ["task=ner elmo.placement=none", "task=coref", "seed=5"]),
    "table2": (12, ["task=srl elmo.layers=top", "task=squad elmo.l2=0.001", "task=snli elmo.l2=1"]),
    "table3": (9, [f"task=squad elmo.placement={p}" for p in ("input", "output", "input+output")]),
    "table5": (13, ["task=wsd encoder=elmo-mini elmo.layers=1", "task=wsd encoder=cove"]),
    "table6": (13, ["task=pos encoder=elmo-mini elmo.layers=2", "task=pos encoder=random"]),
    "probes": (90, ["encoder=random data.control=True elmo.layers=1", "task=pos", "seed=5"]),
    "neighbours": (13, ["task=neighbours encoder=elmo-mini elmo.layers=1", "encoder=random "]),
    "lambda": (7, ["task=snli elmo.l2=0 ", "elmo.l2=0.0001 ", "elmo.l2=10 "]),
    "layers": (5, [f"task=snli elmo.layers={choice} " for choice in (0, 1, 2, "mean", "all")]),
    "figure1": (16, ["task=srl data.train_share=0.001 elmo.placement=none", "train_share=0.01 "]),
    "figure2": (6, [f"task={task} " for task in ("squad", "snli", "srl", "coref", "ner", "sst5")]),
    "cove": (6, [f"encoder=cove task={x}" for x in ("snli elmo.layers=top", "srl elmo.l2=1")]),
    "draws": (3 * len(TASKS), ["encoder=random_by_seed", "task=srl elmo.placement=none"]),
    "ensemble-squad": (11, ["task=squad ", " seed=11"]),
    "ensemble-snli": (5, ["task=snli ", " seed=5"]),
    "encoders": (5 * len(TASKS), ["task=coref encoder=static", "task=pos elmo.placement=none"]),
    "noise": (10, ["task=ner elmo.placement=none", "task=sst5 elmo.placement=output"]),
    "learning": (28, ["task=pos elmo.layers=0 encoder=elmo encoder.source='model@100'"]),
    "smoke": (2 * len(TASKS), [f"task={t} elmo.placement=none" for t in TASKS]),
    "word-dropout": (36, ["task=ner encoder=random word_dropout=0 ", "task=sst5 word_dropout=0.3"]),
}

GIVEN = {"learning": ["experiment.given.model=./model"]}


def test_no_experiment_is_forgotten_here() -> None:
    files = {path.stem for path in (CONF / "experiment").glob("*.yaml")}
    assert set(EXPECTED) == files


@pytest.mark.parametrize("name", EXPECTED)
def test_expands_to_exactly_its_runs(
    planned: Planned, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, parts = EXPECTED[name]
    ids = planned_ids(monkeypatch)
    commands = planned(f"experiment={name}", *GIVEN.get(name, ()))
    assert len(commands) == count
    for part in parts:
        assert any(part in command for command in commands), part
    assert ids == IDS[f"experiment={name}"], "test_run_ids.py says what this means"


def test_what_is_given_besides_holds_for_every_run(planned: Planned) -> None:
    given = ("data=open", "encoder=elmo-small", "trainer.precision=16-mixed")
    commands = planned("experiment=table1", "task=snli,srl", "seed=3,4", *given)
    assert len(commands) == 2 * 2 * 2
    assert all(word in command for word in given for command in commands)
    assert {command.split()[-1] for command in commands} == {"seed=3", "seed=4"}
    assert {command.split()[0] for command in commands} == {"task=snli", "task=srl"}


def test_tasks_need_not_stand_in_the_file(planned: Planned) -> None:
    assert len(planned("experiment=table3", "task=ner")) == 3  # it is not in it
    assert len(planned("experiment=layers", "task=ner")) == 5
    assert len(planned("experiment=smoke", "task=ner")) == 2
    assert len(planned("experiment=word-dropout", "task=ner")) == 6  # three rows a task


def test_mixes_are_of_all_layers_whatever_the_tasks_default(planned: Planned) -> None:
    assert any("layers=all" in each for each in planned("experiment=table2", "task=wsd"))
    assert len(planned("experiment=lambda", "task=wsd")) == 7
    assert len(planned("experiment=cove", "task=wsd")) == 3


def test_a_column_can_be_left_out_whatever_it_is_called(planned: Planned) -> None:
    left_out = ["~experiment.columns.all, λ=1", "~experiment.columns.baseline"]
    commands = planned("experiment=table2", *left_out, "~experiment.rows.squad")
    assert len(commands) == 2 * 2
    assert {command.split()[0] for command in commands} == {"task=snli", "task=srl"}
    assert not any("elmo.l2=1 " in command or "placement=none" in command for command in commands)
    assert len(planned("experiment=lambda", "task=srl", "~experiment.columns.λ=10")) == 6


def test_columns_can_be_left_out_in_both_ways_at_once(planned: Planned) -> None:
    words = ['experiment.without=["columns.λ=0","columns.λ=1"]', "~experiment.columns.λ=10"]
    for both in (words, words[::-1], ["++" + words[0], words[1]]):
        assert len(planned("experiment=lambda", "task=srl", *both)) == 4


def test_the_words_that_leave_a_column_out_are_told_as_a_shell_reads_them(
    bench: Bench, planned: Planned, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "experiment=table2", "task=snli"
    assert bench(*asked, "~experiment.columns.gone", f"paths.runs={tmp_path}") == 2
    choices = capsys.readouterr().err.partition("(choose ")[2].rpartition(")")[0]
    words = [word.removesuffix(",") for word in shlex.split(choices)]
    assert "~experiment.columns.all, λ=0.001" in words
    assert len(planned(*asked, *words[1:])) == 1


def test_a_row_may_have_data_of_its_own(planned: Planned) -> None:
    row = "++experiment.rows.srl={task: srl, data.dir: /data/srl, training.max_epochs: 6}"
    commands = planned("experiment=figure2", "task=srl,ner", row)
    srl, ner = sorted(commands, reverse=True)
    assert "data.dir=/data/srl" in srl
    assert "data=open" in srl, "as on the command line: real data is not trained on like built-in"
    assert "data=open" not in ner


def test_a_column_may_have_paths_of_any_name(planned: Planned) -> None:
    columns = [
        '+experiment.columns.mine={encoder: "/my encoders/a,b=c"}',
        '+experiment.columns.theirs={data.dir: "~/their snli"}',
    ]
    commands = planned("experiment=figure2", "task=snli", *columns)
    assert any("encoder=elmo encoder.source='/my encoders/a,b=c' " in each for each in commands)
    assert any("data.dir='~/their snli' " in each for each in commands)


def test_the_command_line_wins_over_what_a_file_says_of_all_runs(planned: Planned) -> None:
    (first, *_) = planned("experiment=smoke", "task=ner", "trainer=cpu")
    assert "encoder.shape=" in first
    assert "trainer.limit_batches=2" in first
    (first, *_) = planned("experiment=smoke", "task=ner", "encoder=elmo-small")
    assert "encoder.shape=" not in first


OWN = """
title: What a smaller model loses
rows: {ours: {task: snli, task.hidden: 8}, theirs: {task: snli}, gone: {task: snly}}
columns:
  a b: {elmo.l2: 1, training.optimizer: {lr: 1e-2}, word_vectors: "my, file.txt"}
  c: {elmo.layers: top}
seeds: [7]
"""


def test_one_file_anywhere_is_an_experiment(
    planned: Planned,
    bench: Bench,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert planned("experiment=own", own_experiment(tmp_path, OWN))[0] == (
        f"hydra.searchpath=[{tmp_path}] "
        "task=snli task.hidden=8 elmo.l2=1 training.optimizer={lr:0.01} "
        rf"word_vectors=my\,\ file.txt paths.runs={tmp_path}/runs seed=7"
    )
    assert bench("--config-dir", str(tmp_path), "experiment=own", "plan=true") == 0
    shown = capsys.readouterr()
    assert "row 'gone' is left out: no task 'snly' here; did you mean 'snli'?" in shown.err
    assert "4 runs: 4 new" in shown.out
    assert shown.out.count(f"python -m bench --config-dir={tmp_path} task=snli ") == 4


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("columns:", "colums:", "'colums' not in 'Experiment'; did you mean 'columns'?"),
        ("title:", "view: tabel\ntitle:", "tabel"),
        ("c: {elmo.layers: top}", "c: top", "columns"),
        ("elmo.layers: top", "elmo.layers: tpo", "ours · c · seed 7: elmo.layers=tpo"),
        ("elmo.layers: top", "recipe: papre", "ours · c · seed 7: recipe=papre: unknown; did you"),
        ("elmo.layers: top", "recipe: null", "recipe=null: no name (choose"),
        ("elmo.layers: top", "elmo.layer: top", "did you mean 'elmo.layers'?"),
        ("elmo.layers: top", "task.hidden: 3", "task.hidden: set by row 'ours' and by column 'c'"),
        ("seeds:", "baseline: b\nseeds:", "own: baseline: no column 'b'"),
        ("seeds:", "paper: {ours: {a b: 9, cc: 8}}\nseeds:", "own: paper: no column 'cc'"),
        ("seeds:", "paper: {ours: {a b: many}}\nseeds:", "own: a b: 'many' is no number"),
        ("task: snli", "task: gone", "no task 'gone' here"),
        ("seeds: [7]", "seeds: [a]", "experiment.seeds[0]: Value 'a'"),
        ("seeds: [7]", "seeds: [7", "own.yaml"),
        ("seeds:", "ensembles: {both: d}\nseeds:", "own: ensembles: both: no column 'd'"),
        ("seeds:", "ensembles: {c: a b}\nseeds:", "own: ensembles: 'c' is a column already"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(
    bench: Bench,
    old: str,
    new: str,
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert old in OWN
    folder = own_experiment(tmp_path, OWN.replace(old, new))
    assert bench("experiment=own", folder, "plan=true", f"paths.runs={tmp_path / 'runs'}") == 2
    errors = [e for e in capsys.readouterr().err.splitlines() if e.startswith("error: ")]
    assert len(errors) == 1
    assert expected in errors[0]


def test_cfg_is_the_configuration_of_one_run(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("experiment=table2", "--cfg", "job") == 0
    assert "title: Which layers to mix" in capsys.readouterr().out


def test_the_papers_numbers_stand_beside_its_own_task_alone(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("_require", "_run"):
        monkeypatch.setattr(f"bench.sweep.sweeper.Sweep.{step}", lambda *_: None)
    for task, known in (("wsd", True), ("pos", False)):
        runs = tmp_path / task
        bench("experiment=table5", f"task={task}", "~experiment.rows.CoVe", f"paths.runs={runs}")
        (path,) = (runs / ".experiments").iterdir()
        assert bool(json.loads(path.read_text())["paper"]) is known


def test_the_papers_numbers_stand_beside_a_task_with_a_configuration_of_its_own(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("_require", "_run"):
        monkeypatch.setattr(f"bench.sweep.sweeper.Sweep.{step}", lambda *_: None)
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "my-wsd.yaml").write_text("defaults: [wsd, _self_]\n")
    own_experiment(
        tmp_path,
        "title: t\nrows: {biLM: {encoder: random}}\n"
        "columns: {a: {elmo.layers: 0}, b: {elmo.layers: 1}}\n"
        "overrides: {task: my-wsd}\npaper: {biLM: {a: 65.9}}\n",
    )
    runs = tmp_path / "runs"
    bench("experiment=own", f"hydra.searchpath=[{tmp_path}]", f"paths.runs={runs}", "data=mini")
    (path,) = (runs / ".experiments").iterdir()
    assert json.loads(path.read_text())["paper"] == {"biLM": {"a": 65.9}}
