"""Sample efficiency (the paper's Figure 1): how soon a system is as good as the baseline gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.experiment import View
from bench.report import frames
from bench.report.grid import fill
from bench.report.read import read, read_experiment
from bench.report.report import collect
from bench.report.sample_efficiency import reached
from tests.bench.made_up import Maker, changed, given


def test_sample_efficiency_pairs_what_saw_the_same_data(made_up_runs: Path) -> None:
    path = made_up_runs / ".experiments" / "figure1-0123456789.json"
    found = fill(read_experiment(path), read(made_up_runs))
    assert found.entries["snli", "baseline, 1 %"].against is None
    assert found.entries["snli", "ELMo, 1 %"].against is not None
    (small, *_, whole) = reached(found)
    assert small.column == "ELMo, 0.1 %"
    assert small.baseline.updates == small.baseline.epochs  # 9 examples: a batch
    assert whole.column == "ELMo, 100 %"
    assert (whole.baseline.epochs, whole.baseline.updates) == (8, 8 * 282)  # 9,000 examples
    assert whole.needed is not None
    assert whole.needed.epochs < 8
    assert whole.saved == pytest.approx(1 - whole.needed.epochs / 8)


def test_updates_are_of_the_batches_that_each_system_had(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell("snli", "baseline", x=1.0, skill=0.55),
        make.cell("snli", "ELMo", x=1.0, skill=0.65, placement="input"),
    ]
    path = make.experiment("two", cells, view=View.efficiency)
    for cell, steps in zip(cells, (100, 10), strict=True):
        place = tmp_path / "snli" / cell.run_id / "result.json"
        result = json.loads(place.read_text())
        place.write_text(json.dumps({**result, "steps": steps * result["epochs"]}))
    (found,) = reached(fill(read_experiment(path), read(make.folder)))
    assert found.needed is not None
    assert found.baseline.updates == 100 * found.baseline.epochs
    assert found.needed.updates == 10 * found.needed.epochs
    saved = 1 - 10 * found.needed.epochs / (100 * found.baseline.epochs)
    assert found.saved == pytest.approx(saved)
    changed(make, "snli", cells[1].run_id, history=[])  # as of an ensemble
    assert list(reached(fill(read_experiment(path), read(make.folder)))) == []


@pytest.mark.parametrize(
    ("second", "needed"), [([5.0, 30.0, 29.0], 2.5), ([5.0, 29.0, 29.0], None)]
)
def test_a_score_is_reached_in_the_first_epoch_that_has_it(
    second: list[float], needed: float | None, tmp_path: Path
) -> None:
    """By hand: both baselines are best, at 30, after two epochs; the first ELMo gets there after
    three, the second after two or never."""
    curves = {
        "none": ([10.0, 30.0, 20.0], [20.0, 30.0, 30.0]),
        "input": ([29.0, 29.5, 30.0], second),
    }
    make, cells = Maker(tmp_path), []
    for placement, seeds in curves.items():
        for seed, dev in enumerate(seeds, start=1):
            cells.append(make.cell("snli", placement, x=1.0, seed=seed, placement=placement))
            history = [
                {"epoch": epoch, "dev": {"accuracy": score}, "seconds": 1.0}
                for epoch, score in enumerate(dev, start=1)
            ]
            changed(make, "snli", cells[-1].run_id, history=history)
    path = make.experiment("two", cells, view=View.efficiency)
    grid = fill(read_experiment(path), read(make.folder))
    (found,) = reached(grid)
    assert (found.best, found.baseline.epochs) == (30, 2)
    assert (found.needed and found.needed.epochs) == needed
    assert (frames.reached(grid).rows[0][4] == "never") == (needed is None)


def test_each_system_is_compared_with_no_elmo_of_its_own_kind(tmp_path: Path) -> None:
    make, cells = Maker(tmp_path), []
    for size, skill in ((16, 0.5), (64, 0.6)):
        for placement in ("none", "input"):
            run: dict[str, Any] = {"skill": skill, "placement": placement}
            cells.append(make.cell("snli", f"{placement} {size}", x=10.0, **run))
            given(tmp_path / "snli" / cells[-1].run_id, {"training.batch_size": size})
    make.experiment("figure1", cells, view=View.efficiency)
    (grid,) = collect([tmp_path]).grids
    assert [grid.base("snli", f"input {size}") for size in (16, 64)] == ["none 16", "none 64"]
