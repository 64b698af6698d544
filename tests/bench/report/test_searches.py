"""What a report says of values that were searched on dev, and where their trials stand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from bench import runs as verb
from bench.records import ManifestCell, Searched, Trial
from bench.report import frames
from bench.report.__main__ import main as make_report
from bench.report.grid import fill
from bench.report.merged import read_all
from bench.report.notes import notes
from bench.report.report import collect
from tests.bench.made_up import Maker

SKILLS = {"plain": (0.5, 0.6), "ELMo": (0.7, 0.65)}  # of the trials: a lower and a higher rate
RATES = (0.001, 0.01)
TOLD = (
    "Each column: 2 trials on dev with seed 1 (training.optimizer.lr), the same for all; chosen, "
    "of equals the first: plain 0.01; ELMo 0.001."
)
TOO_HIGH = "somewhat too high, those of seed 1 most of all; test scores are not."


def searched(
    make: Maker, row: str, column: str, seeds: tuple[int, ...]
) -> tuple[list[ManifestCell], Searched]:
    """Make the two trials of a row and a column, and a cell of the better for each seed."""
    placement = "none" if column == "plain" else "input"
    runs = [
        make.cell(row, column, skill=skill, placement=placement, seed=seeds[0])
        for skill in SKILLS[column]
    ]
    better = max(SKILLS[column])
    cells = [make.cell(row, column, skill=better, placement=placement, seed=seed) for seed in seeds]
    trials = [
        Trial(values={"training.optimizer.lr": rate}, run_id=cell.run_id, dev=100 * skill)
        for rate, cell, skill in zip(RATES, runs, SKILLS[column], strict=True)
    ]
    chosen = trials[SKILLS[column].index(better)].values
    return cells, Searched(
        row=row, column=column, task=row, seed=seeds[0], trials=trials, chosen=chosen
    )


def write(
    folder: Path, seeds: tuple[int, ...] = (1, 2), *, search: bool = True, **changes: Any
) -> list[ManifestCell]:
    """Write an experiment of two columns, with its search or as if nothing had been searched."""
    make = Maker(folder)
    found = [searched(make, "snli", column, seeds) for column in SKILLS]
    cells = [cell for of_column, _ in found for cell in of_column]
    searches = [each for _, each in found] if search else []
    make.experiment("fair", cells, searches=searches, **changes)
    return cells


@pytest.fixture
def made(tmp_path: Path) -> Path:
    write(tmp_path / "runs")
    return tmp_path / "runs"


def test_the_budget_stands_in_every_format(made: Path) -> None:
    make_report([str(made)])
    report = made / "report"
    for name in ("report.md", "index.html"):
        text = (report / name).read_text()
        assert TOLD in text
        assert TOO_HIGH in text
    assert TOLD in (report / "report.tex").read_text()
    lines = list(csv.DictReader((report / "report.csv").open()))
    assert [(line["trials"], line["chosen"]) for line in lines if line["table"] != "all runs"] == [
        ("2", "training.optimizer.lr=0.01"),
        ("2", "training.optimizer.lr=0.001"),
    ]


def test_each_trial_is_shown_beside_the_table_and_in_no_other(made: Path) -> None:
    report = collect([made])
    (grid,) = report.grids
    frame = frames.beside(grid)["trials on dev"]
    assert frame.head == ["row", "column", "training.optimizer.lr", "dev", "which is"]
    assert frame.rows == [
        ["SNLI", "plain", "0.001", "50.00", ""],
        ["SNLI", "plain", "0.01", "60.00", "chosen"],
        ["SNLI", "ELMo", "0.001", "70.00", "chosen"],
        ["SNLI", "ELMo", "0.01", "65.00", ""],
    ]
    assert len(report.records.finished) == 6
    assert sorted(len(group.runs) for group in report.groups) == [2, 2]
    assert {run.id for group in report.groups for run in group.runs} == {
        cell.run_id for cell in grid.experiment.cells
    }


def test_a_trial_that_another_experiment_asks_for_is_listed(made: Path) -> None:
    make = Maker(made)
    cell = make.cell("snli", "plain", skill=SKILLS["plain"][0])
    make.experiment("other", [cell])
    listed = {run.id for group in collect([made]).groups for run in group.runs}
    assert cell.run_id in listed


def test_test_scores_were_not_chosen_by(tmp_path: Path) -> None:
    write(tmp_path / "runs", split="test")
    (grid,) = collect([tmp_path / "runs"]).grids
    assert TOLD in notes(grid)
    assert not any("too high" in note for note in notes(grid))


def test_rows_are_named_where_there_are_several(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    found = [searched(make, row, "plain", (1,)) for row in ("snli", "ner")]
    cells = [cell for of_row, _ in found for cell in of_row]
    make.experiment("fair", cells, searches=[each for _, each in found])
    (grid,) = collect([tmp_path / "runs"]).grids
    assert any(
        note.startswith("Each row and column: 2 trials")
        and note.endswith(": snli, plain 0.01; ner, plain 0.01.")
        for note in notes(grid)
    )


def test_the_budget_survives_an_export(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "fair.jsonl"
    verb.main(["export", "-o", str(file), "--runs", str(made)])
    records = read_all([file])
    (experiment,) = records.experiments
    assert experiment.searches == collect([made]).grids[0].experiment.searches
    assert TOLD in notes(fill(experiment, records))
    assert len(records.listed) == 4


def test_an_unsearched_table_stays_beside_one_whose_trials_have_its_runs(tmp_path: Path) -> None:
    """Its runs are a part of the trials, but it is no part of the other table."""
    make = Maker(tmp_path / "runs")
    lower = [make.cell("snli", "plain", skill=SKILLS["plain"][0])]
    plain = make.experiment("fair", lower)
    plain.rename(plain.with_stem("fair-plain"))
    write(tmp_path / "runs")
    found = read_all([tmp_path / "runs"]).experiments
    assert sorted(len(each.searches) for each in found) == [0, 2]


def test_a_search_with_further_seeds_stands_once(tmp_path: Path) -> None:
    write(tmp_path / "runs", (1,))
    (path,) = (tmp_path / "runs" / ".experiments").iterdir()
    path.rename(path.with_stem("fair-before"))
    write(tmp_path / "runs", (1, 2))
    (experiment,) = read_all([tmp_path / "runs"]).experiments
    assert len(experiment.cells) == 4


def test_searched_and_unsearched_runs_share_no_column(tmp_path: Path) -> None:
    write(tmp_path / "one", (1, 2))
    write(tmp_path / "two", (3, 4), search=False)
    assert len(read_all([tmp_path / "one", tmp_path / "two"]).experiments) == 2
    write(tmp_path / "same", (1, 2))
    (both,) = read_all([tmp_path / "one", tmp_path / "same"]).experiments
    assert [each.column for each in both.searches] == ["plain", "ELMo"]


def test_a_choice_that_is_none_of_the_trials_is_damage(made: Path) -> None:
    (path,) = (made / ".experiments").iterdir()
    path.write_text(path.read_text().replace('"chosen": {', '"chosen": {"elmo.l2": 1, '))
    assert any("what was chosen is none" in line for line in read_all([made]).problems)
