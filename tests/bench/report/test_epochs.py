"""Dev scores by epoch, of made-up runs that stop at different times."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.report.epochs import by_epoch, shown
from bench.report.grid import fill
from bench.report.read import read, read_experiment
from tests.bench.made_up import Maker, changed


@pytest.mark.parametrize(
    ("longest", "expected"),
    [(2, [1, 2]), (6, [1, 2, 3, 4, 5, 6]), (7, [1, 2, 4, 7]), (16, [1, 2, 4, 8, 16])],
)
def test_all_of_a_few_epochs_and_a_few_of_many(longest: int, expected: list[int]) -> None:
    assert list(shown(longest)) == expected


def table(folder: Path, scores: dict[str, list[list[float]]]) -> list[list[str]]:
    """Make runs of these dev scores, a list an epoch for each column's seeds; read their table."""
    make, cells = Maker(folder), []
    for l2, (column, seeds) in enumerate(scores.items()):
        for seed, dev in enumerate(seeds, start=1):
            cell = make.cell("snli", column, seed=seed, placement="input", l2=float(l2))
            history = [
                {"epoch": n, "dev": {"accuracy": score}, "seconds": 1.0}
                for n, score in enumerate(dev, start=1)
            ]
            changed(make, "snli", cell.run_id, history=history)
            cells.append(cell)
    frame = by_epoch(fill(read_experiment(make.experiment("own", cells)), read(folder)))
    return [frame.head, *frame.rows] if frame.rows else []


def test_means_are_of_the_seeds_that_still_trained(tmp_path: Path) -> None:
    scores = {"one": [[10.0, 20.0, 30.0], [20.0, 40.0]], "other": [[50.0, 40.0]]}
    assert table(tmp_path, scores) == [
        ["row", "column", "epoch 1", "epoch 2", "epoch 3"],
        ["snli", "one", "15.0", "30.0", "30.0 (1)"],
        ["snli", "other", "50.0", "40.0", ""],
    ]


def test_what_takes_one_epoch_has_no_table(tmp_path: Path) -> None:
    assert table(tmp_path, {"one": [[10.0]]}) == []
