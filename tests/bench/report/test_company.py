"""What stands together in a table, and what must not: seeds, shares of the data, encoders."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bench.experiment import View
from bench.report import frames
from bench.report.export import export
from bench.report.grid import Grid
from bench.report.groups import groups
from bench.report.notes import notes
from bench.report.read import read
from bench.report.report import Report, collect
from bench.report.resolution import resolutions
from bench.report.sample_efficiency import reached, series
from tests.bench.made_up import Maker, changed, given


def encoded(make: Maker, run_id: str, name: str, fingerprint: str | None = None) -> None:
    """Give a run of SNLI an encoder of this name."""
    facts = {
        "name": name,
        "fingerprint": fingerprint or name,
        "layers": 3,
        "dim": 8,
        "parameters": 1,
    }
    changed(make, "snli", run_id, encoder=facts)


def table(make: Maker) -> tuple[Report, Grid]:
    report = collect([make.folder])
    return report, report.grids[0]


def test_what_needs_no_learning_is_shown_where_most_is_trained_on(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell("ner", f"{train}", seed=seed, train=train)
        for train in (30, 3000)
        for seed in (1, 2)
    ]
    for cell, score in zip(cells, (1.0, 2.0, 9.0, 10.0), strict=True):
        changed(make, "ner", cell.run_id, yardsticks={"dev": {"each word's usual tag": score}})
    make.experiment("two", cells)
    report, grid = table(make)
    assert grid.yardsticks("ner") == {"each word's usual tag": 9.5}
    (block,) = frames.runs(report.groups)
    assert block.note == "F1; trivial baselines: each word's usual tag 9.5 dev"


def test_a_seed_counts_once(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    first, again = make.run(seed=2, skill=0.6), make.run(seed=2, skill=0.7)
    for run_id, year in ((first, 2025), (again, 2026)):
        path = tmp_path / "snli" / run_id / "result.json"
        sitting = json.loads(path.read_text())["provenance"][0]
        changed(make, "snli", run_id, provenance=[{**sitting, "date": f"{year}-01-01"}])
    report = collect([tmp_path])
    (group,) = report.groups
    assert [run.id for run in group.runs] == [again]
    assert report.left_out == [f"snli/{first}: a later run of the same choice and seed stands"]


def test_a_backup_copy_stands_only_where_the_run_is_gone(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    run = make.run()
    folder, elsewhere = make.folder / "snli" / run, tmp_path / "elsewhere"
    for copy in (f"{run}.bak", f"{run}.old", "before"):
        shutil.copytree(folder, folder.with_name(copy))
    shutil.copytree(folder, elsewhere / "snli" / "moved")
    changed(make, "snli", run, seed=2)  # repeated since
    for places in ([make.folder], [make.folder, elsewhere], [elsewhere, make.folder]):
        records = collect(places).records
        assert [(each.id, each.seed) for each in records.listed] == [(run, 2)]
        assert f"snli/{run}.bak: a copy of snli/{run}: left out" in records.problems
    shutil.rmtree(folder)
    records = read(make.folder)
    assert [each.id for each in records.listed] == ["before"]
    export(records, records.runs, tmp_path / "one.jsonl")
    (exported,) = collect([tmp_path / "one.jsonl"]).records.runs
    assert exported == ("snli", run)


@pytest.mark.parametrize(("seeds", "said"), [((1, 2, 3), False), ((2, 3), True), ((2, 3, 4), True)])
def test_a_difference_of_fewer_seeds_than_the_scores_is_named(
    tmp_path: Path, seeds: tuple[int, ...], said: bool
) -> None:
    make = Maker(tmp_path)
    make.two_columns(seeds=((1, 2, 3), seeds))
    note = "Differences of the seeds that both have, fewer than the scores: snli, ELMo (2)."
    assert (note in notes(table(make)[1])) == said


def test_runs_of_several_versions_are_counted(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    make.two_columns(seeds=((1, 2), (1, 2)))
    _, grid = table(make)
    assert not any("versions" in note for note in notes(grid))
    run = grid.entries["snli", "ELMo"].runs[0]
    changed(make, "snli", run.id, versions={"elmo-bench": "0.3.0"})
    (note,) = (note for note in notes(table(make)[1]) if "versions" in note)
    assert note.endswith("elmo-bench: 0.1.0 (baseline 2, ELMo 1); 0.3.0 (ELMo 1).")


@pytest.mark.parametrize("prints", ["aa", "ab"])
def test_a_cell_of_two_encoders_of_one_name_says_so(tmp_path: Path, prints: str) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("snli", "ELMo", seed=seed, placement="input") for seed in (1, 2)]
    for cell, fingerprint in zip(cells, prints, strict=True):
        encoded(make, cell.run_id, "mine", fingerprint)
    make.experiment("two", cells)
    said = [note for note in notes(table(make)[1]) if "different encoders" in note]
    assert len(said) == (prints == "ab")
    assert all(
        "snli, ELMo: runs with 2 different encoders of the name mine" in each for each in said
    )


@pytest.mark.parametrize("editions", ["aa", "ab"])
def test_a_row_of_two_editions_of_the_data_says_so(tmp_path: Path, editions: str) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("snli", "none"), make.cell("snli", "ELMo", placement="input")]
    for cell, edition in zip(cells, editions, strict=True):
        data = {"name": "mini", "fingerprint": {"train": "c", "dev": edition}}
        changed(make, "snli", cell.run_id, data=data)
    make.experiment("two", cells, baseline="none")
    said = any("not all of its runs" in note for note in notes(table(make)[1]))
    assert said == (editions == "ab")


def test_columns_of_two_machines_keep_the_numbers_of_the_paper(tmp_path: Path) -> None:
    papers = {"last": 89.1, "all": 89.3}
    for number, (column, value) in enumerate(papers.items()):
        make = Maker(tmp_path / column)
        cells = [make.cell("snli", "none"), make.cell("snli", column, l2=number, placement="input")]
        paper = {"snli": {"none": 88.1, column: value}}
        make.experiment("table2", cells, baseline="none", paper=paper)
    (grid,) = collect([tmp_path / column for column in papers]).grids
    assert grid.experiment.paper == {"snli": {"none": 88.1, **papers}}


def test_each_file_of_results_has_its_own_runs_in_its_tables(tmp_path: Path) -> None:
    """Of one choice and seed, made by two versions, whose scores differ."""
    means = {}
    for name, skill in (("a", 0.5), ("b", 0.8)):
        make = Maker(tmp_path / name)
        cell = make.cell("snli", "none", skill=skill)
        folder = make.folder / "snli" / cell.run_id
        path = folder.rename(folder.with_name("none-0000000001")) / "result.json"
        path.write_text(path.read_text().replace(cell.run_id, "none-0000000001"))
        make.experiment(name, [replace(cell, run_id="none-0000000001")])
        means[name] = collect([make.folder]).grids[0].entries["snli", "none"].scores
        records = read(make.folder)
        export(records, records.runs, tmp_path / "results" / f"{name}.jsonl")
    report = collect([tmp_path / "results"])
    found = {grid.experiment.name: grid.entries["snli", "none"].scores for grid in report.grids}
    assert found == means
    assert [group.scores("dev") for group in report.groups] == [means["a"]]
    assert len(report.left_out) == 2  # dev and test
    assert all("none-0000000001" in line and "first stands" in line for line in report.left_out)


def test_each_encoder_has_a_curve_of_its_own(tmp_path: Path) -> None:
    make, cells = Maker(tmp_path), []
    for x in (10, 100):
        cells.append(make.cell("snli", f"none, {x}", x=x, train=30 * x))
        for encoder, skill in (("ELMo", 0.7), ("random", 0.65)):
            cell = make.cell(
                "snli", f"{encoder}, {x}", x=x, train=30 * x, skill=skill, placement="input"
            )
            encoded(make, cell.run_id, encoder)
            cells.append(cell)
    make.experiment("figure1", cells, view=View.efficiency)
    _, grid = table(make)
    curves = {each.name: [x for x, _ in each.points] for each in series(grid, "snli")}
    assert curves == {"no ELMo": [10, 100], "ELMo, input": [10, 100], "random, input": [10, 100]}
    columns = ["ELMo, 10", "ELMo, 100", "random, 10", "random, 100"]
    assert [each.column for each in reached(grid)] == columns


def test_costs_name_every_encoder(tmp_path: Path) -> None:
    make, cells = Maker(tmp_path), []
    for layers, column, names in (("all", "one draw", "AA"), ("top", "several", "AB")):
        for seed, name in enumerate(names):
            cell = make.cell("snli", column, seed=seed, placement="input", layers=layers)
            encoded(make, cell.run_id, name)
            cells.append(cell)
    make.experiment("draws", cells)
    _, grid = table(make)
    assert [row[:3] for row in frames.costs(grid).rows] == [
        ["snli", "one draw", "A"],
        ["snli", "several", "A, B"],
    ]


def test_two_that_score_alike_say_nothing_of_small_differences(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("snli", "none", skill=1.0)]
    cells.append(make.cell("snli", "ELMo", skill=1.0, placement="input"))
    make.experiment("alike", cells, baseline="none")
    _, grid = table(make)
    against = grid.entries["snli", "ELMo"].against
    assert against is not None
    assert (against.difference, against.alike) == (0.0, True)
    assert resolutions(grid) == []
    assert any("difference is the same on every example" in note for note in notes(grid))
    assert not any("What this table can see" in note for note in notes(grid))


def test_an_untrained_encoder_drawn_for_each_seed_is_one_line(tmp_path: Path) -> None:
    """As encoder=random_by_seed has it; one draw for several seeds is another line."""
    make = Maker(tmp_path)
    pairs = [(1, 1), (2, 2), (3, 3), (1, 0), (2, 0)]  # seeds of the head and of the encoder
    for seed, draw in pairs:
        run_id = make.run(seed=seed, placement="input", train=3000 if draw else 2999)
        folder = tmp_path / "snli" / run_id
        given(folder, {"data.train_share": 1.0, "encoder.seed": draw})
        result = json.loads((folder / "result.json").read_text())
        result["encoder"] |= {"name": f"random-{draw}", "fingerprint": f"draw-{draw}"}
        (folder / "result.json").write_text(json.dumps(result))
    found = groups(read(tmp_path).finished)
    assert {(group.encoder_names, len(group.runs)) for group in found} == {
        ("random-1, random-2, random-3", 3),
        ("random-0", 2),
    }


def test_costs_of_an_ensemble_of_several_encoders(tmp_path: Path) -> None:
    """Its record has their names alone."""
    make = Maker(tmp_path)
    cells = [make.cell("snli", f"{i}", skill=i / 10, placement="input") for i in (6, 7)]
    encoded(make, cells[0].run_id, "A")
    changed(make, "snli", cells[1].run_id, encoder={"name": "A, B"})
    make.experiment("two", cells)
    _, grid = table(make)
    (sizes,) = {index for index, name in enumerate(frames.costs(grid).head) if "×" in name}
    assert [row[sizes] for row in frames.costs(grid).rows] == ["3 × 8", ""]
