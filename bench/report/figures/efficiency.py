"""The sample-efficiency curves, one picture a row."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes

from bench.report.figures.style import MARKERS, MUTED, SERIES, Picture, legend, sheet
from bench.report.grid import Grid
from bench.report.sample_efficiency import Series, series


def efficiency(grid: Grid) -> Iterator[Picture]:
    """Yield one picture for each row with scores."""
    experiment = grid.experiment
    for number, row in enumerate(experiment.rows):
        systems = series(grid, row)
        if not systems:
            continue
        wordy = any(system.differs for system in systems)  # then a name takes a line of the legend
        figure, (axes,) = sheet(height=3.0 + 0.2 * wordy * len(systems))
        without = [system for system in systems if system.placement == "none"]
        for alike in (without, [system for system in systems if system.placement != "none"]):
            for i, system in enumerate(alike):
                _draw(axes, system, i, with_paper=experiment.data != "mini")
        axes.set_xscale("log")
        ticks = sorted({x for system in systems for x, _ in system.points})
        axes.set_xticks(ticks, [f"{x:g} %" for x in ticks])
        axes.minorticks_off()
        axes.set_xlabel("part of the training set")
        axes.set_title(f"{grid.title(row)}, {grid.scored_by(row)}")
        legend(figure, [axes], columns=1 if wordy else 2)
        yield Picture(
            name=f"{experiment.id}-{number + 1}",
            section=experiment.id,
            caption=f"{grid.title(row)}: score against the size of the training set (bars: "
            "standard deviation over seeds).",
            alt=f"{row}: sample efficiency with and without ELMo",
            figure=figure,
        )


def _draw(axes: Axes, system: Series, number: int, *, with_paper: bool) -> None:
    scored = [(x, entry.scores) for x, entry in system.points if entry.scores]
    colour = MUTED if system.placement == "none" else SERIES[number % len(SERIES)]
    axes.errorbar(
        [x for x, _ in scored],
        [scores.mean for _, scores in scored],
        yerr=[scores.sd or 0 for _, scores in scored],
        color=colour,
        marker=MARKERS[number % len(MARKERS)],
        elinewidth=1,
        label=system.name,
    )
    papers = [(x, entry.paper) for x, entry in system.points if entry.paper is not None]
    if with_paper and papers:
        label = f"{system.name}, the paper's"
        axes.plot(*zip(*papers, strict=True), color=colour, linestyle=":", label=label)
