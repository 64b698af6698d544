"""Searches with Optuna: what is proposed, what is shown, what a repetition does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from omegaconf import DictConfig

from bench.records import Finished
from bench.run import run as one_run
from bench.sweep import search as searches
from bench.sweep import sweeper
from bench.sweep.job import Job, Outcome
from tasks.snli.task import SNLI
from tests.bench.sweep.pretended import untrained

Search = Callable[..., int]
Shown = pytest.CaptureFixture[str]

BEST, TOO_MUCH = 0.01, 0.9
SPACE = ("elmo.l2=tag(log, interval(1e-4, 1))", "elmo.layers=all,top")


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> dict[float, float]:
    """Runs that take no time, with scores that are highest where elmo.l2 is 0.01: λ to score."""
    found: dict[float, float] = {}

    def launched(self: sweeper.Sweep, jobs: list[Job]) -> None:
        for job in jobs:
            if job.cfg.elmo.l2 == TOO_MUCH:
                job.outcome = Outcome("failed", "too much")
                continue
            found[job.cfg.elmo.l2] = 80 - abs(math.log10(job.cfg.elmo.l2 / BEST))
            job.outcome = Outcome("finished", "")

    def score(job: Job) -> float | None:
        return found.get(job.cfg.elmo.l2)

    monkeypatch.setattr(sweeper.Sweep, "_launch", launched)
    monkeypatch.setattr(searches, "_score", score)
    monkeypatch.setattr(Job, "done", property(lambda job: score(job) is not None))
    return found


@pytest.fixture
def search(sweep: Search) -> Search:
    return lambda *more: sweep("hydra/sweeper=search", *more)


def test_it_goes_to_where_the_score_is_high(
    search: Search, scored: dict[float, float], own: str, capsys: Shown
) -> None:
    assert search(*SPACE[:1], "hydra.sweeper.n_trials=25", own) == 0
    assert len(scored) == 25
    first, last = list(scored.values())[:8], list(scored.values())[-8:]
    assert sum(last) > sum(first)
    best = max(scored, key=scored.__getitem__)
    *_, command, folder = capsys.readouterr().out.splitlines()
    assert f"elmo.l2={best:.4g} seed=1" in command
    assert command.startswith(f"python -m bench '{own}' ")
    assert Path(folder).parent.name == "snli"


def test_again_it_proposes_the_same(search: Search, scored: dict[float, float]) -> None:
    search(*SPACE, "hydra.sweeper.n_trials=15")
    first = dict(scored)
    scored.clear()
    search(*SPACE, "hydra.sweeper.n_trials=15")
    assert scored == first
    scored.clear()
    search(*SPACE, "hydra.sweeper.n_trials=15", "hydra.sweeper.seed=2")
    assert scored.keys().isdisjoint(first)


def test_what_is_proposed_lies_within(search: Search, scored: dict[float, float]) -> None:
    search("elmo.l2=interval(0.1, 0.2)", "hydra.sweeper.n_trials=6", "hydra.sweeper.at_once=4")
    assert len(scored) == 6
    assert all(0.1 <= l2 <= 0.2 for l2 in scored)


def test_failures_are_shown_and_go_by(
    search: Search, scored: dict[float, float], capsys: Shown
) -> None:
    assert search("elmo.l2=0.01,0.9", "hydra.sweeper.n_trials=8") == 2
    shown = capsys.readouterr().out
    assert "failed" in shown
    assert "elmo.l2=0.01 seed=1" in shown.splitlines()[-2]


def test_real_runs(search: Search, results: Any, capsys: Shown, tmp_path: Path) -> None:
    words = ("elmo.placement=none", "training.optimizer.lr=tag(log, interval(1e-4, 1e-2))")
    assert search(*words, "hydra.sweeper.n_trials=2") == 0
    shown = capsys.readouterr()
    assert len(results()) == 2
    assert all("trial" in line for line in shown.err.splitlines() if "dev accuracy" in line)
    best = max(results().values(), key=lambda result: result["metrics"]["dev"]["accuracy"])
    assert Path(shown.out.splitlines()[-1]).name == best["run_id"]
    written = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/snli/*/result.json")}
    assert search(*words, "hydra.sweeper.n_trials=2") == 0
    assert {path: path.stat().st_mtime_ns for path in written} == written
    assert json.loads(next(iter(written)).read_text())["status"] == "finished"


def test_dev_chooses_and_not_test(
    search: Search, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two values one is the best on dev, the other on test."""
    scores = {1.0: {"dev": 60.0, "test": 1.0}, 2.0: {"dev": 50.0, "test": 99.0}}

    def run(cfg: DictConfig) -> Finished:
        return untrained(cfg, **scores[cfg.training.clip_norm])

    monkeypatch.setattr(one_run, "run", run)
    words = ("elmo.placement=none", "training.clip_norm=1,2", "hydra.sweeper.n_trials=5")
    assert search(*words) == 0
    assert "training.clip_norm=1 seed=1" in capsys.readouterr().out.splitlines()[-2]


def test_forced_trials_are_done_once_each_and_may_fail(
    search: Search, capsys: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("elmo.placement=none", "training.clip_norm=1,2", "hydra.sweeper.n_trials=5")

    def trainings() -> list[int]:
        logs = tmp_path.glob("runs/snli/*/run.log")
        return [log.read_text().count("epoch 1:") for log in logs]

    def divided(self: SNLI, *_: Any) -> None:
        raise ZeroDivisionError

    assert search(*words) == 0
    assert search(*words, "force=true") == 0
    assert trainings() == [2, 2]
    monkeypatch.setattr(SNLI, "predict", divided)
    capsys.readouterr()
    assert search(*words, "force=true") == 1
    assert capsys.readouterr().out.count(" failed ") == 5  # whatever they scored before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("elmo.l2=0.1",), "give it values to search"),
        (("elmo.l2=interval(0,1)", "seed=1,2"), "seed=1,2: a search takes one seed"),
        (("elmo.l2=interval(0,1)", "hydra.sweeper.n_trials=0"), "n_trials=0: must be 1 or more"),
        (("elmo.l2=tag(log,interval(0,1))",), "elmo.l2=tag(log,interval(0,1)): "),
        (("elmo.l2=interval(0,1)", "experiment=table2"), "not experiment="),
        (("elmo.l2=interval(0,1)", "plan=slurm"), "plan=slurm: what a search proposes"),
    ],
)
def test_mistakes_are_one_line(
    search: Search, words: tuple[str, ...], says: str, capsys: Shown
) -> None:
    assert search(*words) == 2
    (line,) = [x for x in capsys.readouterr().err.splitlines() if x.startswith("error: ")]
    assert says in line


def test_what_is_not_there_is_known_before_the_first_trial(
    search: Search, scored: dict[float, float], capsys: Shown
) -> None:
    words = ("elmo.l2=interval(0,1)", "hydra.sweeper.n_trials=3", "data.dir=/nowhere")
    assert search(*words) == 2
    assert "nothing was started" in capsys.readouterr().err
    assert not scored


def test_without_optuna_it_says_what_to_install(
    search: Search, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    found = searches.find_spec
    monkeypatch.setattr(
        searches, "find_spec", lambda name: None if name == "optuna" else found(name)
    )
    assert search("elmo.l2=interval(0,1)") == 2
    assert "pip install 'elmo-bench[search]'" in capsys.readouterr().err
