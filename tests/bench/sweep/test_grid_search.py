"""`experiment.search`: every cell has the same trials, and dev alone says which of them goes on."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from omegaconf import DictConfig

from bench.errors import RunError
from bench.interrupts import Interrupted
from bench.records import Finished
from bench.run import run as one_run
from bench.sweep.sweeper import Sweep
from tests.bench.small import SMALL
from tests.bench.sweep.conftest import own_experiment
from tests.bench.sweep.pretended import untrained

Shown = pytest.CaptureFixture[str]
Kind = tuple[str, float]  # placement and rate

OWN = """
title: Fair
columns: {plain: {elmo.placement: none}, ELMo: {elmo.placement: input}}
"""
SEARCH = "experiment.search={training.optimizer.lr: [0.001, 0.01]}"
LOW, HIGH = 0.001, 0.01


@dataclass
class Runs:
    """Runs that train nothing; a score that is not given is 50."""

    dev: dict[Kind, float] = field(default_factory=dict)
    test: dict[Kind, float] = field(default_factory=dict)
    done: list[tuple[str, float, int]] = field(default_factory=list)  # with the seed
    sizes: list[int] = field(default_factory=list)  # of their hidden layers
    stops: dict[tuple[str, float, int], BaseException] = field(default_factory=dict)

    def __call__(self, cfg: DictConfig) -> Finished:
        kind = cfg.elmo.placement, cfg.training.optimizer.lr
        if stop := self.stops.get((*kind, cfg.seed)):
            raise stop
        result = untrained(cfg, dev=self.dev.get(kind, 50.0), test=self.test.get(kind, 50.0))
        self.done.append((*kind, cfg.seed))
        self.sizes.append(cfg.task.hidden)
        return result


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    made_up = Runs()
    monkeypatch.setattr(one_run, "run", made_up)
    monkeypatch.setattr(Sweep, "_require", lambda self, todo: None)
    return made_up


@pytest.fixture
def words(snli_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", "300")
    folders = f"paths.runs={tmp_path / 'runs'}", own_experiment(tmp_path, OWN)
    small = (word for word in SMALL if not word.startswith("task.hidden"))
    return [*small, f"data.dir={snli_folder}", "experiment=own", *folders]


@pytest.fixture
def search(bench: Callable[..., int], words: list[str]) -> Callable[..., int]:
    return lambda *more: bench(*words, SEARCH, "seed=5,2", *more)


def manifest(tmp_path: Path) -> dict[str, Any]:
    (path,) = (tmp_path / "runs" / ".experiments").iterdir()
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def test_each_column_has_the_same_trials_with_the_first_seed(
    bench: Callable[..., int], words: list[str], runs: Runs
) -> None:
    grid = "experiment.search={training.optimizer.lr: [0.001, 0.01], task.hidden: [8, 9]}"
    assert bench(*words, grid, "seed=5,2") == 0
    trials = [(LOW, 5, 8), (LOW, 5, 9), (HIGH, 5, 8), (HIGH, 5, 9)]
    done = [(*each, size) for each, size in zip(runs.done, runs.sizes, strict=True)]
    for placement in ("none", "input"):
        assert [each[1:] for each in done if each[0] == placement] == [*trials, (LOW, 2, 8)]
    assert {each[2] for each in done[:8]} == {5}  # before any other seed


def test_dev_chooses_and_not_test(search: Callable[..., int], runs: Runs, tmp_path: Path) -> None:
    runs.dev = {("none", HIGH): 60.0, ("input", LOW): 60.0}
    runs.test = {("none", LOW): 99.0, ("none", HIGH): 1.0, ("input", HIGH): 99.0}
    assert search() == 0
    assert [each for each in runs.done if each[2] == 2] == [("none", HIGH, 2), ("input", LOW, 2)]
    plain, elmo = manifest(tmp_path)["searches"]
    assert plain["chosen"] == {"training.optimizer.lr": HIGH}
    assert elmo["chosen"] == {"training.optimizer.lr": LOW}
    assert [trial["dev"] for trial in plain["trials"]] == [50.0, 60.0]
    cells = [cell for cell in manifest(tmp_path)["cells"] if cell["column"] == "plain"]
    assert [cell["seed"] for cell in cells] == [5, 2]
    assert cells[0]["run_id"] == plain["trials"][1]["run_id"]
    assert all("training.optimizer.lr=0.01" in cell["command"] for cell in cells)


def test_of_equals_the_first_goes_on(
    bench: Callable[..., int], words: list[str], runs: Runs
) -> None:
    runs.dev = {("none", HIGH): 60.0, ("none", LOW): 60.0, ("none", 1.0): 55.0}
    high_first = "experiment.search={training.optimizer.lr: [1.0, 0.01, 0.001]}"
    assert bench(*words, high_first, "seed=5,2") == 0
    assert [each for each in runs.done if each[2] == 2] == [("none", HIGH, 2), ("input", 1.0, 2)]


def test_an_interrupted_search_goes_on(search: Callable[..., int], runs: Runs) -> None:
    runs.stops[("input", LOW, 5)] = Interrupted(2)
    assert search() == 130
    assert len(runs.done) == 2
    runs.stops.clear()
    assert search() == 0
    assert search() == 0
    assert set(Counter(runs.done).values()) == {1}
    assert len(runs.done) == 4 + 2


def test_force_repeats_each_run_once(search: Callable[..., int], runs: Runs) -> None:
    assert search() == 0
    assert search("force=true") == 0
    assert set(Counter(runs.done).values()) == {2}


def test_a_column_with_a_failed_trial_is_left_out(
    search: Callable[..., int], runs: Runs, tmp_path: Path, capsys: Shown
) -> None:
    runs.stops[("none", HIGH, 5)] = RunError("the loss is NaN")
    assert search() == 2
    shown = capsys.readouterr()
    assert "snli · plain: left out" in shown.err
    assert "the loss is NaN" in shown.out
    assert [each for each in runs.done if each[2] == 2] == [("input", LOW, 2)]
    assert manifest(tmp_path)["columns"] == ["ELMo"]


def test_where_every_column_has_a_failed_trial_there_is_no_table(
    search: Callable[..., int], runs: Runs, tmp_path: Path, capsys: Shown
) -> None:
    runs.stops = {(each, HIGH, 5): RunError("the loss is NaN") for each in ("none", "input")}
    assert search() == 2
    assert capsys.readouterr().out.count("the loss is NaN") == 2
    assert not (tmp_path / "runs" / ".experiments").exists()


def test_values_that_a_column_does_not_have_are_no_further_runs(
    bench: Callable[..., int], words: list[str], runs: Runs, capsys: Shown
) -> None:
    assert bench(*words, "experiment.search={elmo.dropout: [0, 0.5]}") == 0
    assert [done[0] for done in runs.done] == ["none", "input", "input"]
    assert "chosen, of equals the first: plain 0 (1 run); ELMo 0." in capsys.readouterr().out


def test_what_was_tried_is_told_under_the_table(
    search: Callable[..., int], runs: Runs, capsys: Shown
) -> None:
    runs.dev = {("input", HIGH): 60.0}
    assert search() == 0
    assert (
        "Each column: 2 trials on dev with seed 5 (training.optimizer.lr), the same for all; "
        "chosen, of equals the first: plain 0.001; ELMo 0.01."
    ) in capsys.readouterr().out


def test_a_plan_counts_the_trials_and_what_follows(
    search: Callable[..., int], runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    forecasts = []
    monkeypatch.setattr(Sweep, "_forecast", lambda self, todo: forecasts.append(len(todo)))
    assert search("plan=true") == 0
    shown = capsys.readouterr().out
    assert "4 trials: 4 new; then 2 runs of what they choose\n" in shown
    assert shown.count("\npython -m bench ") == 4
    assert search("plan=slurm") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: plan=slurm: ")
    assert "hydra/launcher=slurm" in line
    assert runs.done == []

    runs.dev = {("input", HIGH): 60.0}
    runs.stops = {("input", HIGH, 2): Interrupted(2)}
    assert search() == 130  # when the trials and column `plain` are done
    capsys.readouterr()
    assert search("plan=true") == 0
    shown = capsys.readouterr().out
    assert "4 runs: 3 finished, 1 new" in shown
    assert "ELMo · training.optimizer.lr=0.01 · seed 2" in shown
    assert forecasts == [4 + 2, 1]
    assert search("plan=slurm") == 0
    assert "array=0-0%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{optimizer.lr: [1]}", "did you mean 'training.optimizer.lr'?"),
        ("{task.hiden: [1]}", "snli · plain · task.hiden=1 · seed 1: task.hiden: no such key; did"),
        ("{training.optimizer.lr: [fast]}", "training.optimizer.lr=fast: must be a number"),
        ("{task.hidden: 8}", "task.hidden: 8: expected [VALUE, …]"),
        ("{task.hidden: []}", "task.hidden: []: expected [VALUE, …]"),
        ("{task.hidden: [8, 9, 8]}", "task.hidden: [8, 9, 8]: the same value twice"),
        ("[1]", "experiment.search=[1]: expected {KEY: [VALUE, …], …}"),
        ("{seed: [1, 2]}", "seed: not searched: only how a head is made and trained is"),
        ("{data.train_share: [0.5]}", "data.train_share: not searched"),
        ("{word_vectors: [x]}", "word_vectors: not searched"),
        ("{word_dropout: [1]}", "word_dropout=1.0: must be from 0 to below 1"),
        ("{elmo.placement: [input]}", "elmo.placement: snli · plain has elmo.placement=none"),
        ("{training.max_epochs: [1]}", "training.max_epochs: snli · plain has training.max_epochs"),
    ],
)
def test_a_mistake_is_one_line_before_the_first_run(
    bench: Callable[..., int],
    words: list[str],
    runs: Runs,
    value: str,
    expected: str,
    capsys: Shown,
) -> None:
    assert bench(*words, f"experiment.search={value}") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert expected in line
    assert runs.done == []


def test_a_key_that_a_row_s_task_has_not_is_told_with_the_row(
    bench: Callable[..., int], tmp_path: Path, capsys: Shown
) -> None:
    words = "experiment=encoders", "task=snli,wsd", f"paths.runs={tmp_path}"
    assert bench(*words, "experiment.search={task.dropout: [0, 0.5]}") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: wsd · none · task.dropout=0 · seed 1: task.dropout: no such key")


def test_a_searched_run_is_the_run_alone(
    bench: Callable[..., int], words: list[str], tmp_path: Path
) -> None:
    """Trained for real: each cell's command, typed by itself, is found to be finished."""
    short = "training.max_epochs=1", "~experiment.columns.ELMo"
    search = "experiment.search={training.optimizer.lr: [0.001, 0.01]}"
    assert bench(*words, *short, search, "seed=1,2") == 0
    cells = manifest(tmp_path)["cells"]
    assert len(list((tmp_path / "runs" / "snli").iterdir())) == 3
    for cell in cells:
        assert bench(*shlex.split(cell["command"])[3:]) == 0
    assert len(list((tmp_path / "runs" / "snli").iterdir())) == 3
