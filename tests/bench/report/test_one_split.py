"""Evaluations on one split each: which split a row shows, and what is said of the rest."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

from bench.report.notes import notes
from bench.report.report import collect
from bench.run.record import Record
from tests.bench.made_up import Maker, given
from tests.bench.report.evaluations import evaluation, finished, table


def one_split_each(make: Maker, splits: tuple[str, ...], seed: int) -> None:
    """Replace an evaluation of a run by one on each of these splits, the last of the last name."""
    run_id = evaluation(make, skill=0.5, seed=seed)
    (both,) = (make.folder / "snli").glob(f"{run_id}-on-*")
    for name, split in zip("ab", splits, strict=False):
        folder = Path(shutil.copytree(both, both.with_name(f"{run_id}-on-{name}")))
        found = finished(folder)
        metrics = {split: found.metrics[split]}
        Record(folder).write_result(replace(found, run_id=folder.name, metrics=metrics))
    shutil.rmtree(both)


def test_the_one_on_the_split_that_is_shown_counts(tmp_path: Path) -> None:
    """Whatever their names."""
    make = Maker(tmp_path / "runs")
    one_split_each(make, ("test", "dev"), seed=1)
    one_split_each(make, ("dev", "test"), seed=2)
    (entry,) = table(make.folder)[1].row("mini → away")
    assert entry is not None
    assert entry.split == "test"
    assert {run.seed: run.id[-1] for run in entry.runs} == {1: "a", 2: "b"}
    assert entry.scores is not None
    assert len(entry.scores.values) == 2


def test_runs_without_the_split_are_told(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    one_split_each(make, ("test",), seed=1)
    one_split_each(make, ("dev",), seed=2)
    _, grid = table(make.folder)
    assert "mini → away: no test score in every run, so dev is shown." in notes(grid)
    assert "mini → away: 1 run without a score on dev: in no mean." in notes(grid)


def test_a_row_scored_on_test_alone_is_shown(tmp_path: Path) -> None:
    make = Maker(tmp_path / "runs")
    evaluation(make, skill=0.5, noise=0.2, splits=("dev",))
    run_id = evaluation(make, skill=0.5, noise=0.4, seed=2)
    (folder,) = (make.folder / "snli").glob(f"{run_id}-on-*")
    found = finished(folder)
    Record(folder).write_result(replace(found, metrics={"test": found.metrics["test"]}))
    _, grid = table(make.folder)
    (entry,) = grid.row("mini → mini (typos 40 %)")
    assert entry is not None
    assert entry.scores is not None
    row = "mini → mini (typos 40 %)"
    assert f"{row}: no dev score in every run, so test is shown." in notes(grid)


def test_the_split_of_the_papers_numbers_is_told_where_another_is_shown(tmp_path: Path) -> None:
    paper = {"snli": {"baseline": 88.0, "ELMo": 88.7}}
    for split, told in (("dev", True), ("test", False)):
        place = tmp_path / split
        Maker(place).two_columns(paper=paper, paper_split="test", split=split)
        (grid,) = collect([place]).grids
        assert ("The paper's numbers are test scores." in notes(grid)) is told


def test_an_earlier_file_s_paper_numbers_have_their_split(tmp_path: Path) -> None:
    path = Maker(tmp_path).two_columns(
        paper={"snli": {"baseline": 88.0, "ELMo": 88.7}}, source="Peters et al. 2018, Table 1"
    )
    content = json.loads(path.read_text())
    content.pop("paper_split", None)
    path.write_text(json.dumps(content))
    (grid,) = collect([tmp_path]).grids
    assert "The paper's numbers are test scores." in notes(grid)


def test_words_from_scratch_are_told_beside_the_papers_numbers(tmp_path: Path) -> None:
    Maker(tmp_path).two_columns(paper={"snli": {"baseline": 88.0, "ELMo": 88.7}})
    for folder in tmp_path.glob("snli/none-*"):
        given(folder, {"task.word_dim": 300})
    (grid,) = collect([tmp_path]).grids
    said = "snli: the head's words are learned from scratch"
    assert any(note.startswith(said) for note in notes(grid))
    for folder in tmp_path.glob("snli/none-*"):
        given(folder, {"word_vectors": "glove.840B.300d"})
    (grid,) = collect([tmp_path]).grids
    assert not any(note.startswith(said) for note in notes(grid))
