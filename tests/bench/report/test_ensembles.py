"""Ensembles in a table: what they are compared with, and how often each counts."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from bench.report.notes import notes
from bench.report.report import collect
from tests.bench.made_up import Maker, changed
from tests.bench.report.test_company import table


def test_an_ensemble_is_compared_with_all_seeds(tmp_path: Path) -> None:
    make, seeds = Maker(tmp_path), (1, 2, 3)
    cells = [make.cell("snli", "one", seed=seed, skill=0.55) for seed in seeds]
    cells.append(make.cell("snli", "together", seed=1, skill=0.7))
    members = [{"run_id": cell.run_id, "seed": cell.seed} for cell in cells[:3]]
    changed(make, "snli", cells[3].run_id, ensemble=members)
    make.experiment("ensemble", cells, baseline="one")
    _, grid = table(make)
    one, together = grid.entries["snli", "one"], grid.entries["snli", "together"]
    assert one.scores
    assert together.scores
    assert together.against
    assert together.against.seeds == 3
    difference = together.scores.mean - one.scores.mean
    assert together.against.difference == pytest.approx(difference)
    said = "together: one ensemble of 3 runs; how much another one would differ is in no interval."
    assert said in notes(grid)


@pytest.mark.parametrize(
    ("teams", "seeds"),
    [
        ([(1, 2), (3, 4)], 2),
        ([(1, 2), (3, 4), (5, 6)], 3),
        ([(1, 2, 3), (4, 5)], 2),
        ([(1, 2), (2, 3)], 1),  # which have a run in common
        ([(1, 2, 3, 4), (4, 5)], 1),
    ],
)
def test_each_of_several_ensembles_counts_once(
    tmp_path: Path, teams: list[tuple[int, ...]], seeds: int
) -> None:
    make = Maker(tmp_path)
    every = sorted({seed for team in teams for seed in team})
    ones = {seed: make.cell("snli", "one", seed=seed, skill=0.55) for seed in every}
    cells = [*ones.values()]
    for number, team in enumerate(teams):
        cells.append(make.cell("snli", "together", seed=team[0], skill=0.6 + number / 100))
        members = [{"run_id": ones[seed].run_id, "seed": seed} for seed in team]
        changed(make, "snli", cells[-1].run_id, ensemble=members)
    found = {}
    for baseline, column in (("one", "together"), ("together", "one")):
        make.experiment("ensemble", cells, baseline=baseline)
        _, grid = table(make)
        against = grid.entries["snli", column].against
        assert against is not None
        assert against.seeds == seeds
        found[column] = against.difference
        (said,) = (note for note in notes(grid) if note.startswith("together: "))
        assert said.endswith("those that share a run count as one.")
    assert found["together"] == pytest.approx(-found["one"])
    one, whole = (grid.entries["snli", name].scores for name in ("one", "together"))
    assert one is not None
    assert whole is not None
    alone = dict(zip(every, one.values, strict=True))
    each = zip(whole.values, teams, strict=True)
    beside = [score - fmean(alone[seed] for seed in team) for score, team in each]
    assert found["together"] == pytest.approx(fmean(beside))


def test_ensembles_of_other_seeds_have_labels_of_their_own(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for first in (1, 4):
        run_id = make.run(seed=first, placement="input", l2=first / 10)
        seeds = range(first, first + 3)
        members = [{"run_id": f"none-{seed:010}", "seed": seed} for seed in seeds]
        changed(make, "snli", run_id, ensemble=members)
    labels = [group.label for group in collect([tmp_path]).groups]
    assert [label.split(" ·")[0] for label in labels] == [
        "seeds 1, 2, 3 together",
        "seeds 4, 5, 6 together",
    ]
