"""Files of reference results: written, shown like runs, merged with them, and reproduced."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench import runs as verb
from bench.report.__main__ import REFERENCE
from bench.report.__main__ import main as make_report
from bench.report.grid import Entry, Grid, fill
from bench.report.merged import read_all
from bench.report.read import ReportError
from bench.report.report import collect
from bench.report.reproduction import reproductions
from tests.bench.made_up import Maker, another


def entries(*places: Path) -> dict[tuple[str, str], Entry]:
    records = read_all(places)
    (experiment,) = records.experiments
    assert not records.problems
    return fill(experiment, records).entries


def test_a_file_of_results_gives_the_table_of_its_runs(made: Path, results: Path) -> None:
    ours, theirs = entries(made), entries(results)
    assert ours.keys() == theirs.keys()
    for place, entry in ours.items():
        assert theirs[place].scores == entry.scores
        assert theirs[place].against == entry.against
        assert theirs[place].mark == entry.mark
    assert ours["snli", "ELMo"].against is not None
    assert entries(results.parent).keys() == theirs.keys()  # a folder of such files
    assert results.stat().st_size < 40_000  # 6 runs of 350 examples
    assert "prediction" not in results.read_text()


def test_a_folder_of_runs_is_read_as_runs_whatever_lies_in_it(
    made: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = entries(made)
    shutil.copy(results, made / "kept.jsonl")
    (made / "predicted.jsonl").write_text('{"prediction": "neutral"}\n')
    records = read_all([made])
    (problem,) = records.problems
    assert problem.startswith(f"kept.jsonl, predicted.jsonl in {made}: not read")
    (experiment,) = records.experiments
    assert fill(experiment, records).entries.keys() == ours.keys()
    assert all(run.reference is None for run in records.runs.values())
    capsys.readouterr()
    verb.main(["export", "-o", str(made / "kept.jsonl"), "--runs", str(made)])
    assert "kept.jsonl: 6 runs" in (said := capsys.readouterr()).out
    assert said.err.count("\n") == 1
    assert (made / "kept.jsonl").read_text() == results.read_text()


def test_a_report_on_a_file_of_results_is_whole(results: Path, tmp_path: Path) -> None:
    make_report([str(results), "-o", str(tmp_path / "report")])
    for name in ("index.html", "report.md", "report.tex", "report.csv"):
        assert "ELMo" in (tmp_path / "report" / name).read_text()
    assert "config.yaml" not in (tmp_path / "report" / "index.html").read_text()


def test_a_file_of_results_does_not_say_where_its_runs_lay(made: Path, tmp_path: Path) -> None:
    for path in [*made.glob("snli/*/result.json"), *made.glob(".experiments/*.json")]:
        there = path.read_text().replace("python -m bench ", "python -m bench paths.runs=/me ")
        path.write_text(there)
    verb.main(["export", "-o", str(tmp_path / "two.jsonl"), "--runs", str(made)])
    written = (tmp_path / "two.jsonl").read_text()
    assert written.count("python -m bench task=snli") == 12  # of each run, and of each cell
    assert "/me" not in written


def test_results_of_several_places_are_joined(
    made: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "one", tmp_path / "two.jsonl"
    Maker(one).two_columns(seeds=((1,), (1,)))
    Maker(tmp_path / "two").two_columns(seeds=((2, 3), (2, 3)))
    verb.main(["export", "-o", str(two), "--runs", str(tmp_path / "two")])
    both = tmp_path / "both.jsonl"
    with pytest.raises(SystemExit):
        verb.main(["export", "-o", str(tmp_path), "--runs", str(one)])
    assert f"{tmp_path}: is a directory" in capsys.readouterr().err
    verb.main(["export", "-o", str(both), "--runs", str(one), "--runs", str(two)])
    ours, theirs = entries(both), entries(results)
    assert {k: e.scores for k, e in ours.items()} == {k: e.scores for k, e in theirs.items()}
    assert {k: e.against for k, e in ours.items()} == {k: e.against for k, e in theirs.items()}
    capsys.readouterr()
    with pytest.raises(SystemExit):
        verb.main(["export", "-o", str(both), "--runs", str(one), "--runs", str(tmp_path / "no")])
    assert "no: no such folder" in capsys.readouterr().err


def test_word_vectors_are_named_without_their_folder(made: Path, tmp_path: Path) -> None:
    for path in [*made.glob("snli/*/result.json"), *made.glob(".experiments/*.json")]:
        there = path.read_text().replace("task=snli", "task=snli word_vectors=/me/glove.txt")
        path.write_text(there)
    verb.main(["export", "-o", str(tmp_path / "two.jsonl"), "--runs", str(made)])
    written = (tmp_path / "two.jsonl").read_text()
    assert "/me" not in written
    assert "word_vectors=glove.txt" in written


def test_clusters_survive(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    cells = [
        make.cell("snli", "baseline", skill=0.55, cluster_size=7),
        make.cell("snli", "ELMo", skill=0.65, placement="input", cluster_size=7),
    ]
    make.experiment("two", cells, baseline="baseline")
    verb.main(["export", "-o", str(tmp_path / "r.jsonl"), "--runs", str(make.folder)])
    ours, theirs = (entries(place)["snli", "ELMo"] for place in (make.folder, tmp_path / "r.jsonl"))
    assert ours.against is not None
    assert ours.against.clusters < ours.against.examples
    assert ours.against == theirs.against


def scores(grid: Grid) -> dict[tuple[str, str], Any]:
    return {place: entry.scores for place, entry in grid.entries.items()}


def test_two_files_with_one_experiment_have_a_table_each(
    made: Path, results: Path, tmp_path: Path
) -> None:
    """As of one sweep on two machines: each table its own file's runs, figures and links."""
    run = min((made / "snli").glob("none-*"))
    another(made, run, skill=0.9)
    second = results.with_name("second.jsonl")
    verb.main(["export", "-o", str(second), "--runs", str(made)])
    report = collect([results.parent])
    first, other = report.grids
    assert other.experiment.id == f"{first.experiment.id}-two"
    assert scores(first) != scores(other)
    make_report([str(results.parent)])
    figures = results.parent / "report" / "figures"
    names = {path.stem for path in figures.glob(f"{first.experiment.id}*-differences.png")}
    assert len(names) == 2
    page = (results.parent / "report" / "index.html").read_text()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    shutil.rmtree(results.parent / "report")
    title = json.dumps({"title": first.experiment.title.partition(" (last run")[0]})[1:-1]
    assert title in second.read_text()  # another one, so that the two stay two
    second.write_text(second.read_text().replace(title, '"title": "Second"'))
    Maker(tmp_path / "besides").run(seed=7)
    beside = collect([results.parent, tmp_path / "besides"]).grids
    assert [scores(grid) for grid in beside] == [scores(first), scores(other)]


def test_runs_of_several_machines_are_one_table(tmp_path: Path) -> None:
    places = [tmp_path / name for name in "ab"]
    for place, seed in zip(places, (1, 2), strict=True):
        Maker(place).two_columns(seeds=((seed,), (seed,)))
    (experiment,) = read_all(places).experiments
    assert {cell.seed for cell in experiment.cells} == {1, 2}
    found = entries(*places)["snli", "ELMo"]
    assert found.scores is not None
    assert len(found.scores.values) == 2
    assert found.against is not None
    assert found.against.seeds == 2


def test_a_run_that_two_places_tell_differently_is_named(made: Path, tmp_path: Path) -> None:
    other = shutil.copytree(made, tmp_path / "other")
    assert not read_all([made, other]).problems
    run = min((other / "snli").glob("none-*"))
    another(made, run, skill=0.9)
    first = read_all([made]).runs["snli", run.name]
    merged = read_all([made, other])
    assert len(merged.problems) == 2  # dev and test
    assert all(run.name in line and "the first stands" in line for line in merged.problems)
    assert merged.runs["snli", run.name].result == first.result
    shutil.rmtree(made / "snli" / run.name)
    assert not read_all([made, other]).problems


def test_a_sweep_that_runs_shows_what_is_there(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    make.run(status="unfinished")
    assert collect([make.folder]).left_out == [
        f"snli/{path.name} is unfinished" for path in (make.folder / "snli").iterdir()
    ]
    cells = [
        make.cell("snli", "baseline", skill=0.55),
        make.cell("snli", "ELMo", skill=0.65, placement="input", status="unfinished"),
        make.cell("snli", "more", skill=0.65, placement="output", status="missing"),
    ]
    make.experiment("two", cells, baseline="baseline")
    (grid,) = collect([make.folder]).grids
    assert [gap.status for gap in grid.gaps] == ["unfinished", "missing"]
    assert grid.entries["snli", "baseline"].scores is not None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: "{" + json.dumps(line),
        lambda line: json.dumps({**line, "schema": 99}),
        lambda line: json.dumps({**line, "run": {}}),
        lambda line: json.dumps({**line, "choice": []}),
        lambda line: json.dumps({**line, "choice": {**line["choice"], "encoder": 0.5}}),
        lambda line: json.dumps({**line, "choice": {**line["choice"], "trainer": "cpu"}}),
        lambda line: json.dumps({**line, "examples": {"dev": {"ids": "", "counts": {}}}}),
        lambda line: json.dumps({"schema": 1, "experiment": {}, "file": "x"}),
        lambda line: json.dumps(line).replace("seed", "s\xe9ed"),
    ],
)
def test_damaged_lines_are_named_and_the_others_read(spoil: Any, results: Path) -> None:
    lines = results.read_text().splitlines()
    for number in (1, 3):
        lines[number] = spoil(json.loads(lines[number]))
    results.write_text("\n".join(lines) + "\n", encoding="latin-1")
    records = read_all([results])
    assert len(records.runs) == 4
    assert len(records.experiments) == 1
    first, second = records.problems
    assert first.startswith(f"{results}, line 2: damaged (")
    assert second.startswith(f"{results}, line 4: damaged (")
    assert "\n" not in first + second


def test_a_file_that_holds_no_results_is_one_line(made: Path) -> None:
    path = next(made.glob("snli/*/predictions.jsonl"))
    with pytest.raises(ReportError) as refused:
        read_all([path])
    why = f"{path}, line 1: damaged ('schema'), as are all 350 lines"
    assert str(refused.value) == f"{path}: no runs and no experiments in it ({why})"


@pytest.mark.parametrize("content", [b"", b"\n\n", bytes(range(256))])
def test_a_file_with_nothing_usable_is_an_error(content: bytes, tmp_path: Path) -> None:
    (path := tmp_path / "some.jsonl").write_bytes(content)
    for place in (path, tmp_path):
        with pytest.raises(ReportError, match="no runs and no experiments in it") as refused:
            read_all([place])
        assert "\n" not in str(refused.value)


def test_one_run_is_no_folder_of_runs(made: Path) -> None:
    run = min((made / "snli").iterdir())
    with pytest.raises(ReportError, match=rf"is one run: name the folder of all runs \({made}\)"):
        read_all([run])


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ReportError, match=str(place)):
            read_all([place])


def test_the_results_of_this_suite_are_small_and_whole() -> None:
    records = read_all([REFERENCE])
    assert not records.problems
    assert {each.verdict for each in reproductions(records, records)} == {"the same"}
    filled = [fill(each, records.of(each)) for each in records.experiments]
    compared = [entry for grid in filled for entry in grid.entries.values()]
    assert any(entry.against for entry in compared)
    assert not any(entry.gaps or entry.not_compared for entry in compared)
    for path in REFERENCE.glob("*.jsonl"):
        assert not re.search(r"""[\s='"]/\w""", path.read_text()), "a place on somebody's machine"
        runs = [line for line in path.read_bytes().splitlines() if b'"run": {' in line]
        assert sum(map(len, runs)) <= 20_000 * len(runs)  # one of 73 epochs takes 19,000


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        ("choice", ("encoder",), []),
        ("choice", ("word_vectors",), []),
        ("choice", ("encoder", "seed"), {}),
        ("run", ("data", "fingerprint", "dev"), 5),
        ("experiment", ("experiment",), {}),
    ],
)
def test_a_mistyped_part_is_named_and_the_rest_shown(
    kind: str,
    place: tuple[str, ...],
    value: Any,
    results: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    number, line = next((i, line) for i, line in enumerate(lines, 1) if kind in line)
    inner = line[kind]
    for key in place[:-1]:
        inner = inner.setdefault(key, {})
    inner[place[-1]] = value
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    make_report([str(results), "--format", "csv"])
    assert f"{results}, line {number}: damaged (" in capsys.readouterr().err
