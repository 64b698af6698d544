"""From a report to its files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from pathlib import Path

from bench.console import counted
from bench.report.formats import csv_file, latex, markdown
from bench.report.report import Report
from elmo_core.whole_files import write_text


def write(report: Report, folder: Path, formats: Collection[str]) -> list[str]:
    """Write a report into `folder`, and name damaged files on standard error.

    Returns a line for everything that was written.
    """
    for problem in report.records.problems:
        print(f"left out: {problem}", file=sys.stderr)
    pictures = []
    if not {"md", "html", "tex"}.isdisjoint(formats):
        from bench.report.figures.draw import draw

        pictures = draw(report)
        for picture in pictures:
            picture.save(folder / "figures")

    def page() -> str:
        from bench.report.formats import html  # here: jinja2 is slow to import

        return html.text(report, pictures, folder)

    texts: dict[str, tuple[str, Callable[[], str]]] = {
        "md": ("report.md", lambda: markdown.text(report, pictures)),
        "tex": ("report.tex", lambda: latex.text(report, pictures)),
        "csv": ("report.csv", lambda: csv_file.text(report)),
        "html": ("index.html", page),
    }
    written = []
    for name, make in (texts[key] for key in texts if key in formats):
        write_text(folder / name, make())
        written.append(str(folder / name))
    if pictures:
        written.append(
            f"{folder / 'figures'}: {counted(len(pictures), 'figure')}, as PNG, SVG and PDF"
        )
    return written
