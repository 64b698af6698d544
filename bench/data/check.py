"""`check`: compare the files in a folder with the counts that were published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from bench.console import for_tables, short
from bench.data.items import BUILT_IN, select
from bench.errors import RunError
from tasks.base.published import Count, Found, Source, published
from tasks.task import DataError

ALONE = "runs report dev alone"

Finding = Found | DataError | None


def check(places: Sequence[str], task: str | None) -> int:
    """Report on each folder, or set in the cache.

    Args:
        places: Folders, or names of sets.
        task: What the folders are for, where their files do not tell.

    Returns:
        0 if all is as published, 1 if anything differs.

    Raises:
        RunError: A place is neither a folder nor a set in the cache, or holds no files of any set.
    """
    chosen = [pair for place in places for pair in _meant(place, task)]
    return max([report(source, folder) for source, folder in chosen])


def _meant(place: str, task: str | None) -> list[tuple[Source, Path]]:
    """Return the sets that `place` means, each with its folder. Raises RunError."""
    folder = Path(place).expanduser()
    if folder.is_dir():
        sources = published(task)
        if not sources:
            raise RunError(f"--task {task}: no such task, or nothing is published for it")
        collection = [(source, source.inside(folder)) for source in sources]
        inside = [(source, inner) for source, inner in collection if inner]
        found = {source.task for source, _ in inside}
        inside += _in_tasks(folder, {source.task for source in sources} - found)
        return inside or [(closest(sources, folder), folder)]
    if folder.exists():
        raise RunError(f"{place} is a file: name the folder that it is in")
    names = [BUILT_IN, *(source.name for source in published())]  # srl/propbank-ewt is a set
    beside = folder.name not in names and folder.parent != Path() and folder.parent.is_dir()
    if place.startswith((".", "~", "/")) or beside:
        raise RunError(f"{place}: no such folder")
    sets = [item.source for item in select([place]) if item.source is not None]
    if not sets:
        raise RunError(f"{place} is no data set: only those have counts to compare")
    for source in sets:
        if not source.is_in(source.folder()):
            raise RunError(f"{source.name} is not there yet (`python -m bench.data list`)")
    return [(source, source.folder()) for source in sets]


def _in_tasks(folder: Path, tasks: Iterable[str]) -> Iterator[tuple[Source, Path]]:
    """Yield the folders that are called as a task, each with the closest set; name those that have
    none."""
    for inner in (folder / task for task in sorted(tasks)):
        if inner.is_dir():
            try:
                yield closest(published(inner.name), inner), inner
            except RunError as error:  # the other sets are compared all the same
                for_tables().print(escape(str(error)), soft_wrap=True)


def closest(sources: Sequence[Source], folder: Path) -> Source:
    """Return the set whose counts are most like those of the files in `folder`.

    Raises RunError if no set has files of such names.
    """
    found: dict[tuple[Count, str], Finding] = {}
    for source in sources:
        for split in source.counts:
            key = (source.count, split)
            if key not in found:
                found[key] = _count(source, folder, split)
    likeness = {
        i: _likeness(source, {split: found[source.count, split] for split in source.counts})
        for i, source in enumerate(sources)
    }
    best = max(likeness, key=lambda i: likeness[i])
    if not likeness[best][0]:
        unreadable = [finding for finding in found.values() if isinstance(finding, DataError)]
        why = f": {unreadable[0]}" if unreadable else ""
        hint = " (--task says what it is)" if len({source.task for source in sources}) > 1 else ""
        raise RunError(f"{folder} has no files of a published set{why}{hint}")
    return sources[best]


def _count(source: Source, folder: Path, split: str) -> Finding:
    try:
        return source.count(folder, split)
    except DataError as error:
        return error


def _likeness(source: Source, found: Mapping[str, Finding]) -> tuple[int, float, float]:
    """Return how many splits can be read, what share of the figures agrees, how near all are."""
    pairs = [
        (expected, finding.counts[name])
        for split, finding in found.items()
        if isinstance(finding, Found)
        for name, expected in source.counts[split].items()
    ]
    readable = sum(isinstance(finding, Found) for finding in found.values())
    near = sum(min(pair) / max(*pair, 1) for pair in pairs) / max(len(pairs), 1)
    agree = sum(expected == actual for expected, actual in pairs) / max(len(pairs), 1)
    return readable, agree, near


def report(source: Source, folder: Path) -> int:
    """Print what is as published and what is not; return 0 if all is, else 1."""
    title = f"{source.task}/{source.name} in {escape(short(folder))}"
    table = Table(title=title, title_justify="left")
    for column in ("split", "file", "published", "found", ""):
        table.add_column(column, overflow="fold")
    fine = True
    for split, expected in source.counts.items():
        finding = _count(source, folder, split)
        if isinstance(finding, Found):
            fine &= _compared(table, split, expected, finding)
        else:
            fine &= _absent(table, split, finding)
    if "dev" in source.counts and "test" not in source.counts:
        table.add_row("test", "", "", "", f"never published: {ALONE}")
    for_tables().print(table)
    return 0 if fine else 1


def _absent(table: Table, split: str, finding: DataError | None) -> bool:
    """Add the row of a split that is not there; return whether it need not be."""
    if finding is not None:
        table.add_row(split, "", "", "", f"[red]cannot be read: {escape(str(finding))}[/]")
    elif split == "test":
        table.add_row(split, "no file", "", "", ALONE)
        return True
    else:
        table.add_row(split, "no file", "", "", "[red]missing[/]")
    return False


def _compared(table: Table, split: str, expected: Mapping[str, int], found: Found) -> bool:
    """Add one row if all figures agree, else one for each that does not; return if all do."""
    counts, name = found.counts, escape(found.path.name)
    wrong = {figure: number for figure, number in expected.items() if counts[figure] != number}
    if not wrong:
        figures = ", ".join(f"{number:,} {figure}" for figure, number in counts.items())
        published = ("the same", "[green]as published[/]") if expected else ("?", "not published")
        table.add_row(split, name, published[0], figures, published[1])
        return True
    subset = all(counts[figure] <= number for figure, number in expected.items())
    for figure, number in wrong.items():
        verdict = f"a subset, {counts[figure] / number:.1%}" if subset else "differs"
        row = (f"{number:,} {figure}", f"{counts[figure]:,}", f"[red]{verdict}[/]")
        table.add_row(split, name, *row)
    return False
