"""Runs whose data and encoder were named by relative paths, taken up again in another folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import predict
from bench.ensemble.__main__ import main as ensemble
from bench.evaluate.__main__ import main as evaluate
from tests import encoder_files
from tests.bench.small import SMALL
from tests.bench.verbs import said

WORDS = [word for word in SMALL if not word.startswith("encoder")]
WAY_OUT = "run this where the run was made, or put it back"
Shown = pytest.CaptureFixture[str]


@pytest.fixture
def runs(
    bench: Callable[..., int], snli_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[Path]:
    """Of seeds 1 and 2; the working folder is another one by then."""
    for folder in ("home", "else"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "home")
    shutil.copytree(snli_folder, "pairs")
    encoder_files.elmo(Path("mine.safetensors"))
    for seed in (1, 2):
        words = ("data.dir=pairs", "encoder=./mine.safetensors", "elmo.placement=input")
        runs = f"paths.runs={tmp_path / 'runs'}"
        assert bench(*WORDS, *words, "training.max_epochs=1", runs, f"seed={seed}") == 0
    monkeypatch.chdir(tmp_path / "else")
    found = (tmp_path / "runs" / "snli").iterdir()
    return sorted(found, key=lambda run: json.loads((run / "result.json").read_text())["seed"])


def test_what_is_not_here_is_named_with_the_way_out(
    runs: list[Path], snli_folder: Path, tmp_path: Path, capsys: Shown
) -> None:
    run = runs[0]
    encoder = f"encoder.source=mine.safetensors: not in {tmp_path / 'else'}: {WAY_OUT}"
    data = f"data.dir=pairs: not in {tmp_path / 'else'}: {WAY_OUT}"
    noisy = (run, "--noise", "typos=0.5", "--split", "dev")
    for program, words, message in (
        (predict.main, (run,), encoder),
        (ensemble, ("--seeds", run), encoder),
        (evaluate, (run, f"data.dir={snli_folder}"), encoder),
        (evaluate, noisy, data),
    ):
        status, _, told = said(capsys, program, words)
        assert status == 2
        assert told.splitlines()[-1] == f"error: {run}/config.yaml: {message}"
    shutil.copy(tmp_path / "home" / "mine.safetensors", ".")
    status, _, told = said(capsys, ensemble, ("--seeds", run))
    assert told.splitlines()[-1] == f"error: {run}/config.yaml: {data}"
    shutil.copytree(tmp_path / "home" / "pairs", "pairs")
    assert said(capsys, ensemble, ("--seeds", run))[0] == 0
    assert said(capsys, evaluate, noisy)[0] == 0


def test_what_is_not_needed_may_be_gone(
    runs: list[Path], snli_folder: Path, tmp_path: Path, capsys: Shown
) -> None:
    shutil.copy(tmp_path / "home" / "mine.safetensors", ".")
    line = json.dumps({"premise": "A man is asleep.", "hypothesis": "A man is awake."})
    (tmp_path / "in.jsonl").write_text(line)
    assert said(capsys, predict.main, (runs[0], "--input", tmp_path / "in.jsonl"))[0] == 0
    other = (runs[0], f"data.dir={snli_folder}", "--split", "dev")
    assert said(capsys, evaluate, other)[0] == 0
    Path("mine.safetensors").unlink()
    assert "finished earlier" in "".join(map(str, said(capsys, evaluate, other)))
    status, _, told = said(capsys, evaluate, (runs[0], "data.dir=gone"))
    assert (status, told.splitlines()[-1]) == (2, "error: data.dir: no folder gone")


def test_a_file_that_is_here_is_told_as_it_is(runs: list[Path], capsys: Shown) -> None:
    Path("mine.safetensors").write_text("damaged")
    status, _, told = said(capsys, predict.main, (runs[0],))
    assert (status, WAY_OUT in told) == (2, False), told
    assert "mine.safetensors" in told
