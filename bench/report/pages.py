"""`python -m bench.report.pages`: the tables of Markdown pages, filled from records of runs.

A page says where a table stands, of which records and which experiment, and what is wanted of it:

    <!-- table ../results/demo.jsonl demo: scores, notes -->
    <!-- end of table -->

Between the two lines everything is written anew. What may be asked for: `command`, `scores`,
`notes`, `figures` or `figure 1`, and the tables beside the scores by their first words, such as
`differences` and `learned mixes`. The records' path is relative to the page.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report.formats import markdown
from bench.report.read import ReportError
from bench.report.report import Report, collect
from elmo_core.help_text import HelpText
from elmo_core.whole_files import replacing

if TYPE_CHECKING:
    from bench.report.figures.style import Picture

EXAMPLES = """examples:
  python -m bench.report.pages README.md docs/results.md
"""
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
    lines = iter(page.read_text(encoding="utf-8").splitlines())
    return "\n".join(_lines(page, lines, figures)) + "\n"


def _lines(page: Path, lines: Iterator[str], figures: bool) -> Iterator[str]:
    for line in lines:
        yield line
        if not (asked := BEGIN.fullmatch(line)):
            continue
        parts = [part.strip() for part in asked["parts"].split(",")]
        try:
            yield _block(page, asked["file"], asked["name"], parts, figures)
        except ReportError as error:
            raise ReportError(f"{page}: {line}: {error}") from None
        if END not in lines:  # which reads on to the end of the block
            raise ReportError(f"{page}: {line}: no {END} follows")
        yield END


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
    known = [each for grid in report.grids for each in (grid.experiment.name, grid.experiment.id)]
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
    return [
        replace(picture, name=picture.name.replace(experiment.id, f"{name}-{experiment.name}"))
        for picture in draw(report)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit status: 0 done, 2 something the user can mend, 1 anything else."""
    parser = ArgumentParser(
        "python -m bench.report.pages",
        description="Write the tables of Markdown pages anew, from records of runs.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    parser.add_argument("pages", type=Path, nargs="+", metavar="PAGE")
    args = parser.parse_args(arguments)
    try:
        for page in args.pages:
            text = filled(page, figures=True)
            with replacing(page) as temporary:
                temporary.write_text(text, encoding="utf-8")
    except (ReportError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
