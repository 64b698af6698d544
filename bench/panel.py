"""The panel at the end of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table


def show(result: dict[str, Any], folder: Path, note: str = "") -> None:
    """Scores beside what needs no learning, the mixes, and where everything lies."""
    grid = Table.grid(padding=(0, 2))
    for _ in range(3):
        grid.add_column(overflow="fold")
    name = result["primary"]["name"]
    for split, metrics in result["metrics"].items():
        cells = [f"{label} {value:.2f}" for label, value in result["yardsticks"][split].items()]
        grid.add_row(f"{split} {name}", f"[bold]{metrics[name]:.2f}[/]", f"({', '.join(cells)})")
    for place, mix in result["mix"].items():
        shares = "  ".join(f"{share:.3f}" for share in mix["weights"])
        grid.add_row(f"mix, {place}", f"s = {shares}", f"γ = {mix['gamma']:.3f}")
    encoder = result["encoder"]
    grid.add_row("encoder", encoder["name"] if encoder else "none")
    grid.add_row(
        "epochs", f"{result['epochs']} (best {result['best_epoch'] + 1})", f"{_time(result)}"
    )
    grid.add_row("run", str(folder))
    data = result["data"]["dir"] or result["data"]["name"]
    title = f"{result['task']} · {data} · elmo.placement={result['elmo']['placement']}"
    Console(soft_wrap=True).print(Panel(grid, title=title, subtitle=note or None, expand=False))


def _time(result: dict[str, Any]) -> str:
    return f"{sum(result['timing'].values()):.0f} s"
