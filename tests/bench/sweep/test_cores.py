"""How many runs at once, by cores and memory, and what is said of it before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from omegaconf import DictConfig

from bench.sweep import cores
from tests.bench.sweep.pretended import pretend

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]
GB = 10**9


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`machine(4, gb=64)`: what is there of this machine for the tests to come."""

    def made(number: int, gb: float = 64, threads: str | None = None) -> None:
        monkeypatch.setattr(cores, "usable_cores", lambda: number)
        monkeypatch.setattr(cores, "free_memory", lambda: gb * GB)
        monkeypatch.delenv(cores.THREADS, raising=False)
        if threads is not None:
            monkeypatch.setenv(cores.THREADS, threads)

    return made


@pytest.fixture
def jobs(configured: Callable[..., DictConfig]) -> Callable[..., Any]:
    """`jobs(3, "trainer=gpu")`: so many runs of this configuration."""
    return lambda number, *words: [SimpleNamespace(cfg=configured(*words))] * number


@pytest.fixture
def swept(sweep: Sweep, machine: Callable[..., None]) -> Sweep:
    """A sweep of small runs on two cores. It comes after `sweep`, which makes it one core."""
    machine(2)
    return lambda *words: sweep("elmo.placement=none", *words)


# -- how many


def test_memory_for_one_run_alone_is_told(machine: Any, jobs: Any) -> None:
    machine(4, gb=7)
    queue = cores.queue_of(jobs(3, "trainer=cpu"), None, 4)
    assert str(queue).startswith("one after another (7.0 GB of memory are free, ")
    assert str(cores.queue_of(jobs(1, "trainer=cpu"), None, 4)) == "one after another"


@pytest.mark.parametrize(
    ("there", "keys", "runs", "at_once"),
    [
        ({"number": 4}, {}, 9, 4),
        ({"number": 4}, {}, 3, 3),
        ({"number": 4, "gb": 11}, {}, 9, 2),
        ({"number": 4, "gb": 3}, {}, 9, 1),
        ({"number": 4, "gb": 11}, {"gb_per_run": 1.5}, 9, 4),
        ({"number": 7, "threads": "2"}, {}, 9, 3),
        ({"number": 4, "threads": "8"}, {}, 9, 1),
        ({"number": 4, "threads": "many"}, {}, 9, 4),
        ({"number": 1}, {"at_once": 3}, 9, 3),
        ({"number": 4}, {"at_once": 1}, 9, 1),
        ({"number": 4}, {}, 1, 1),
        ({"number": 4}, {}, 0, 1),
    ],
)
def test_as_many_as_there_are_cores_memory_and_runs(
    machine: Any, jobs: Any, there: dict[str, Any], keys: dict[str, Any], runs: int, at_once: int
) -> None:
    machine(**there)
    queue = cores.queue_of(jobs(runs, "trainer=cpu"), **{"at_once": None, "gb_per_run": 4, **keys})
    assert queue.at_once == at_once
    threads = int(there["threads"]) if there.get("threads") == "2" else 1
    assert queue.threads == (threads if at_once > 1 else None)


@pytest.mark.parametrize(
    ("words", "at_once"),
    [
        (["trainer.accelerator=auto"], 1),
        (["trainer.accelerator=gpu"], 1),
        (["trainer=cpu"], 2),
        (["trainer=cpu", "debug=true"], 1),
        (["trainer=cpu", "trainer.devices=2"], 1),
    ],
)
def test_runs_on_a_gpu_or_of_several_processes_follow_each_other(
    machine: Any, jobs: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], at_once: int
) -> None:
    machine(2)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 1)
    assert cores.queue_of(jobs(2, *words), None, 4).at_once == at_once
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert cores.queue_of(jobs(2, "trainer=auto"), None, 4).at_once == 2


@pytest.mark.parametrize("word", ["at_once=0", "at_once=two", "gb_per_run=-1"])
def test_a_key_that_makes_no_sense_starts_nothing(
    swept: Sweep, tmp_path: Path, capsys: Shown, word: str
) -> None:
    for more in ((), ("plan=true",)):
        assert swept("seed=1,2", f"hydra.launcher.{word}", *more) == 2
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith(f"error: hydra.launcher.{word}: must be ")
    assert not list(tmp_path.glob("runs/snli/*"))


@pytest.mark.parametrize(
    ("there", "keys", "runs", "spare"),
    [
        ({"number": 4}, {}, 9, 3),
        ({"number": 4}, {}, 5, 1),
        ({"number": 4}, {}, 4, 0),
        ({"number": 4, "gb": 20}, {}, 9, 1),
        ({"number": 4, "gb": 11}, {}, 9, 0),
        ({"number": 4, "threads": "2"}, {}, 9, 0),
        ({"number": 4}, {"at_once": 2}, 9, 0),
    ],
)
def test_the_last_runs_share_cores_where_there_is_memory(
    machine: Any, jobs: Any, there: dict[str, Any], keys: dict[str, Any], runs: int, spare: int
) -> None:
    machine(**there)
    queue = cores.queue_of(jobs(runs, "trainer=cpu"), **{"at_once": None, "gb_per_run": 4, **keys})
    assert queue.spare == spare


# -- one after another


def test_other_sweepers_have_hydras_own_launcher(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search of Hydra's own does not name its trials."""
    launcher = cores.Cores(at_once=None, gb_per_run=4)
    monkeypatch.setattr(launcher.basic, "setup", lambda **_: None)
    monkeypatch.setattr(launcher.basic, "launch", lambda *given: given)
    launcher.setup(hydra_context=None, task_function=None, config=None)  # type: ignore[arg-type]
    trials = [["seed=1"], ["seed=2"]]
    assert launcher.launch(trials, 7) == (trials, 7)


# -- side by side


def test_runs_wait_for_a_core_and_have_one_thread(
    swept: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    commands = pretend(monkeypatch, "OMP_NUM_THREADS")
    assert swept("seed=3,1,8,2", "hydra.launcher.at_once=2") == 2
    assert commands.noted == ["seed 3 1", "seed 1 1", "seed 8 1", "seed 2 1"]
    assert commands.most == 2
    first, *said = capsys.readouterr().err.splitlines()
    assert first == "4 runs, 2 at once, a thread each; hydra/launcher=basic does one after another"
    assert said[-1] == "[4/4] snli · seed 8: seed 8 is nothing, 0 s"


def test_the_last_run_starts_beside_those_that_fill_the_cores(
    swept: Sweep, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    """Two cores, four runs: the fourth starts with the third, when the first has ended."""
    commands = pretend(monkeypatch)
    running: list[int] = []
    ended = commands.result

    def result(self: Any) -> Any:
        running.append(commands.at_once)
        return ended(self)

    monkeypatch.setattr(commands, "result", result)
    assert swept("seed=3,1,8,2") == 2
    assert running == [2, 3, 2, 1]
    first, *_ = capsys.readouterr().err.splitlines()
    assert "2 at once, a thread each, the last ones sharing cores;" in first


def test_short_memory_is_told(
    swept: Sweep, machine: Any, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    commands = pretend(monkeypatch)
    machine(4, gb=9)
    assert swept("seed=3,1,8,2", "hydra.launcher.gb_per_run=4") == 2
    assert commands.most == 2
    assert capsys.readouterr().err.startswith(
        "4 runs, 2 at once, a thread each (9.0 GB of memory are free, hydra.launcher.gb_per_run=4);"
    )


def test_a_plan_counts_the_runs_at_once(
    swept: Sweep,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Shown,
    threads: Callable[[int], None],
) -> None:
    """Earlier runs count if they had as many threads as each will have. Two epochs a run."""
    known = lambda _: [500.0] if torch.get_num_threads() == 1 else []  # noqa: E731
    monkeypatch.setattr("bench.sweep.forecast.earlier", known)
    monkeypatch.setattr("bench.sweep.forecast.tried", lambda *_: 100.0)
    monkeypatch.setattr("elmo_core.cores.usable_cores", lambda: 3)
    threads(3)
    assert swept("seed=1,2,3", "plan=true") == 0
    shown = capsys.readouterr().out
    queued = "2 at once, a thread each, the last ones sharing cores"
    assert f"time: at most 25 min for 3 runs, {queued} (" in shown
    assert "measured in 1 earlier run on this machine" in shown
    assert swept("seed=1,2,3", "plan=true", "hydra/launcher=basic") == 0
    shown = capsys.readouterr().out
    assert "time: at most 10 min for 3 runs, one after another (" in shown
    assert "estimated now" in shown
    assert torch.get_num_threads() == 3
