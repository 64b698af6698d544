"""Mixes as means over the seeds of a cell."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from bench.report import frames
from bench.report.formats import terminal
from bench.report.report import collect
from tests.bench.made_up import Maker, changed


def test_mixes_of_other_depths_stand_apart(tmp_path: Path) -> None:
    """The code of a user's encoder may change how many layers it has."""
    make = Maker(tmp_path)
    cells = [make.cell("snli", "ELMo", seed=seed, placement="input") for seed in (1, 2)]
    facts = {"name": "mine", "fingerprint": "b", "layers": 2, "dim": 8, "parameters": 1}
    mix = {"input": {"weights": [0.4, 0.6], "gamma": 1.1}}
    changed(make, "snli", cells[1].run_id, encoder=facts, mix=mix)
    make.experiment("two", cells)
    (grid,) = collect([tmp_path]).grids
    assert [row[-1] for row in frames.weights(grid).rows] == ["1", "1"]


def test_the_terminal_shows_the_mixes_of_the_figure_of_mixes(made_up_runs: Path) -> None:
    (path,) = (made_up_runs / ".experiments").glob("figure2-*.json")
    console = Console(width=160, record=True, file=io.StringIO())
    terminal.show(path, console)
    said = console.export_text()
    assert "Learned mixes" in said
    assert "from uniform" in said
