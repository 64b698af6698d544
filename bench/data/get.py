"""`get`: show licences, download, check."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape
from rich.prompt import Confirm

from bench.console import for_tables, short
from bench.data.check import report
from bench.data.items import Item, select
from bench.errors import RunError
from tasks.base.published import how_to_obtain


def get(names: Sequence[str], folder: Path | None, *, offline: bool, ask: bool) -> int:
    """Fetch what is named, after the user agreed to the licences.

    Args:
        names: Of data sets, word vectors, weights.
        folder: The folder to fetch into; None for the cache, where runs find it.
        offline: Whether to use only what is on this machine.
        ask: Whether to ask the user.

    Returns:
        0, or 1 if a set differs from the published counts.

    Raises:
        RunError: A licensed set is not there, or the user does not agree.
    """
    out = for_tables()
    items = select(names)
    missing = [item for item in items if not item.is_there(folder)]
    for item in missing:
        out.print(f"[bold]{item.name}[/]: {escape(item.title)}{_size(item)}, {item.origin}")
        out.print(f"  licence: {escape(item.licence)}\n  cite:    {escape(item.citation)}")
    _refuse_licensed(missing, folder)
    if missing and ask and not offline:
        _confirm(missing, folder)
    status = 0
    for item in items:
        item.fetch(folder, offline, [each.name for each in items])
        if item.source is None:
            out.print(f"{item.name}: {escape(short(item.place(folder)))}")
        else:
            differs = report(item.source, item.place(folder))
            status |= differs
            if differs and item.source.files:
                again = f"to fetch {item.name} anew, remove {item.place(folder)}"
                out.print(escape(again), soft_wrap=True)
    return status


def _size(item: Item) -> str:
    return f", {item.megabytes:,.0f} MB" if item.megabytes and item.megabytes >= 1 else ""


def _refuse_licensed(missing: Sequence[Item], folder: Path | None) -> None:
    for item in missing:
        if item.source is not None and not item.source.files:
            raise RunError(
                f"{item.name} cannot be downloaded: {how_to_obtain(item.source, folder)}"
            )


def _confirm(missing: Sequence[Item], folder: Path | None) -> None:
    where = ", ".join(short(item.place(folder)) for item in missing)
    if not sys.stdin.isatty():
        raise RunError("nobody is here to agree to the licences: add --yes")
    if not Confirm.ask(f"Download to {escape(where)}?", default=True):
        raise RunError("not downloaded")
