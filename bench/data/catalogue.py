"""`list`: what data sets, vectors and weights there are, where they are, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

import tasks as tasks_package
from bench.console import for_tables, short
from bench.data.items import BUILT_IN, Item, data_set, others
from bench.errors import RunError
from elmo_core.errors import did_you_mean
from tasks.base.published import Source, how_to_obtain, published
from tasks.task import DataError

ROOT = Path(tasks_package.__file__).parent


def show(tasks: Sequence[str]) -> None:
    """Print all sets, vectors and weights; or, of the named tasks, the sets with all that is known.

    Raises RunError for a task that does not exist.
    """
    sources, known = published(), tasks_package.names()
    for task in tasks:
        if task not in known:
            hint = did_you_mean(task, known)
            raise RunError(f"no task {task!r}{hint} (choose {', '.join(known)})")
    sources = [source for source in sources if not tasks or source.task in tasks]
    out = for_tables()
    out.print(_tasks(tasks))
    out.print(_sets(sources))
    for task in sorted({*tasks} - {source.task for source in sources}):
        card = f"tasks/{task}/README.md"
        out.print(f"{task} has no published set of its own: {card} says which files it reads")
    if not tasks:
        out.print(_rest())
    for source in sources:
        if tasks:
            out.print(_details(source))
        elif not source.files and not _there(data_set(source)):
            out.print(f"[bold]{source.task}/{source.name}[/]: {escape(how_to_obtain(source))}")


def _tasks(names: Sequence[str]) -> Table:
    """Make the list of these tasks, or of all: the first line of a card says what its task is."""
    table = _table("tasks", "task=", "what it is")
    for name in tasks_package.names():
        if not names or name in names:
            card = (ROOT / name / "README.md").read_text(encoding="utf-8")
            table.add_row(name, card.partition("\n")[0].lstrip("# "))
    return table


def _sets(sources: Sequence[Source]) -> Table:
    table = _table("data sets", "task", "set", "data=", "MB", "licence", "where")
    for i, source in enumerate(sources):
        if i == 0 or sources[i - 1].task != source.task:
            table.add_section()
            table.add_row(source.task, BUILT_IN, BUILT_IN, "", "CC0 1.0", "built in")
        kinds = "|".join(source.kinds)
        cells = (_megabytes(source.megabytes), source.licence, _where(data_set(source)))
        table.add_row("", source.name, kinds, *cells)
    return table


def _rest() -> Table:
    title = "word vectors (word_vectors=NAME), weights (encoder=NAME)"
    table = _table(title, "name", "MB", "licence", "where")
    for item in others():
        table.add_row(item.name, _megabytes(item.megabytes), item.licence, _where(item))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        justify = "right" if column == "MB" else "left"
        table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _megabytes(size: float | None) -> str:
    return "" if size is None else f"{size:,.0f}" if size >= 1 else f"{size:.1f}"


def _there(item: Item) -> bool:
    try:
        return item.is_there(None)
    except DataError:  # another version
        return False


def _where(item: Item) -> str:
    try:
        if item.is_there(None):
            return f"[green]{escape(short(item.place(None)))}[/]"
    except DataError:
        return f"[yellow]{escape(short(item.place(None)))}: another version[/]"
    if item.source is not None and not item.source.files:
        return "[yellow]missing: see below[/]"
    return f"missing: get {item.name}"


def _details(source: Source) -> str:
    return "\n".join(f"  {line}" if i else line for i, line in enumerate(_facts(source)))


def _facts(source: Source) -> Iterator[str]:
    yield f"\n[bold]{source.name}[/]: {escape(source.title)}"
    yield f"cite      {escape(source.citation)}"
    yield f"from      {escape(source.origin)}"
    yield f"version   {escape(source.version)}"
    yield f"scored by {source.metric}"
    for split, counts in source.counts.items():
        figures = ", ".join(f"{number:,} {name}" for name, number in counts.items())
        yield f"{split:<9} {figures or 'sizes not published'}"
    if not source.files:
        yield f"obtain    {escape(how_to_obtain(source))}"
