"""What stands at the end of a run: a panel on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bench.console import among_many, counted
from bench.records import Finished, data_name

Row = tuple[str, str, str]  # key, value, what stands beside it


def show(result: Finished, folder: Path, note: str = "", limit_batches: int | None = None) -> None:
    """Scores beside what needs no learning, the mixes, and where everything lies.

    With `limit_batches`, it says that the model is a trial, which saw so many batches alone.
    Without a terminal, a line is `key  value`, and has no box around it.
    """
    if among_many():  # their table follows
        return
    control = " · control" * bool(result.data.get("control"))
    title = f"{result.task} · {result.data_name}{control} · elmo.placement={result.elmo.placement}"
    rows = [*_scores(result), *_trial(limit_batches), *_mixes(result), *_origin(result)]
    if not Console().is_terminal:
        lines = [title, *("  ".join(filter(None, row)) for row in rows), f"run  {folder}", note]
        print("\n".join(filter(None, lines)))
        return
    grid = Table.grid(padding=(0, 2))
    for key, value, beside in rows:
        style = "bold" if key in _score_keys(result) else ""
        grid.add_row(Text(key), Text(value, style), Text(beside))
    place = Text(f"run  {folder}", overflow="fold")
    width = max(Console().width, len(place) + 4)  # a path that is cut is of no use
    above, below = Text(title), Text(note) if note else None  # a text has no markup
    panel = Panel(Group(grid, place), title=above, subtitle=below, expand=False)
    Console(width=width).print(panel)


def _score_keys(result: Finished) -> dict[str, str]:
    """Return what the score of each split is called, with the split."""
    return {f"{split} {result.metric}": split for split in result.metrics}


def _scores(result: Finished) -> Iterator[Row]:
    for key, split in _score_keys(result).items():
        trivial = result.yardsticks.get(split, {}).items()
        beside = ", ".join(f"{label} {value:.2f}" for label, value in trivial)
        yield key, f"{result.metrics[split][result.metric]:.2f}", f"({beside})" if beside else ""


def _trial(limit_batches: int | None) -> Iterator[Row]:
    if limit_batches:
        yield "", f"saw {counted(limit_batches, 'batch')} of each split only: a trial", ""


def _mixes(result: Finished) -> Iterator[Row]:
    for where, mix in result.mix.items():
        shares = "  ".join(f"{share:.3f}" for share in mix.weights)
        yield f"mix, {where}", f"s = {shares}", f"γ = {mix.gamma:.3f}"


def _origin(result: Finished) -> Iterator[Row]:
    """Yield what the scores are of: the encoder, and how the model was trained."""
    if code := result.online_code:
        times = f"({code.compression:.2f} times shorter than by lot)"
        yield "code length", f"{code.bits / 1000:.2f} kbit", times
    yield "encoder", result.encoder_name, ""
    if members := result.ensemble:
        alone = [fmean(getattr(run, split) for run in members) for split in result.metrics]
        means = ", ".join(f"{mean:.2f}" for mean in alone)
        yield "ensemble", f"{len(members)} runs", f"(alone {means} on average)"
    elif result.evaluation:
        yield "trained on", data_name(result.trained_on), f"({result.evaluation.run_id})"
        if noise := result.evaluation.noise:
            changed = f"({100 * noise['changed']:.1f} % of all words are changed)"
            yield "noise", f"{noise['kind']} {100 * noise['share']:g} %", changed
    else:
        steps = f" ({result.steps:,} steps)" if result.steps else ""
        epochs = f"{result.epochs}, the best: {result.best_epoch}{steps}"
        yield "epochs", epochs, f"{result.seconds:.0f} s in all"
        if result.rising:
            more = f"training.max_epochs={2 * result.epochs}"
            yield "", f"dev rose to the end: {more} goes on", ""
