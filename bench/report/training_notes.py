"""What a reader of a table must know of how its runs were trained: part of its notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench.console import counted
from bench.records import SCHEMA
from bench.report.grid import Grid
from bench.report.read import Run
from bench.report.wording import UNKNOWN
from bench.run.provenance import SUITE


def of_training(grid: Grid) -> Iterator[str]:
    """Yield these notes, a sentence or two each."""
    yield from _rising(grid)
    yield from _precisions(grid)
    yield from _encoders(grid)
    yield from _versions(grid)
    yield from _old(grid)


def _rising(grid: Grid) -> Iterator[str]:
    """Say which columns have runs that may not have learned all that they can."""
    trained = _trained(grid)
    counts = Counter(column for column, run in trained if run.result.rising)
    if counts:
        yield (
            f"In {counts.total()} of {counted(len(trained), 'run')} dev rose to the last epoch "
            f"({_numbers(counts)}): with more (training.max_epochs) they may do better."
        )


def _precisions(grid: Grid) -> Iterator[str]:
    """Say which columns have runs whose machine could not train in the precision asked for."""
    trained = _trained(grid)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for column, run in trained:
        asked = (run.choice.get("trainer") or {}).get("precision")
        sittings = (each for each in run.result.provenance if each.first_epoch is not None)
        others = {each.precision for each in sittings} - {asked}
        if asked and others:
            counts.setdefault((asked, " and ".join(sorted(others))), Counter())[column] += 1
    for (asked, taken), columns in counts.items():
        yield (
            f"{columns.total()} of {counted(len(trained), 'run')} ({_numbers(columns)}) trained in "
            f"{taken} where {asked} was asked for, which their processor does not have."
        )


def _encoders(grid: Grid) -> Iterator[str]:
    """Say where an encoder was changed between the runs of a cell; draws have names of their own.

    What an own encoder computes is no part of the run id: its old runs stay when it changes.
    """
    for (row, column), entry in grid.entries.items():
        prints: dict[str, set[str]] = {}
        for run in entry.runs:
            if (encoder := run.result.encoder) and encoder.fingerprint:
                prints.setdefault(encoder.name, set()).add(encoder.fingerprint)
        for name, several in prints.items():
            if len(several) > 1:
                yield (
                    f"{row}, {column}: runs with {len(several)} different encoders of the name "
                    f"{name} (fingerprints {', '.join(sorted(several))}): repeat the older runs "
                    "with force=true."
                )


def _versions(grid: Grid) -> Iterator[str]:
    """Say which columns have runs of which version, where not all were trained by one."""
    made: dict[str, Counter[str]] = {}
    for column, run in _trained(grid):
        if version := run.result.versions.get(SUITE):
            made.setdefault(version, Counter())[column] += 1
    if len(made) > 1:
        each = [f"{version} ({_numbers(made[version])})" for version in sorted(made)]
        yield f"Trained by several versions of {SUITE}: {'; '.join(each)}."


def _trained(grid: Grid) -> list[tuple[str, Run]]:
    """Return the runs that were trained, each with the first column in which it stands."""
    found: dict[tuple[str, str], tuple[str, Run]] = {}
    for (_, column), entry in grid.entries.items():
        for run in entry.runs:
            if run.result.evaluation is None and not run.result.ensemble:
                found.setdefault(run.key, (column, run))
    return list(found.values())


def _numbers(counts: Counter[str]) -> str:
    return ", ".join(f"{column} {count}" for column, count in counts.items())


def _old(grid: Grid) -> Iterator[str]:
    if of_old := sum(run.result.written_as < SCHEMA for run in grid.runs):
        yield f"Of {counted(of_old, 'run')} an earlier version wrote the record: {UNKNOWN}."
