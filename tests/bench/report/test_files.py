"""The report's verb and its files."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.config import CONF
from bench.report.__main__ import main
from tests.bench.made_up import Maker
from tests.bench.verbs import said

FORMATS = ("report.md", "report.tex", "report.csv", "index.html")


def test_another_process_writes_the_same_without_torch(
    made_up_runs: Path, made_up_report: Path, tmp_path: Path
) -> None:
    program = (
        "import sys; from bench.report.__main__ import main; main(sys.argv[1:]); "
        "assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", program, str(made_up_runs), "-o", str(tmp_path)]
    call = subprocess.run(command, capture_output=True, text=True)
    assert call.returncode == 0, call.stderr
    for name in FORMATS:
        assert str(tmp_path / name) in call.stdout
    assert "none-00000broken/result.json: damaged" in call.stderr
    assert "broken-0.json: damaged (schema 99" in call.stderr
    for path in tmp_path.rglob("*.*"):
        if path.name != "index.html":  # which says when it was made
            assert path.read_bytes() == (made_up_report / path.relative_to(tmp_path)).read_bytes()


def test_one_format_alone(
    made_up_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(made_up_runs), "--format", "csv", "-o", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["report.csv"]
    assert capsys.readouterr().out.split() == [str(tmp_path / "report.csv")]


def test_one_experiment_alone(
    made_up_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(made_up_runs), "--format", "tex", "-o", str(tmp_path), "--only"]
    main([*words, "table2"])
    text = (tmp_path / "report.tex").read_text()
    assert re.findall(r"\\label\{tab:([^}-]*)", text) == ["table2"] * text.count(r"\label{tab:")
    included = re.findall(r"\\includegraphics\[.*\]\{(.*)\}", text)
    assert included
    for name in included:
        assert (tmp_path / name).read_bytes().startswith(b"%PDF")
    status, _, told = said(capsys, main, [*words, "tabel2"])
    assert status == 2
    assert "--only tabel2: there is" in told
    assert "did you mean 'table2'?" in told


@pytest.mark.parametrize(
    ("arrange", "message"),
    [
        (lambda folder: None, "no such folder"),
        (lambda folder: folder.mkdir(), "no runs in it"),
    ],
)
def test_a_folder_without_runs_is_one_clear_line(
    arrange: Callable[[Path], None],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrange(tmp_path / "runs")
    status, _, told = said(capsys, main, [tmp_path / "runs"])
    assert (status, message in told) == (2, True), told


def test_a_file_is_no_place_for_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Maker(tmp_path / "runs").two_columns()
    (tmp_path / "file").touch()
    status, _, told = said(capsys, main, [tmp_path / "runs", "-o", tmp_path / "file"])
    assert status == 2
    assert told.startswith(f"error: cannot write {tmp_path / 'file'}")
    assert told.count("\n") == 1


@pytest.mark.filterwarnings("error:constrained_layout not applied")
def test_long_names_have_room_in_a_figure(tmp_path: Path) -> None:
    evaluated = CONF.parent / "results" / "ner-wnut17.jsonl"  # on other data, its types mapped
    main([str(evaluated), "-o", str(tmp_path)])
    assert (tmp_path / "figures" / "evaluations-ner-differences.png").is_file()
