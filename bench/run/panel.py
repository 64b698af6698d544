"""The panel at the end of a run."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bench.console import among_many


def show(result: dict[str, Any], folder: Path, note: str = "") -> None:
    """Scores beside what needs no learning, the mixes, and where everything lies."""
    if among_many():  # their table follows
        return
    grid = Table.grid(padding=(0, 2))
    name = result["primary"]["name"]
    for split, metrics in result["metrics"].items():
        cells = [f"{label} {value:.2f}" for label, value in result["yardsticks"][split].items()]
        grid.add_row(f"{split} {name}", f"[bold]{metrics[name]:.2f}[/]", f"({', '.join(cells)})")
    for place, mix in result["mix"].items():
        shares = "  ".join(f"{share:.3f}" for share in mix["weights"])
        grid.add_row(f"mix, {place}", f"s = {shares}", f"γ = {mix['gamma']:.3f}")
    encoder = result["encoder"]
    grid.add_row("encoder", encoder["name"] if encoder else "none")
    if members := result.get("ensemble"):
        means = (f"{fmean(run[split] for run in members):.2f}" for split in result["metrics"])
        grid.add_row("ensemble", f"{len(members)} runs", f"(alone {', '.join(means)} on average)")
    else:
        seconds = sum(result["timing"].values())
        epochs = f"{result['epochs']}, the best: {result['best_epoch'] + 1}"
        grid.add_row("epochs", epochs, f"{seconds:.0f} s in all")
    place = Text(f"run  {folder}", overflow="fold")
    data = result["data"]["dir"] or result["data"].get("set") or result["data"]["name"]
    title = f"{result['task']} · {data} · elmo.placement={result['elmo']['placement']}"
    width = max(Console().width, len(place) + 4)  # a path that is cut is of no use
    Console(width=width).print(
        Panel(Group(grid, place), title=title, subtitle=note or None, expand=False)
    )
