"""Training curves: the dev score after each epoch, every run a thin line, one picture a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from bench.report.figures.style import Picture, legend, place_colour, sheet
from bench.report.groups import Group
from bench.report.names import metric_name, task_name
from bench.report.report import plain


def training(groups: Sequence[Group]) -> Iterator[Picture]:
    """Yield one picture for each task and data set; ensembles are left out."""
    groups = [g for g in groups if not g.first.result.ensemble]  # nobody trained an ensemble
    for task, data in dict.fromkeys(map(_set, groups)):
        found = [group for group in groups if _set(group) == (task, data)]
        losses = any(e.train_loss is not None for g in found for e in g.first.result.history)
        figure, panels = sheet(1 + losses, height=2.2 + 1.2 * losses, ratios=[1.6, 1][: 1 + losses])
        for group in found:
            _draw(panels, group)
        first = found[0].first
        panels[0].set_title(f"{task_name(first)} on {data}: dev {metric_name(first)}")
        if losses:
            panels[1].set_title("training loss")
        panels[-1].set_xlabel("epoch")
        panels[-1].xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        legend(figure, panels, columns=4)
        yield Picture(
            name=plain(f"training-{task}-{data}"),
            section="runs",
            caption=f"Training on {task_name(first)} ({data}): each line is a run, coloured by "
            "where ELMo is.",
            alt=f"Training curves of {task} on {data}",
            figure=figure,
        )


def _set(group: Group) -> tuple[str, str]:
    """Return the task and its data."""
    return group.first.task, group.data


def _draw(panels: Sequence[Axes], group: Group) -> None:
    place = group.elmo.placement
    for run in group.runs:
        history = run.result.history
        epochs = [epoch.epoch for epoch in history]
        style: dict[str, Any] = {"color": place_colour(place), "linewidth": 1, "alpha": 0.75}
        style["marker"] = "." if len(history) == 1 else ""
        panels[0].plot(epochs, run.result.dev_scores, label=place, **style)
        if len(panels) > 1:
            losses = [(e.epoch, e.train_loss) for e in history if e.train_loss is not None]
            panels[1].plot(*zip(*losses, strict=True), **style) if losses else None
