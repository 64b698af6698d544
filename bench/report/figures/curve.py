"""Score and learned weights against a column's x, λ above all: a logarithmic axis that has a 0."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes

from bench.report.figures.style import MARKERS, MUTED, SERIES, Picture, legend, sheet
from bench.report.grid import Entry, Grid
from bench.report.mixes import MeanMix, mixes

LEAST = 1.0  # points
Points = list[tuple[float, Entry]]


def curve(grid: Grid) -> Iterator[Picture]:
    """Yield one picture a row: the score, and the shares of the layers at each place."""
    experiment = grid.experiment
    name = _name(experiment.columns)
    for number, row in enumerate(experiment.rows):
        points = _points(grid, row)
        if not points:
            continue
        mixed = [(x, mix) for x, entry in points for mix in mixes(entry.runs)]
        places = list(dict.fromkeys(mix.place for _, mix in mixed))
        layers = max((len(mix.weights) for _, mix in mixed), default=0)
        lines = -(-layers // 4) if layers > 4 else 0  # of a legend below
        height = 2.0 + 1.5 * len(places) + 0.16 * lines
        figure, panels = sheet(1 + len(places), height=height)
        axis = _Axis([x for x, _ in points])
        _scores(panels[0], axis, points, grid, row)
        for axes, place in zip(panels[1:], places, strict=True):
            _shares(axes, axis, [(x, mix) for x, mix in mixed if mix.place == place])
        axis.label(panels[-1], name)
        if lines:
            legend(figure, panels[1:], columns=4)
        shares, uniform = (
            (" and learned shares of the layers", "; dotted: uniform") if places else ("", "")
        )
        yield Picture(
            name=f"{experiment.id}-{number + 1}",
            section=experiment.id,
            caption=f"{grid.title(row)}: score{shares} against {name} "
            f"(means over the seeds; bars: standard deviation{uniform}).",
            alt=f"{row}: score{shares} against {name}",
            figure=figure,
        )


def _points(grid: Grid, row: str) -> Points:
    found = [
        (entry.cells[0].x, entry)
        for entry in grid.row(row)
        if entry and entry.scores and entry.cells[0].x is not None
    ]
    return sorted(found, key=lambda point: point[0])


def _name(columns: Sequence[str]) -> str:
    """Return what the columns vary: `λ` where they are λ=0, λ=1, …; else `x`."""
    names = {column.partition("=")[0] for column in columns if "=" in column}
    return names.pop() if len(names) == 1 else "x"


class _Axis:
    """A logarithmic axis on which 0 stands one step left of the smallest other value."""

    def __init__(self, values: Sequence[float]) -> None:
        positive = [math.log10(value) for value in values if value > 0]
        self.zero = min(positive, default=0.0) - 1
        self.values = sorted(set(values))

    def __call__(self, value: float) -> float:
        return math.log10(value) if value > 0 else self.zero

    def label(self, axes: Axes, name: str) -> None:
        ticks = [self(value) for value in self.values]
        axes.set_xticks(ticks, [f"{value:g}" for value in self.values])
        axes.set_xlabel(name)
        if 0 in self.values and len(self.values) > 1:  # the axis is broken there
            axes.plot(
                self.zero + 0.5, 0, marker=(2, 0, -30), markersize=9, color=MUTED,
                transform=axes.get_xaxis_transform(), clip_on=False,
            )  # fmt: skip


def _scores(axes: Axes, axis: _Axis, points: Points, grid: Grid, row: str) -> None:
    for entry in grid.row(row):
        if entry and entry.scores and entry.cells[0].x is None:
            axes.axhline(entry.scores.mean, color=MUTED, linestyle="--", linewidth=1.2)
            label = entry.cells[0].column
            axes.annotate(label, (1, entry.scores.mean), xycoords=("axes fraction", "data"),
                          ha="right", va="bottom", color=MUTED, fontsize=8)  # fmt: skip
            axes.margins(y=0.16)  # room for the label of an uppermost line
    found = [(axis(x), entry.scores) for x, entry in points if entry.scores]
    axes.errorbar(
        [x for x, _ in found],
        [scores.mean for _, scores in found],
        yerr=[scores.sd or 0 for _, scores in found],
        color=SERIES[0],
        marker="o",
        elinewidth=1,
    )
    _widen(axes)
    axes.set_title(f"{grid.title(row)}, {grid.scored_by(row)}")


def _widen(axes: Axes) -> None:
    """Let the axis span LEAST points or more: a smaller difference shall not look like a cliff.

    This ends autoscaling: all must have been drawn.
    """
    low, high = axes.get_ylim()
    more = max(LEAST - (high - low), 0) / 2
    axes.set_ylim(low - more, high + more)


def _shares(axes: Axes, axis: _Axis, found: Sequence[tuple[float, MeanMix]]) -> None:
    depths = {len(mix.weights) for _, mix in found}  # of several encoders, maybe unlike
    layers = max(depths)
    if len(depths) == 1:
        axes.axhline(1 / layers, color=MUTED, linestyle=":", linewidth=1.2)
    for layer in range(layers):
        there = [(x, mix) for x, mix in found if layer < len(mix.weights)]
        axes.plot(
            [axis(x) for x, _ in there],
            [mix.weights[layer] for _, mix in there],
            color=SERIES[layer % len(SERIES)],
            marker=MARKERS[layer % len(MARKERS)],
            label=f"layer {layer}",
        )
    axes.set_title(f"share of each layer, {found[0][1].place}")
    axes.set_ylim(0, 1.08 * axes.get_ylim()[1])  # room for the uppermost markers
    if layers <= 4:
        axes.legend(ncols=layers, loc="best")
