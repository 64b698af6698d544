"""The panel at the end of a run."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bench.console import among_many
from bench.records import Finished


def show(result: Finished, folder: Path, note: str = "") -> None:
    """Scores beside what needs no learning, the mixes, and where everything lies."""
    if among_many():  # their table follows
        return
    grid = Table.grid(padding=(0, 2))
    name = result.metric
    for split, metrics in result.metrics.items():
        cells = [
            f"{label} {value:.2f}" for label, value in result.yardsticks.get(split, {}).items()
        ]
        beside = f"({', '.join(cells)})" if cells else ""
        grid.add_row(f"{split} {name}", f"[bold]{metrics[name]:.2f}[/]", beside)
    for where, mix in result.mix.items():
        shares = "  ".join(f"{share:.3f}" for share in mix.weights)
        grid.add_row(f"mix, {where}", f"s = {shares}", f"γ = {mix.gamma:.3f}")
    if code := result.online_code:
        times = f"{code.compression:.2f} times shorter than by lot"
        grid.add_row("code length", f"{code.bits / 1000:.2f} kbit", f"({times})")
    grid.add_row("encoder", result.encoder_name)
    if members := result.ensemble:
        alone = [fmean(getattr(run, split) for run in members) for split in result.metrics]
        means = ", ".join(f"{mean:.2f}" for mean in alone)
        grid.add_row("ensemble", f"{len(members)} runs", f"(alone {means} on average)")
    elif result.evaluation:
        grid.add_row("trained on", result.trained_name, f"({result.evaluation.run_id})")
    else:
        epochs = f"{result.epochs}, the best: {result.best_epoch}"
        if result.steps:
            epochs += f" ({result.steps:,} steps)"
        grid.add_row("epochs", epochs, f"{result.seconds:.0f} s in all")
    place = Text(f"run  {folder}", overflow="fold")
    control = " · control" * bool(result.data.get("control"))
    title = f"{result.task} · {result.data_name}{control} · elmo.placement={result.elmo.placement}"
    width = max(Console().width, len(place) + 4)  # a path that is cut is of no use
    Console(width=width).print(
        Panel(Group(grid, place), title=title, subtitle=note or None, expand=False)
    )
