"""Experiments that were done again, for other seeds or otherwise: one table or several."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import runs as verb
from bench.report.export import anywhere
from bench.report.merged import read_all
from bench.report.notes import notes
from bench.report.read import read
from bench.report.report import collect
from tests.bench.made_up import Maker, changed


def in_two_sittings(folder: Path, l2: tuple[float, float] = (0.001, 0.001)) -> None:
    """Write an experiment that was made with seed 1, then with seed 2, into one folder."""
    make = Maker(folder)
    for seed, strength in zip((1, 2), l2, strict=True):
        cells = [
            make.cell("snli", "none", seed=seed),
            make.cell("snli", "ELMo", seed=seed, placement="input", l2=strength),
        ]
        path = make.experiment("two", cells, command=f"python -m bench experiment=two seed={seed}")
        path.rename(path.with_name(f"two-000000000{seed}.json"))


def test_further_seeds_in_one_folder_are_one_table(tmp_path: Path) -> None:
    in_two_sittings(tmp_path / "runs")
    (grid,) = collect([tmp_path / "runs"]).grids
    assert [len(entry.runs) for entry in grid.entries.values()] == [2, 2]
    assert grid.experiment.command == "python -m bench experiment=two seed=1,2"
    file = tmp_path / "two.jsonl"
    verb.main(["export", "-o", str(file), f"--runs={tmp_path / 'runs'}"])
    assert len(read_all([file]).experiments) == 1


def test_the_split_of_the_papers_numbers_outlives_an_older_sitting(tmp_path: Path) -> None:
    in_two_sittings(tmp_path)
    new = tmp_path / ".experiments" / "two-0000000002.json"
    paper = {"paper": {"snli": {"ELMo": 88.7}}, "paper_split": "test"}
    new.write_text(json.dumps({**json.loads(new.read_text()), **paper}))
    (grid,) = collect([tmp_path]).grids
    assert "The paper's numbers are test scores." in notes(grid)


def test_a_table_against_another_baseline_outlives_further_seeds(tmp_path: Path) -> None:
    in_two_sittings(tmp_path / "runs")
    path = tmp_path / "runs" / ".experiments" / "two-0000000001.json"
    other = {**json.loads(path.read_text()), "baseline": "ELMo"}
    path.with_name("two-0000000003.json").write_text(json.dumps(other))
    found = collect([tmp_path / "runs"]).grids
    assert sorted((str(grid.baseline), len(grid.runs)) for grid in found) == [
        ("ELMo", 2),
        ("no ELMo on the same data", 4),
    ]


def test_a_table_on_test_outlives_one_of_more_seeds_on_dev(tmp_path: Path) -> None:
    path = Maker(tmp_path).two_columns(seeds=((1, 2), (1, 2)))
    part = json.loads(path.read_text())
    part["cells"] = [cell for cell in part["cells"] if cell["seed"] == 1]
    path.with_name("two-test.json").write_text(json.dumps({**part, "split": "test"}))
    assert sorted(each.split for each in read(tmp_path).experiments) == ["dev", "test"]


def test_one_encoder_in_two_places_is_one_table_and_no_place_is_told(tmp_path: Path) -> None:
    places = [tmp_path / name for name in "ab"]
    for seed, place in enumerate(places, start=1):
        Maker(place).two_columns(seeds=((seed,), (seed,)), encoder=f"/me{seed}/biLM")
    assert len(read_all(places).experiments) == 1
    verb.main(["export", "-o", str(tmp_path / "r.jsonl"), "--runs", str(places[0])])
    assert "/me1" not in (tmp_path / "r.jsonl").read_text()


def test_two_tables_of_the_same_runs_have_names_of_their_own(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("dev", "test")]
    for place in places:
        Maker(place).two_columns(split=place.name)
    assert len({grid.experiment.id for grid in collect(places).grids}) == 2


@pytest.mark.parametrize(
    ("baseline", "said"),
    [
        (None, "ensemble: 2 ensembles of 2 runs."),
        (
            "none",
            "ensemble: 2 ensembles of 2 runs; each counts once, beside the mean of its seeds; "
            "those that share a run count as one.",
        ),
    ],
)
def test_an_ensemble_of_further_seeds_stands_beside_the_first(
    baseline: str | None, said: str, tmp_path: Path
) -> None:
    make = Maker(tmp_path / "runs")
    for first, seeds in enumerate(((1, 2), (3, 4)), start=1):
        cells = [make.cell("snli", "none", seed=seed) for seed in seeds]
        whole = make.cell("snli", "ensemble", seed=10 * seeds[0])
        members = [{"run_id": cell.run_id, "seed": cell.seed} for cell in cells]
        changed(make, "snli", whole.run_id, ensemble=members)
        make.experiment("two", [*cells, whole], baseline=baseline).rename(
            make.folder / ".experiments" / f"two-000000000{first}.json"
        )
    (grid,) = collect([make.folder]).grids
    assert len(grid.entries["snli", "none"].runs) == 4
    assert said in notes(grid)


@pytest.mark.parametrize("several", [False, True])
def test_seeds_of_another_choice_are_another_table(tmp_path: Path, several: bool) -> None:
    """As where the second command had another word that the row and the column do not tell."""
    in_two_sittings(tmp_path / "runs", l2=(0.001, 1.0))
    places = [tmp_path / "runs"]
    if several:
        places.append(tmp_path / "more")
        Maker(places[1]).run(seed=3)
    assert len(read_all(places).experiments) == 2


def test_an_experiment_of_its_name_is_called_by_it_whatever_its_seeds(tmp_path: Path) -> None:
    """So that references in a paper stay right."""
    Maker(tmp_path / "a").two_columns()
    (grid,) = collect([tmp_path / "a"]).grids
    assert grid.experiment.id == "two"
    in_two_sittings(tmp_path / "a", l2=(0.001, 1.0))
    ids = {grid.experiment.id for grid in collect([tmp_path / "a"]).grids}
    assert ids == {"two-0000000001", "two-0000000002"}


def test_two_tables_of_one_command_say_when_they_were_made(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for day, skill in ((1, 0.5), (2, 0.7)):
        cell = make.cell("snli", "none", skill=skill)
        path = tmp_path / "snli" / cell.run_id / "result.json"
        path.write_text(path.read_text().replace("2018-02-15", f"2018-02-0{day}"))
        path = make.experiment("mine", [cell])
        path.rename(path.with_name(f"mine-000000000{day}.json"))
    titles = [grid.experiment.title for grid in collect([tmp_path]).grids]
    assert titles == [f"The title of mine (last run of 2018-02-0{d} 12:00)" for d in (1, 2)]


def test_a_table_of_two_commands_has_both(tmp_path: Path) -> None:
    asked = []
    for place, column, l2 in (("a", "ELMo", 0.1), ("b", "random", 0.001)):
        make = Maker(tmp_path / place)
        cells = [make.cell("snli", "none")]
        cells.append(make.cell("snli", column, placement="input", l2=l2))
        without = f"'experiment.without=[columns.{column}]'"
        asked.append(f"python -m bench experiment=two elmo.l2={l2} {without}")
        make.experiment("two", cells, baseline="none", command=asked[-1])
    (experiment,) = read_all([tmp_path / "a", tmp_path / "b"]).experiments
    assert experiment.command == " && ".join(asked)
    assert anywhere({"command": experiment.command}, [])["command"] == experiment.command
