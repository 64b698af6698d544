"""Figures: all that they are of lies within, and each system is told from the others."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from bench.experiment import View
from bench.report import frames
from bench.report.figures.differences import forest
from bench.report.figures.draw import draw
from bench.report.figures.style import MARKERS, MUTED, STYLE
from bench.report.report import collect
from bench.report.sample_efficiency import series
from tests.bench.made_up import Maker

SHARES = (1, 10, 100)


def drawn(make: Maker) -> Figure:
    figure = draw(collect([make.folder]))[0].figure
    with matplotlib.rc_context(STYLE):
        figure.draw_without_rendering()
    return figure


@pytest.mark.filterwarnings("error:constrained_layout not applied")
@pytest.mark.parametrize(("without", "learned"), [(0.3, 0.9), (0.9, 0.3), (0.3, 0.3)])
def test_a_line_beside_a_curve_is_seen_with_its_label(
    without: float, learned: float, tmp_path: Path
) -> None:
    make = Maker(tmp_path)
    cells = [make.cell("snli", "none", skill=without)]
    for x in (0.1, 1):
        cells.append(make.cell("snli", f"λ={x}", x=x, skill=learned, placement="input", l2=x))
    make.experiment("lambda", cells, view=View.curve)
    axes = drawn(make).axes[0]
    low, high = axes.get_ylim()
    scores = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.lines])
    assert low < scores.min() <= scores.max() < high
    (label,) = (each for each in axes.texts if isinstance(each, Annotation))
    box, within = label.get_window_extent(), axes.get_window_extent()
    assert within.y0 <= box.y0 < box.y1 <= within.y1


@pytest.mark.parametrize(("p", "label"), [(0.049, "significant"), (0.051, "not significant")])
def test_a_difference_is_significant_by_its_corrected_p(
    p: float, label: str, tmp_path: Path
) -> None:
    """An interval may leave out 0 where the corrected p-value is not small."""
    make, cells = Maker(tmp_path), []
    for seed in range(1, 9):
        cells.append(make.cell("snli", "none", seed=seed, skill=0.35))
        cells.append(make.cell("snli", "ELMo", seed=seed, skill=0.65, placement="input"))
    make.experiment("two", cells, baseline="none")
    (grid,) = collect([tmp_path]).grids
    entry = grid.entries["snli", "ELMo"]
    assert entry.against is not None
    assert entry.against.low > 0
    changed = {**grid.entries, ("snli", "ELMo"): replace(entry, p=p)}
    (picture,) = forest(replace(grid, entries=changed))
    assert picture.figure.axes[0].lines[-1].get_label() == label


def of_two_mixes(folder: Path, **changes: Any) -> Maker:
    """Sample efficiency of no ELMo and of two mixes, trained for the longer the less there is."""
    make, cells = Maker(folder), []
    systems: dict[str, dict[str, Any]] = {
        "none": {},
        "top": {"placement": "input", "layers": "top", "skill": 0.7},
        "all": {"placement": "input", "layers": "all", "skill": 0.8},
    }
    for name, system in systems.items():
        for x in SHARES:
            cells.append(make.cell("snli", f"{name}, {x} %", x=x, train=90 * x, **system))
            config = folder / "snli" / cells[-1].run_id / "config.yaml"
            text = config.read_text()
            assert "max_epochs: 8" in text
            config.write_text(text.replace("max_epochs: 8", f"max_epochs: {800 // x}"))
    paper = {"snli": {cell.column: 50.0 + (cell.x or 0) / 10 for cell in cells}}
    shown = {"view": View.efficiency, "data": "open", "paper": paper}
    make.experiment("figure1", cells, **{**shown, **changes})
    return make


def test_each_mix_has_a_curve_of_its_own(tmp_path: Path) -> None:
    (grid,) = collect([of_two_mixes(tmp_path).folder]).grids
    assert {each.name: [x for x, _ in each.points] for each in series(grid, "snli")} == {
        "no ELMo": [*SHARES],
        "ELMo, input, elmo.layers=top": [*SHARES],
        "ELMo, input, elmo.layers=all": [*SHARES],
    }


def test_no_two_systems_share_a_colour(tmp_path: Path) -> None:
    axes = drawn(of_two_mixes(tmp_path)).axes[0]
    lines = [line for line in axes.lines if np.size(line.get_xdata()) == len(SHARES)]
    found = {
        style: [to_hex(line.get_color()) for line in lines if line.get_linestyle() == style]
        for style in ("-", ":")
    }
    assert found["-"] == found[":"]  # the paper's
    assert found["-"][0] == MUTED
    assert len(set(found["-"])) == 3


@pytest.mark.parametrize(
    ("view", "baseline", "said"),
    [
        (View.efficiency, None, "no ELMo on the same data"),
        (View.efficiency, "none, 100 %", "none, 100 %"),
        (View.curve, "none, 100 %", None),
        (View.table, "none, 100 %", None),
    ],
)
def test_updates_are_asked_of_sample_efficiency_alone(
    view: View, baseline: str | None, said: str | None, tmp_path: Path
) -> None:
    make = of_two_mixes(tmp_path, view=view, baseline=baseline)
    (grid,) = collect([make.folder]).grids
    found = [name for name in frames.beside(grid) if name.startswith("updates")]
    assert found == ([f"updates to reach the best score of {said}"] if said else [])


@pytest.mark.parametrize("view", [View.weights, View.curve])
def test_thirteen_layers_can_be_told_apart(view: View, tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cell = make.cell("snli", "λ=1", x=1.0, placement="input")
    path = tmp_path / "snli" / cell.run_id / "result.json"
    result = json.loads(path.read_text())
    result["encoder"]["layers"] = 13
    result["mix"] = {"input": {"weights": [1 / 13] * 13, "gamma": 1.2}}
    path.write_text(json.dumps(result))
    make.experiment("deep", [cell], view=view)
    (picture,) = draw(replace(collect([tmp_path]), groups=[]))
    _ = picture.inline  # laid out
    axes = picture.figure.axes[-1]
    if view is View.curve:
        drawn = [line for line in axes.lines if line.get_marker() in [*MARKERS]]
        assert len({(line.get_color(), line.get_marker()) for line in drawn}) == 13
    else:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
