"""The tables of Markdown pages, filled from records of runs; __main__ says how a page asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report.formats import markdown
from bench.report.read import ReportError
from bench.report.report import Report, collect, plain

if TYPE_CHECKING:
    from bench.report.figures.style import Picture

BEGIN = re.compile(r"<!-- table (?P<file>\S+) (?P<name>\S+): (?P<parts>[^>]+?) -->")
END = "<!-- end of table -->"


def filled(page: Path, *, figures: bool = False) -> str:
    """Return the text of a page with its tables written anew.

    Args:
        page: A Markdown file.
        figures: Whether to draw the figures that it asks for, into figures/ beside it.

    Raises:
        ReportError: A block has no end, or asks for what its records do not have.
    """
    with page.open(encoding="utf-8", newline="") as file:  # line ends stay as they are
        lines = file.read().removesuffix("\n").split("\n")
    return "\n".join(_lines(page, iter(lines), figures)) + "\n"


def _lines(page: Path, lines: Iterator[str], figures: bool) -> Iterator[str]:
    for line in lines:
        yield line
        if not (asked := BEGIN.fullmatch(_bare(line))):
            continue
        parts = [part.strip() for part in asked["parts"].split(",")]
        try:
            yield _block(page, asked["file"], asked["name"], parts, figures)
        except ReportError as error:
            raise ReportError(f"{page}: {asked[0]}: {error}") from None
        old = map(_bare, lines)
        if next((line for line in old if line == END or BEGIN.fullmatch(line)), None) != END:
            raise ReportError(f"{page}: {asked[0]}: no {END} follows")
        yield END


def _bare(line: str) -> str:
    return line.rstrip("\r")


def _block(page: Path, file: str, name: str, parts: Sequence[str], figures: bool) -> str:
    records = page.parent / file
    report = _only(_report(records), name)
    drawn = _pictures(report, records.stem) if any(p.startswith("figure") for p in parts) else []
    found = markdown.parts(report.grids[0], drawn)
    found |= {f"figure {i}": markdown.figure(picture) for i, picture in enumerate(drawn, start=1)}
    for i, picture in enumerate(drawn if figures else (), start=1):
        if {"figures", f"figure {i}"} & set(parts):
            picture.save_png(page.parent / "figures")
    return "\n" + "\n\n".join(_part(found, part) for part in parts) + "\n"


def _only(report: Report, name: str) -> Report:
    """Return the part of a report that is about one experiment, by its name or its id."""
    found = (grid.experiment for grid in report.grids)
    known = dict.fromkeys(each for one in found for each in (one.name, one.id))
    grids = [grid for grid in report.grids if name in (grid.experiment.name, grid.experiment.id)]
    if len(grids) != 1:
        raise ReportError(f"{name}: {len(grids)} of {', '.join(known) or 'no experiment'}")
    return replace(report, grids=grids, groups=[], reproductions=[])


def _part(found: dict[str, str], asked: str) -> str:
    for name, text in found.items():
        if text and name.startswith(asked):
            return text
    raise ReportError(f"{asked}: there is {', '.join(found)}")


@cache
def _report(records: Path) -> Report:
    return collect([records])


def _pictures(report: Report, name: str) -> list[Picture]:
    """Return an experiment's figures, named after the file of records."""
    from bench.report.figures.draw import draw  # here: matplotlib is slow to import

    experiment = report.grids[0].experiment
    own = f"{name}-{plain(experiment.name)}"
    found = draw(report)
    return [replace(each, name=each.name.replace(experiment.id, own)) for each in found]
