"""Selectivity and code length in a report, from made-up runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from bench.records import ManifestCell
from bench.report import frames
from bench.report.formats import markdown, terminal
from bench.report.grid import Grid, fill
from bench.report.probes import EXPLAINED, probes
from bench.report.read import read, read_experiment
from bench.report.report import collect
from tests.bench.made_up import Maker, changed, given

SEEDS = (1, 2, 3)


def coded(make: Maker, cell: ManifestCell, bits: float) -> None:
    """Give the run an online code of 100 labels, of 8 that there are."""
    blocks = [{"known": 0, "labels": 20, "bits": 60.0}, {"known": 5, "labels": 80, "bits": bits}]
    changed(make, cell.task, cell.run_id, online_code={"choices": 8, "blocks": blocks})


def table(folder: Path) -> tuple[Grid, Path]:
    make = Maker(folder)
    cells = [make.cell("biLM", "top", task="snli", seed=s, skill=0.8) for s in SEEDS]
    controls = [make.cell("biLM-control", "top", task="snli", seed=s, skill=0.5) for s in SEEDS]
    other = [make.cell("other", "top", task="snli", skill=0.7, train=1000)]
    for cell, bits in zip(cells, (40.0, 90.0, 90.0), strict=True):
        coded(make, cell, bits)
    for cell in controls:
        given(folder / cell.task / cell.run_id, {"data.control": True})
        coded(make, cell, 240.0)
    path = make.experiment("probes", [*cells, *controls, *other])
    return fill(read_experiment(path), read(folder)), path


def test_a_probe_stands_beside_its_control(tmp_path: Path) -> None:
    grid, path = table(tmp_path)
    (found,) = probes(grid)
    assert (found.row, found.column) == ("biLM", "top")
    assert found.control is grid.entries["biLM-control", "top"]
    assert found.code is not None
    assert found.code.bits == pytest.approx((100 + 150 + 150) / 3)
    assert found.code.compression == pytest.approx((300 / 100 + 300 / 150 * 2) / 3)
    assert found.control_code is not None
    assert found.control_code.compression == pytest.approx(1.0)
    assert found.selectivity is not None
    scores, control = found.entry.scores, found.control.scores
    assert scores is not None
    assert control is not None
    assert found.selectivity.difference == pytest.approx(scores.mean - control.mean)
    assert found.selectivity.seeds == 3
    (row,) = frames.selectivities(grid).rows
    assert row[-2:] == ["0.13 kbit (2.3 ×)", "0.30 kbit (1.0 ×)"]
    console = Console(width=160, record=True, file=io.StringIO())
    terminal.show(path, console)
    assert "control's code" in console.export_text()
    text = markdown.text(collect([tmp_path]), [])
    assert "Probes:" in text
    assert EXPLAINED.split(";")[0] in text


def test_an_experiment_without_probes_says_nothing_of_them(made_up_runs: Path) -> None:
    for grid in collect([made_up_runs]).grids:
        assert not frames.selectivities(grid).rows
        assert "probes" not in frames.beside(grid)
