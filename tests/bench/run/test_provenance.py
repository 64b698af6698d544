"""A record says what it was made with, and a resumed run names everything that had a part."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.run import provenance
from elmo_core import products
from tests.bench.small import SMALL

Small = Callable[..., Path]
Result = Callable[[Path], dict[str, Any]]


def test_a_record_says_what_it_was_made_with(finished: Path, result: Result) -> None:
    made = result(finished)
    (sitting,) = made["provenance"]
    assert datetime.fromisoformat(sitting["date"]).utcoffset() is not None
    assert sitting["command"].startswith("python -m bench task=snli task.hidden=8")
    assert (sitting["threads"], sitting["world_size"]) == (torch.get_num_threads(), 1)
    assert sitting["products"] == products.chosen()
    assert (sitting["precision"], sitting["first_epoch"]) == ("32-true", 1)
    for key in ("platform", "processor", "torch"):
        assert sitting[key]
    assert {"python", "elmo-bench", "torch", "datasets", "numpy"} <= made["versions"].keys()
    assert "mypy" not in made["versions"]  # an extra's
    lines = (finished / "environment.txt").read_text().splitlines()
    assert f"safetensors=={version('safetensors')}" in lines


def test_a_package_that_is_missing_or_half_removed_ends_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Half:
        @property
        def metadata(self) -> Any:
            raise FileNotFoundError("METADATA")

    def version(name: str) -> str:
        if name == "wandb":
            raise PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(provenance, "distributions", lambda: [Half()])
    monkeypatch.setattr(provenance, "version", version)
    assert "wandb" not in provenance.versions()
    assert provenance.environment() == ""


def test_steps_stand_beside_epochs(finished: Path, result: Result) -> None:
    made = result(finished)
    assert [each["epoch"] for each in made["history"]] == [1, 2, 3]
    steps = [each["steps"] for each in made["history"]]
    assert steps == [steps[0], 2 * steps[0], 3 * steps[0]]
    assert made["steps"] == steps[-1] > 0
    assert 1 <= made["best_epoch"] <= 3


def test_a_resumed_run_names_both_sittings(small: Small, result: Result, threads: Any) -> None:
    threads(1)
    small("training.max_epochs=2", "training.patience=9")
    threads(2)
    folder = small("training.max_epochs=3", "training.patience=9")
    sittings = result(folder)["provenance"]
    assert [(each["threads"], each["first_epoch"]) for each in sittings] == [(1, 1), (2, 3)]


def test_a_checkpoint_that_counted_from_0_is_gone_on_with(small: Small, result: Result) -> None:
    words = ("training.max_epochs=3", "training.patience=9")
    folder = small(*words)
    before = result(folder)
    last = folder / "checkpoints" / "last.ckpt"
    content = torch.load(last, weights_only=True)
    content["history"] = [
        {key: value for key, value in each.items() if key != "steps"} | {"epoch": each["epoch"] - 1}
        for each in content["history"]
    ]
    del content["callbacks"]["Sittings"]
    torch.save(content, last)
    (folder / "result.json").unlink()
    small(*words)
    after = result(folder)
    assert [each["epoch"] for each in after["history"]] == [1, 2, 3]
    assert after["best_epoch"] == before["best_epoch"]


def test_another_number_of_processes_cannot_go_on(
    bench: Callable[..., int],
    finished: Path,
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    last = finished / "checkpoints" / "last.ckpt"
    content = torch.load(last, weights_only=True)
    content["callbacks"]["Sittings"]["sittings"][0]["world_size"] = 2
    torch.save(content, last)
    (finished / "result.json").unlink()
    assert bench(*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}") == 2
    error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error:")]
    assert error == [
        "error: the run was begun with 2 processes and cannot go on with 1: give "
        "trainer.devices=2, or force=true to begin anew"
    ]
