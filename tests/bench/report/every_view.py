"""A runs folder of which a report has everything to show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.experiment import View
from tests.bench.made_up import Maker

SEEDS = (1, 2, 3)


def everything(folder: Path) -> None:
    """One experiment of each view, gaps of each kind, and runs that no experiment asked for."""
    make = Maker(folder)
    systems: dict[str, dict[str, Any]] = {
        "baseline": {"skill": 0.55, "placement": "none"},
        "last only": {"skill": 0.6, "placement": "input", "layers": "top"},
        "all, λ=1": {"skill": 0.62, "placement": "input", "l2": 1.0},
        "all, λ=0.001": {"skill": 0.64, "placement": "input", "shift": 1.0},
    }
    cells = [
        make.cell(row, column, seed=seed, **system)
        for row in ("snli", "ner")
        for column, system in systems.items()
        for seed in SEEDS
        if (row, column) != ("ner", "all, λ=1")
    ]
    for seed, status in zip(SEEDS, ("failed", "missing", "unfinished"), strict=True):
        cells.append(
            make.cell("ner", "all, λ=1", seed=seed, status=status, placement="input", l2=1.0)
        )
    make.experiment(
        "table2",
        cells,
        columns=list(systems),
        baseline="baseline",
        paper={"snli": {"baseline": 88.1, "last only": 89.1, "all, λ=1": 89.3}},
    )
    _others(make)


def _others(make: Maker) -> None:
    strengths = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)
    curve = [
        make.cell("snli", f"λ={x:g}", x=x, seed=seed, skill=0.61 - abs(x - 0.01) / 100,
                  placement="input+output", l2=x, shift=0.5 / (1 + 5 * x))
        for x in strengths
        for seed in SEEDS
    ]  # fmt: skip
    make.experiment("lambda", curve, view=View.curve, title="Score and weights against λ")
    efficiency = [
        make.cell(
            "snli", f"{name}, {x:g} %", x=x, skill=0.3 + 0.06 * i + gain, train=int(90 * x),
            placement=place,
        )
        for name, place, gain in (("baseline", "none", 0), ("ELMo", "input", 0.08))
        for i, x in enumerate((0.1, 1, 10, 100))
    ]  # fmt: skip
    make.experiment("figure1", efficiency, view=View.efficiency, title="Sample efficiency")
    weights = [
        make.cell(task, place, task=task, skill=0.66, placement=place, shift=2.0, l2=0.0)
        for task in ("snli", "ner")
        for place in ("input", "input+output")
    ]
    make.experiment("figure2", weights, view=View.weights, title="Which layers each task uses")
    make.run("snli", skill=0.5, layers="mean", placement="output")
    make.run("ner", skill=0.7, status="failed", placement="output")
