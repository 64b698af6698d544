"""What a table says of its differences: clusters, seeds, what it can see, all tasks together."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from rich.console import Console

from bench.report import frames, wording
from bench.report.all_tasks import over_all_tasks
from bench.report.formats import csv_file, latex, markdown, terminal
from bench.report.grid import Grid, fill
from bench.report.notes import notes
from bench.report.read import read, read_experiment
from bench.report.report import collect
from bench.report.resolution import resolutions
from bench.report.score_table import scores
from bench.report.statistics import mean_gain, power, seeds_needed
from tests.bench.made_up import Maker

SYSTEMS: dict[str, dict[str, Any]] = {
    "baseline": {"skill": 0.35},
    "ELMo": {"skill": 0.65, "placement": "input"},
}
INDEPENDENT = "examples taken as independent: these records name no clusters"


def table(
    folder: Path,
    seeds: int,
    *,
    rows: tuple[str, ...] = ("snli",),
    sizes: tuple[int, int] = (0, 0),
    **changes: Any,
) -> tuple[Grid, Path]:
    """A baseline and a far better column, with clusters of `sizes` in the predictions of each."""
    make = Maker(folder)
    cells = [
        make.cell(row, column, seed=seed, cluster_size=size, **system)
        for row in rows
        for (column, system), size in zip(SYSTEMS.items(), sizes, strict=True)
        for seed in range(1, seeds + 1)
    ]
    path = make.experiment("two", cells, **{"baseline": "baseline", **changes})
    return fill(read_experiment(path), read(folder)), path


def test_the_papers_numbers_are_not_of_a_class_of_ones_own(tmp_path: Path) -> None:
    grid, path = table(tmp_path, 1, paper={"snli": {"baseline": 88.0, "ELMo": 88.7}})
    own = "The paper's numbers are of its own models and metrics, these of mine.SNLI."
    assert own not in notes(grid)
    for config in tmp_path.glob("snli/*/config.yaml"):
        config.write_text(config.read_text().replace("tasks.snli.SNLI", "mine.SNLI"))
    assert own in notes(fill(read_experiment(path), read(tmp_path)))
    for config in tmp_path.glob("snli/*/config.yaml"):
        config.unlink()
    assert not any("own models" in note for note in notes(fill(grid.experiment, read(tmp_path))))


def test_runs_whose_dev_rose_to_the_end_are_counted(tmp_path: Path) -> None:
    grid, _ = table(tmp_path, 2)
    (note,) = [note for note in notes(grid) if "dev rose" in note]
    assert note.startswith("In 4 of 4 runs dev rose to the last epoch (baseline 2, ELMo 2): ")
    for path in tmp_path.glob("snli/*/result.json"):
        result = json.loads(path.read_text())
        result["best_epoch"] = 7 if result["elmo"]["placement"] == "none" else 8
        path.write_text(json.dumps(result))
    grid, _ = table(tmp_path / "later", 1)
    grid = fill(grid.experiment, read(tmp_path))
    (note,) = [note for note in notes(grid) if "dev rose" in note]
    assert note.startswith("In 1 of 2 runs dev rose to the last epoch (ELMo 1): ")


def test_runs_that_trained_in_another_precision_than_asked_for_are_counted(tmp_path: Path) -> None:
    grid, _ = table(tmp_path, 2)
    assert not any("trained in" in note for note in notes(grid))
    for path in tmp_path.glob("snli/input*/config.yaml"):
        path.write_text(path.read_text().replace("32-true", "bf16-mixed"))
    (note,) = [
        each for each in notes(fill(grid.experiment, read(tmp_path))) if "trained in" in each
    ]
    assert note.startswith("2 of 4 runs (ELMo 2) trained in 32-true where bf16-mixed was asked for")


def test_runs_that_saw_a_few_batches_are_counted(tmp_path: Path) -> None:
    grid, _ = table(tmp_path, 2)
    assert not any("a trial" in note for note in notes(grid))
    for path in tmp_path.glob("snli/input*/config.yaml"):
        path.write_text(path.read_text().replace("limit_batches: null", "limit_batches: 2"))
    (note,) = [each for each in notes(fill(grid.experiment, read(tmp_path))) if "a trial" in each]
    assert note.startswith("2 of 4 runs saw 2 batches of each split only (trainer.limit_batches)")


def test_clusters_of_the_predictions_count(tmp_path: Path) -> None:
    apart, _ = table(tmp_path / "old", 3)
    together, _ = table(tmp_path / "new", 3, sizes=(5, 5))
    old, new = (each.entries["snli", "ELMo"] for each in (apart, together))
    assert old.against is not None
    assert new.against is not None
    assert (old.against.clusters, new.against.clusters) == (200, 40)
    assert old.against.examples == new.against.examples == 200
    assert new.against.difference == pytest.approx(old.against.difference)
    assert new.against.half_width != pytest.approx(old.against.half_width)
    assert any(note == f"snli: {INDEPENDENT}." for note in notes(apart))
    assert not any(INDEPENDENT in note for note in notes(together))
    assert "clusters" not in frames.comparisons(apart).head
    assert frames.comparisons(together).rows[0][-1] == "40"


def test_an_old_baseline_takes_the_clusters_of_a_new_column(tmp_path: Path) -> None:
    entry = table(tmp_path, 2, sizes=(0, 5))[0].entries["snli", "ELMo"]
    assert entry.against is not None
    assert (entry.against.clusters, entry.clusters) == (40, 40)


@pytest.mark.parametrize("sizes", [(2, 5), (5, 2)])
def test_of_two_records_the_one_with_fewer_clusters_knows(
    sizes: tuple[int, int], tmp_path: Path
) -> None:
    """The other was made when paragraphs counted, say, where articles do now."""
    entry = table(tmp_path, 2, sizes=sizes)[0].entries["snli", "ELMo"]
    assert entry.against is not None
    assert entry.against.clusters == 40


def test_a_single_cluster_is_not_compared(tmp_path: Path) -> None:
    entry = table(tmp_path, 2, sizes=(200, 200))[0].entries["snli", "ELMo"]
    assert entry.against is None
    assert entry.not_compared == "dev: 1 cluster of examples: an interval needs two at least"


@pytest.mark.parametrize(("seeds", "mark"), [(1, "☆☆"), (8, "**")])
def test_stars_of_one_seed_are_hollow(tmp_path: Path, seeds: int, mark: str) -> None:
    grid, path = table(tmp_path, seeds)
    assert grid.entries["snli", "ELMo"].mark == mark
    console = Console(width=120, record=True, file=io.StringIO())
    terminal.show(path, console)
    shown, report = console.export_text(), collect([tmp_path])
    assert mark in shown
    assert ("One seed: of these examples only" in shown) == (seeds == 1)
    assert ("over seeds and examples" in shown) == (seeds > 1)
    assert (r"\ding{73}\ding{73})" in latex.text(report)) == (seeds == 1)
    assert mark in markdown.text(report, []).replace("\\", "")


def test_a_run_named_twice_is_one_seed(tmp_path: Path) -> None:
    """As by manifests of before, of `seed=1,1`."""
    grid, path = table(tmp_path, 1)
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"cells": manifest["cells"] * 2}))
    twice = fill(read_experiment(path), read(tmp_path))
    for place, entry in twice.entries.items():
        assert entry.cells == grid.entries[place].cells
        assert entry.scores == grid.entries[place].scores
        assert entry.mark == grid.entries[place].mark


def test_the_part_of_the_seeds_is_shown(tmp_path: Path) -> None:
    several = table(tmp_path / "three", 3)[0].entries["snli", "ELMo"].against
    one = table(tmp_path / "one", 1)[0].entries["snli", "ELMo"].against
    assert several is not None
    assert one is not None
    assert wording.margin(several) == (
        f"±{several.half_width:.2f}, {several.from_seeds:.2f} from seeds"
    )
    assert several.from_seeds**2 + several.from_examples**2 == pytest.approx(several.half_width**2)
    assert wording.margin(one) == f"±{one.half_width:.2f}"


def test_a_table_says_what_it_can_see(tmp_path: Path) -> None:
    paper = {"snli": {"baseline": 80.0, "ELMo": 90.0}}
    grid, _ = table(tmp_path, 3, paper=paper)
    (found,) = resolutions(grid)
    variances, clusters = found.against.components, found.against.clusters
    assert power(found.smallest, variances, 3, clusters) == pytest.approx(0.8, abs=1e-6)
    assert found.paper == 10
    assert found.seeds == seeds_needed(10, variances, clusters)
    assert found.seeds is not None
    assert power(10, variances, found.seeds, clusters) >= 0.8
    (seen,) = (note for note in notes(grid) if note.startswith("What this table can see"))
    assert f"a true difference of {found.smallest:.1f} points is found 80 times in 100" in seen
    assert f"The paper's difference takes {found.seeds} seeds." in notes(grid)
    assert frames.smallest(grid).rows[0][2:] == [
        f"{found.smallest:.1f}",
        "+10.0",
        str(found.seeds),
    ]


def test_a_difference_that_cannot_be_is_not_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, _ = table(tmp_path, 2)
    monkeypatch.setattr("bench.report.resolution.smallest_difference", lambda *_: 373.8)
    assert frames.smallest(grid).rows[0][2] == "more than 100"
    (seen,) = (note for note in notes(grid) if note.startswith("What this table can see"))
    assert "no difference that is possible is found 80 times in 100" in seen
    assert "373" not in seen


def test_one_seed_does_not_tell_how_many_it_takes(tmp_path: Path) -> None:
    grid, _ = table(tmp_path, 1, paper={"snli": {"baseline": 80.0, "ELMo": 90.0}})
    assert frames.smallest(grid).rows[0][-1] == "not known from one seed"
    assert not any(note.startswith("The paper's difference takes") for note in notes(grid))


@pytest.mark.parametrize(("columns", "heads"), [(2, "λ=0.00000"), (9, "snli")])
def test_a_table_that_would_cut_words_is_turned(tmp_path: Path, columns: int, heads: str) -> None:
    make = Maker(tmp_path)
    names = [f"λ=0.0000{i}" for i in range(columns)]
    cells = [make.cell("snli", name, seed=seed, skill=0.5) for name in names for seed in (1, 2)]
    path = make.experiment("curve", cells, baseline=None)
    console = Console(width=80, record=True, file=io.StringIO())
    terminal.show(path, console)
    shown = console.export_text()
    assert all(name in shown for name in names)
    assert "…" not in shown
    assert heads.lower() in shown.split("┡")[0].lower()


def test_all_tasks_are_averaged(tmp_path: Path) -> None:
    grid, path = table(tmp_path, 3, rows=("snli", "ner"))
    (found,) = over_all_tasks(grid)
    each = [grid.entries[row, "ELMo"].against for row in ("snli", "ner")]
    known = [one for one in each if one is not None]
    assert found.gain == mean_gain(known)
    assert found.gain.value == pytest.approx(mean(one.difference for one in known))
    assert found.improvement.value == 1.0
    (row,) = frames.all_tasks(grid).rows
    assert row == [
        *("ELMo", wording.signed(found.gain.value, 2), wording.interval(found.gain)),
        *("1.00", "2", "3"),
    ]
    report = collect([tmp_path])
    lines = list(csv.DictReader(io.StringIO(csv_file.text(report))))
    (line,) = (line for line in lines if line["row"] == "all tasks")
    assert float(line["difference"]) == pytest.approx(found.gain.value)
    assert float(line["improvement"]) == 1.0
    assert "Over all tasks:" in markdown.text(report, [])
    assert "probability of improvement" in latex.text(report)
    console = Console(width=120, record=True, file=io.StringIO())
    terminal.show(path, console)
    assert "mean gain" in console.export_text()


def test_a_line_of_the_csv_has_the_encoder_of_its_own_runs(tmp_path: Path) -> None:
    table(tmp_path, 2, rows=("snli",))
    lines = list(csv.DictReader(io.StringIO(csv_file.text(collect([tmp_path])))))
    encoders = {line["column"]: line["encoder"] for line in lines if line["table"] != "all runs"}
    assert encoders == {"baseline": "none", "ELMo": "made-up"}


def test_rows_of_one_task_are_not_averaged(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell(f"{train} sentences", column, task="snli", train=train, seed=seed, **system)
        for train in (100, 200)
        for column, system in SYSTEMS.items()
        for seed in (1, 2)
    ]
    path = make.experiment("sizes", cells, baseline="baseline")
    grid = fill(read_experiment(path), read(tmp_path))
    assert len(resolutions(grid)) == 2
    assert over_all_tasks(grid) == []
    assert "over all tasks" not in frames.beside(grid)


def test_in_a_row_of_several_tasks_nothing_is_best(tmp_path: Path) -> None:
    make, tasks = Maker(tmp_path), ("snli", "ner")
    make.experiment("turned", [make.cell("ELMo", task, task=task) for task in tasks])
    report = collect([tmp_path])
    (row,) = scores(report.grids[0]).rows
    assert row.metric == "dev accuracy and F1"
    assert not row.yardsticks
    assert not any(cell.best for cell in row.cells)
    lines = csv.DictReader(io.StringIO(csv_file.text(report)))
    assert [line["metric"] for line in lines if line["table"] == "turned"] == ["accuracy", "f1"]


def test_a_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell("snli", "none", skill=0.55),
        make.cell("snli", "ELMo", skill=0.65, placement="input"),
    ]
    make.experiment("two", [*cells, replace(cells[0], column="same")], baseline="none")
    (grid,) = collect([tmp_path]).grids
    entry = grid.entries["snli", "ELMo"]
    assert entry.against is not None
    assert entry.p == entry.against.p
    assert grid.entries["snli", "same"].not_compared == "these are the baseline's own runs"
