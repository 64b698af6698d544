"""Evaluations in a report: trained on → tested on, compared on the same examples."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.records import ManifestCell
from bench.report import frames
from bench.report.__main__ import main as make_report
from bench.report.names import natural
from bench.report.notes import notes
from bench.report.probes import probes
from bench.report.report import collect
from bench.run.record import Record
from bench.runs import main as export
from tests.bench.made_up import ENCODER, Maker
from tests.bench.report.evaluations import HOME, evaluation, finished, table


def test_a_table_has_both_sets_and_compares_on_the_same_examples(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    for seed in (1, 2, 3):
        evaluation(make, skill=0.35, seed=seed)
        evaluation(make, skill=0.65, seed=seed, placement="input")
    report, grid = table(make.folder)
    assert grid.experiment.rows == ["mini → away", "mini → mini"]
    assert grid.experiment.columns == ["none", "made-up · input · layers all · λ=0.001"]
    away, home = grid.row("mini → away"), grid.row("mini → mini")
    assert all(entry and entry.scores and len(entry.scores.values) == 3 for entry in away + home)
    assert away[1] is not None
    assert away[1].against is not None
    assert (away[1].against.seeds, away[1].against.examples) == (3, 150)
    assert (away[1].against.clusters, away[1].clusters) == (75, 75)
    assert away[1].mark.startswith("*")
    means = [entry.scores.mean for entry in away if entry and entry.scores]
    assert away[1].against.difference == pytest.approx(means[1] - means[0])
    assert len(report.groups) == 2  # of the runs alone
    assert report.left_out == []
    assert frames.comparisons(grid).rows


def test_noise_on_dev_stands_beside_the_scores_on_dev(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    for skill, placement in ((0.3, "none"), (0.7, "input")):
        evaluation(make, skill=skill, placement=placement)
        evaluation(make, skill=skill, placement=placement, splits=("dev",), noise=0.2)
    away, noisy = collect([make.folder]).grids
    assert noisy.experiment.id == "evaluations-snli-noise"
    assert noisy.experiment.rows == ["mini → mini", "mini → mini (typos 20 %)"]
    assert {entry.split for entry in noisy.entries.values()} == {"dev"}
    assert away.experiment.rows == ["mini → away", "mini → mini"]
    assert {entry.split for entry in away.entries.values()} == {"test"}


def test_one_seed_has_hollow_stars(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.3)
    evaluation(make, skill=0.7, placement="input")
    _, grid = table(make.folder)
    entry = grid.row("mini → away")[1]
    assert entry is not None
    assert entry.mark in ("☆", "☆☆")
    assert any("One seed" in note for note in notes(grid))


def test_renamed_labels_stand_in_the_row(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.5, names={"no": "contradiction"})
    assert "mini → away (no=contradiction)" in table(make.folder)[1].experiment.rows


def test_two_sets_of_one_name_are_told_apart(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.5)
    evaluation(make, skill=0.5, prints={"dev": "f" * 32, "test": "f" * 32}, seed=2)
    rows = table(make.folder)[1].experiment.rows
    assert rows == ["mini → away (dddddd)", "mini → away (ffffff)", "mini → mini"]


def test_two_training_sets_that_share_their_dev_set_are_two_rows(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    for seed, train in ((1, "1" * 32), (2, "2" * 32)):
        run_id = evaluation(make, skill=0.5, seed=seed)
        for folder in (make.folder / "snli").glob(f"{run_id}*"):
            found = finished(folder)
            kept = {**HOME, "train": train}
            if found.evaluation:
                origin = {**found.evaluation.trained_on, "fingerprint": kept}
                found = replace(found, evaluation=replace(found.evaluation, trained_on=origin))
            else:
                found = replace(found, data={**found.data, "fingerprint": kept})
            Record(folder).write_result(found)
    rows = table(make.folder)[1].experiment.rows
    assert [row for row in rows if "away" in row] == [
        "mini (111111) → away",
        "mini (222222) → away",
    ]


def test_a_set_is_one_whichever_split_was_read(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.5, splits=("dev",))
    for given in ({"seed": 2}, {"seed": 3, "noise": 0.2}):
        run_id = evaluation(make, skill=0.5, **given)
        (folder,) = (make.folder / "snli").glob(f"{run_id}-on-*")
        found = finished(folder)
        read = {"fingerprint": {"test": found.data["fingerprint"]["test"]}}
        metrics = {"test": found.metrics["test"]}
        Record(folder).write_result(replace(found, data={**found.data, **read}, metrics=metrics))
    rows = [grid.experiment.rows for grid in collect([make.folder]).grids]
    assert rows == [["mini → away", "mini → mini"], ["mini → mini", "mini → mini (typos 20 %)"]]


def test_of_two_with_other_splits_the_larger_one_counts(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.5)
    evaluation(make, skill=0.5, splits=("dev",))
    entry = table(make.folder)[1].row("mini → away")[0]
    assert entry is not None
    assert (len(entry.runs), entry.split) == (1, "test")


CONTROL = {"data.control": True}


def test_what_trial_runs_give_is_told(tmp_path: Path) -> None:
    evaluation(Maker(tmp_path), skill=0.5)
    assert not any("a trial" in note for note in notes(table(tmp_path)[1]))
    for path in tmp_path.glob("snli/*/config.yaml"):
        path.write_text(path.read_text().replace("limit_batches: null", "limit_batches: 2"))
    (note,) = [note for note in notes(table(tmp_path)[1]) if "a trial" in note]
    assert note.startswith("2 of 2 runs saw 2 batches")


def test_a_control_task_is_a_column_of_its_own(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    real = evaluation(make, skill=0.6, noise=0.2)
    control = evaluation(make, skill=0.4, noise=0.2, config=CONTROL)
    _, grid = table(make.folder)
    assert grid.experiment.columns == ["none", "none · data.control=True"]
    assert grid.experiment.baseline == "none"
    clean = [entry.runs[0].id for entry in grid.row("mini → mini") if entry]
    assert clean == [real, control]
    found = list(probes(grid))
    assert [probe.row for probe in found] == ["mini → mini", "mini → mini (typos 20 %)"]
    assert all(probe.control and probe.selectivity for probe in found)


def test_a_score_under_noise_has_no_control_on_clean_text(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.6, noise=0.2)
    evaluation(make, skill=0.4, noise=0.4, config=CONTROL)
    found = list(probes(table(make.folder)[1]))
    assert [probe.row for probe in found] == ["mini → mini"]


@pytest.mark.parametrize(
    ("config", "prints", "told"),
    [
        ({"encoder.seed": 7}, "ab", (" · encoder.seed=0", " · encoder.seed=7")),
        ({"encoder.precision": "bfloat16"}, "ab", ("", " · encoder.precision=bfloat16")),
        ({"encoder.source": "/elsewhere"}, "ab", (" · {}", " · {}")),
        ({"encoder.source": "/elsewhere"}, "aa", ("",)),
    ],
)
def test_encoders_of_one_name_are_told_apart(
    config: Mapping[str, Any], prints: str, told: tuple[str, ...], tmp_path: Path
) -> None:
    """By their keys, or by a run of each; where they lie does not count."""
    make = Maker(tmp_path / "runs")
    run_ids = []
    for seed, (more, letter) in enumerate(zip(({}, config), prints, strict=True)):
        run_id = evaluation(make, skill=0.5, placement="input", config=more, seed=seed)
        run_ids.append(run_id)
        for folder in (make.folder / "snli").glob(f"{run_id}*"):
            encoder = replace(ENCODER, fingerprint=letter * 64)
            Record(folder).write_result(replace(finished(folder), encoder=encoder))
    _, grid = table(make.folder)
    name = "made-up · input · layers all · λ=0.001"
    columns = [name + more.format(run) for more, run in zip(told, run_ids, strict=False)]
    assert grid.experiment.columns == sorted(columns, key=natural)
    assert len(grid.runs) == 4


def test_an_evaluation_of_a_run_that_was_repeated_is_left_out_and_told(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    run_id = evaluation(make, skill=0.5, head="1" * 64)
    report = collect([make.folder])
    (line,) = report.left_out
    assert line.startswith(f"snli/{run_id}-on-")
    assert line.endswith("its run has been repeated since: evaluate it again")
    assert not report.grids
    evaluation(make, skill=0.5, seed=2)
    entry = table(make.folder)[1].row("mini → away")[0]
    assert entry is not None
    assert [run.seed for run in entry.runs] == [2]


def test_in_an_experiment_it_is_missing(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    run_id = evaluation(make, skill=0.5, noise=0.2, head="1" * 64)
    (noisy,) = (make.folder / "snli").glob(f"{run_id}-on-*")
    place: dict[str, Any] = {
        "row": "none",
        "seed": 1,
        "task": "snli",
        "command": "python -m bench.evaluate",
    }
    cells = [
        ManifestCell(column="clean", run_id=run_id, **place),
        ManifestCell(column="20 %", run_id=noisy.name, **place),
    ]
    make.experiment("noise", cells)
    _, grid = table(make.folder)
    assert [(gap.cell.column, gap.status) for gap in grid.gaps] == [("20 %", "missing")]


def test_of_two_places_the_first_ones_run_decides(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    run_id = evaluation(make, skill=0.5)
    again = tmp_path / "again" / "snli" / run_id
    shutil.copytree(make.folder / "snli" / run_id, again)
    Record(again).write_result(replace(finished(again), files={"head.safetensors": "1" * 64}))
    assert collect([make.folder, tmp_path / "again"]).left_out == []
    (line,) = collect([tmp_path / "again", make.folder]).left_out
    assert "its run has been repeated since" in line


def test_whether_a_run_of_a_file_of_results_was_repeated_is_not_known(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.5)
    export(["export", "--runs", str(make.folder), "-o", str(tmp_path / "results.jsonl")])
    report, grid = table(tmp_path / "results.jsonl")
    assert report.left_out == []
    assert grid.experiment.rows == ["mini → away", "mini → mini"]


def test_every_format_has_the_table(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.3)
    evaluation(make, skill=0.7, placement="input")
    make_report([str(make.folder)])
    for name in ("index.html", "report.md", "report.csv", "report.tex"):
        text = (make.folder / "report" / name).read_text().replace(r"$\to$", "→")
        assert "mini → away" in text, name
    assert (make.folder / "report" / "figures" / "evaluations-snli-differences.png").is_file()


def test_the_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    run_id = evaluation(make, skill=0.5, names={"no": "contradiction"})
    (folder,) = (make.folder / "snli").glob(f"{run_id}-on-*")
    written = json.loads((folder / "result.json").read_text())
    assert written["evaluation"]["names"] == {"no": "contradiction"}
    assert finished(folder).to_json() == written
    assert "evaluation" not in json.loads(
        (make.folder / "snli" / run_id / "result.json").read_text()
    )


def test_an_encoder_drawn_for_each_seed_is_one_column(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    for seed in (1, 2, 3):
        config = {"encoder.seed": seed}
        run_id = evaluation(make, skill=0.5, placement="input", seed=seed, config=config)
        for folder in (make.folder / "snli").glob(f"{run_id}*"):
            drawn = replace(ENCODER, name=f"random-{seed}", fingerprint=f"{seed}" * 64)
            Record(folder).write_result(replace(finished(folder), encoder=drawn))
    (entry,) = table(make.folder)[1].row("mini → away")
    assert entry is not None
    assert len(entry.runs) == 3
