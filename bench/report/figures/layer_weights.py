"""Which layers each task uses (the paper's Figure 2): shares as colours, one panel a place."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from bench.report.figures.style import INK, MUTED, SERIES, WIDTH, Picture, sheet
from bench.report.grid import Grid
from bench.report.mixes import MeanMix, mixes

Rows = list[tuple[str, MeanMix]]


def heat(grid: Grid) -> Iterator[Picture]:
    """Yield one picture, with a panel for each place; none where no mix was learned."""
    experiment = grid.experiment
    found: dict[str, Rows] = {}
    several = len(experiment.columns) > 1
    for (row, column), entry in grid.entries.items():
        for mix in mixes(entry.runs):
            label = f"{grid.title(row)}, {column}" if several else grid.title(row)
            found.setdefault(mix.place, []).append((label, mix))
    if not found:
        return
    sizes = [len(rows) for rows in found.values()]
    height = sum(0.32 * size + 0.85 for size in sizes)
    layers = max(len(mix.weights) for rows in found.values() for _, mix in rows)
    width = max(WIDTH, 1.6 + 0.55 * (layers + 1.4))
    figure, panels = sheet(len(found), height=height, width=width, ratios=sizes, sharex=False)
    figure.set_layout_engine("constrained", hspace=0.08)
    for axes, (place, rows) in zip(panels, found.items(), strict=True):
        _panel(axes, place, rows)
    yield Picture(
        name=f"{experiment.id}-weights",
        section=experiment.id,
        caption="Learned shares of the layers, after the softmax: blue above uniform, orange "
        "below; how far from uniform is KL(s ‖ uniform) / log L.",
        alt=f"{experiment.title}: learned share of each layer for every task and place",
        figure=figure,
    )


def _panel(axes: Axes, place: str, rows: Rows) -> None:
    width = max(len(mix.weights) for _, mix in rows)
    for y, (_, mix) in enumerate(rows):
        for x, share in enumerate(mix.weights):
            _cell(axes, x, y, share, 1 / len(mix.weights))
        for right, text in ((0.1, f"{100 * mix.from_uniform:.1f} %"), (1.0, f"{mix.gamma:.2f}")):
            axes.text(width + right, y + 0.5, text, va="center", fontsize=8)
    for right, name in ((0.1, "from\nuniform"), (1.0, "γ")):
        axes.text(width + right, -0.15, name, va="bottom", fontsize=8, color=MUTED, linespacing=1)
    axes.set_title(f"{place}, share of each layer")
    axes.set_xlim(0, width + 1.4)
    axes.set_ylim(len(rows), 0)
    axes.set_xticks([x + 0.5 for x in range(width)], [f"layer {x}" for x in range(width)])
    axes.set_yticks([y + 0.5 for y in range(len(rows))], [label for label, _ in rows])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _cell(axes: Axes, x: int, y: int, share: float, uniform: float) -> None:
    """Draw one share: its colour is faint near uniform and full at 1 or 0."""
    above = share > uniform
    strength = (share - uniform) / (1 - uniform) if above else (uniform - share) / uniform
    axes.add_patch(
        Rectangle((x + 0.02, y + 0.04), 0.96, 0.92, linewidth=0,
                  facecolor=SERIES[0 if above else 1], alpha=0.06 + 0.6 * min(1.0, strength))
    )  # fmt: skip
    axes.text(x + 0.5, y + 0.5, f"{share:.2f}", ha="center", va="center", color=INK)
