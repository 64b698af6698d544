"""Loggers hear each epoch and, when the run is done, its result; what was opened is closed."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from omegaconf import OmegaConf
from pytorch_lightning.loggers import CSVLogger

from bench.run.loggers import missing_login, missing_package
from bench.run.module import BenchModule
from tests.bench.small import DIVERGING, SMALL

Small = Callable[..., Path]
Result = Callable[[Path], dict[str, Any]]


def expected(result: dict[str, Any]) -> dict[str, float]:
    """What a logger must know of a finished run, by name."""
    scores = {"best_epoch": result["best_epoch"]}
    for split in ("dev", "test"):
        scores[f"{split}/accuracy"] = result["metrics"][split]["accuracy"]
        (yardstick,) = result["yardsticks"][split].items()
        scores[f"yardsticks/{split}/{yardstick[0]}"] = yardstick[1]
    for j in range(3):
        scores[f"mix/input/s{j}"] = result["mix"]["input"]["weights"][j]
    return {**scores, "mix/input/gamma": result["mix"]["input"]["gamma"]}


def test_csv(small: Small, result: Result) -> None:
    folder = small("logger=csv", "elmo.placement=input")
    (path,) = folder.glob("csv/*/metrics.csv")
    with path.open(newline="") as file:
        *epochs, last = csv.DictReader(file)
    assert [row["step"] for row in epochs] == ["1", "2", "3"]
    assert all(row["train/loss"] and row["dev/accuracy"] and row["mix/input/s0"] for row in epochs)
    wanted = expected(result(folder))
    assert {name: float(last[name]) for name in wanted} == pytest.approx(wanted)
    assert int(last["step"]) == wanted["best_epoch"]


def test_csv_has_each_epoch_when_it_ends(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a run that is killed loses none of their mixes."""
    begun, there = BenchModule.on_train_epoch_start, []

    def noted(self: BenchModule) -> None:
        assert isinstance(self.logger, CSVLogger)
        path = Path(self.logger.log_dir) / "metrics.csv"
        there.append(len(path.read_text().splitlines()) if path.exists() else 0)
        begun(self)

    monkeypatch.setattr(BenchModule, "on_train_epoch_start", noted)
    small("logger=csv", "elmo.placement=none")
    assert there == [0, 1 + 1, 1 + 2]  # a line of names before them


def test_a_run_that_goes_on_is_logged_from_its_beginning(small: Small, result: Result) -> None:
    small("logger=csv", "elmo.placement=none")
    folder = small("logger=csv", "elmo.placement=none", "training.max_epochs=5")
    (path,) = folder.glob("csv/*/metrics.csv")
    with path.open(newline="") as file:
        *epochs, _ = csv.DictReader(file)
    told = [(int(row["step"]), float(row["dev/accuracy"])) for row in epochs]
    known = [(each["epoch"], each["dev"]["accuracy"]) for each in result(folder)["history"]]
    assert told == known
    assert len(known) == 5
    assert all(row["train/loss"] and row["lr"] for row in epochs)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What W&B knows of each of its runs when it is closed: summary, config, exit code."""
    from wandb.sdk.wandb_run import Run

    runs: list[dict[str, Any]] = []
    finish = Run.finish

    def noted(self: Run, exit_code: int | None = None) -> None:
        known: dict[str, Any] = {"summary": dict(self.summary), "config": dict(self.config)}
        known |= {"exit": exit_code, "name": self.name}
        runs.append(known)
        finish(self, exit_code)

    monkeypatch.setattr(Run, "finish", noted)
    return runs


def test_wandb(small: Small, result: Result, closed: list[dict[str, Any]]) -> None:
    folder = small("logger=wandb", "logger.offline=true", "elmo.placement=input")
    (run,) = closed
    wanted = expected(result(folder))
    assert {name: run["summary"][name] for name in wanted} == pytest.approx(wanted)
    assert run["config"]["elmo"]["placement"] == "input"
    assert run["name"] == folder.name
    assert run["exit"] == 0
    assert list(folder.glob("wandb/offline-run-*/*.wandb"))


def test_a_failed_run_is_closed_as_failed(
    bench: Callable[..., int], snli_folder: Path, tmp_path: Path, closed: list[dict[str, Any]]
) -> None:
    import wandb

    diverges = (*DIVERGING, "training.optimizer.lr=1e6")
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path}")
    assert bench(*SMALL, *folders, *diverges, "logger=wandb", "logger.offline=true") == 2
    assert [run["exit"] for run in closed] == [1]
    assert wandb.run is None


def test_nobody_is_logged_in_to_wandb(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    words = [*SMALL, f"data.dir={tmp_path}", f"paths.runs={runs}", "logger=wandb"]  # no data there
    known = {k: v for k, v in os.environ.items() if not k.startswith("WANDB_")}
    done = subprocess.run(
        [sys.executable, "-m", "bench", *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**known, "NETRC": str(tmp_path / "netrc")},
    )
    assert done.returncode == 2
    said = "error: logger=wandb: no API key: `wandb login`, or logger.offline=true"
    assert said in done.stderr.splitlines()
    assert "Traceback" not in done.stderr
    assert not list(runs.iterdir())


EVENTS = """
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1]).Reload()
print(json.dumps({name: events.Scalars(name)[-1].value for name in events.Tags()["scalars"]}))
"""


def test_tensorboard(snli_folder: Path, tmp_path: Path, result: Result) -> None:
    """In processes of its own: absl, which it imports, would close pytest's stderr."""
    words = [*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path}", "elmo.placement=input"]
    subprocess.run([sys.executable, "-m", "bench", *words, "logger=tensorboard"], check=True)
    (path,) = tmp_path.glob("snli/*/tensorboard/*")
    read = subprocess.run([sys.executable, "-c", EVENTS, path], capture_output=True, check=True)
    known, wanted = json.loads(read.stdout), expected(result(path.parents[1]))
    assert {name: known[name] for name in wanted} == pytest.approx(wanted)


def test_a_logger_that_is_not_installed_is_known_before_the_data(
    bench: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("bench.run.loggers.find_spec", lambda name: None)
    folders = (f"data.dir={tmp_path}", f"paths.runs={tmp_path}/runs")  # no data is there
    assert bench(*SMALL, *folders, "logger=tensorboard") == 2
    said = "error: logger=tensorboard: not installed: pip install 'elmo-bench[tensorboard]'"
    assert said in capsys.readouterr().err.splitlines()
    assert missing_package(OmegaConf.create({"_target_": None})) is None


@pytest.mark.parametrize(
    ("offline", "variable", "said"),
    [
        (False, "", True),
        (True, "", False),
        (False, "WANDB_API_KEY=" + 40 * "a", False),
        (False, "WANDB_MODE=offline", False),
        (False, "NETRC={}/written", False),
    ],
)
def test_a_missing_login_is_known_before(
    offline: bool, variable: str, said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wandb

    (tmp_path / "written").write_text("machine api.wandb.ai login user password secret\n")
    for name in filter(lambda name: name.startswith("WANDB_"), list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    if variable:
        name, _, value = variable.format(tmp_path).partition("=")
        monkeypatch.setenv(name, value)
    settings = wandb.Settings()  # anew: W&B itself reads them once a process
    settings.update_from_env_vars(dict(os.environ))
    monkeypatch.setattr(wandb, "setup", lambda: SimpleNamespace(settings=settings))
    target = "pytorch_lightning.loggers.WandbLogger"
    node = OmegaConf.create({"_target_": target, "offline": offline})
    way_out = "logger=wandb: no API key: `wandb login`, or logger.offline=true"
    assert missing_login(node) == (way_out if said else None)
    assert missing_login(OmegaConf.create({"_target_": None})) is None
