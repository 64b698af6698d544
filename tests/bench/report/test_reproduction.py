"""What comes out again of reference results, and which runs count."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.report.__main__ import main as make_report
from bench.report.merged import read_all
from bench.report.reproduction import reproductions
from tests.bench.made_up import Maker, another


def test_runs_that_lack_a_score_on_one_side_do_not_count(tmp_path: Path) -> None:
    made, reference = tmp_path / "runs", tmp_path / "reference"
    for place in (made, reference):
        Maker(place).two_columns(seeds=((1, 2, 3), (1, 2, 3)))
    for place, kind in ((reference, "none"), (made, "input")):
        path = max((place / "snli").glob(f"{kind}-*")) / "result.json"
        result = json.loads(path.read_text())
        del result["metrics"]["test"]
        path.write_text(json.dumps(result))
    found = reproductions(read_all([made]), read_all([reference]))
    assert [(len(each.theirs), len(each.ours)) for each in found] == [(2, 2), (2, 2)]
    assert [each.verdict for each in found] == ["the same", "the same"]


def test_it_is_said_what_reproduces(made: Path, results: Path, tmp_path: Path) -> None:
    reference = read_all([results])
    found = reproductions(read_all([made]), reference)
    assert [each.verdict for each in found] == ["the same", "the same"]
    elmo = sorted((made / "snli").glob("input-*"))
    for run in elmo:
        another(made, run, skill=0.65, train=2_999, placement="input")
    (base, near) = reproductions(read_all([made]), reference)
    assert (base.verdict, near.verdict) == ("the same", "within the interval")
    assert near.against is not None
    assert near.difference == pytest.approx(near.against.difference)
    for run in elmo:
        another(made, run, skill=0.3, placement="input")
    (_, far) = reproductions(read_all([made]), reference)
    assert far.verdict == "outside the interval"
    assert far.difference is not None
    assert far.difference < -10
    shutil.rmtree(elmo[0])
    (_, fewer) = reproductions(read_all([made]), reference)
    assert (len(fewer.ours), len(fewer.group.runs)) == (2, 3)
    for run in elmo[1:]:
        shutil.rmtree(run)
    assert reproductions(read_all([made]), reference)[1].verdict == "not run here"


def test_the_same_in_test_alone_is_not_the_same(made: Path, results: Path) -> None:
    reference = read_all([results])
    for path in (made / "snli").glob("none-*/result.json"):
        result = json.loads(path.read_text())
        result["metrics"]["dev"]["accuracy"] -= 3
        path.write_text(json.dumps(result))
    (base, other) = reproductions(read_all([made]), reference)
    assert (base.verdict, other.verdict) == ("within the interval", "the same")


def test_the_command_line_says_it_everywhere(
    made: Path, results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    make_report([str(made), "--against", str(results.parent)])
    assert capsys.readouterr().out.count("the same") == 2
    (experiment,) = read_all([made]).experiments
    only = ["--only", experiment.name, "--format", "md", "-o", str(made / "only")]
    make_report([str(made), "--against", str(results.parent), *only])
    assert "| the same |" in (made / "only" / "report.md").read_text()
    for name in ("report.md", "index.html"):
        text = (made / "report" / name).read_text()
        assert "Against the reference" in text
        assert text.count("the same<") == 2 or text.count("| the same |") == 2
