"""`python -m bench.report`: the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from bench.options import add_trust

FORMATS = ("md", "tex", "csv", "html")
EXAMPLES = """examples:
  python -m bench.report runs                    # runs/report/: index.html, report.md, .tex, .csv
  python -m bench.report runs --format html      # the page and its figures alone
  python -m bench.report runs --only table2 --format tex -o ~/paper/tables
"""


def parser() -> ArgumentParser:
    found = ArgumentParser(
        "python -m bench.report",
        description="Tables, statistics and figures from the records of runs, beside the paper's.",
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    found.add_argument("runs", type=Path, metavar="RUNS", help="the folder that paths.runs named")
    found.add_argument(
        "--format",
        action="append",
        choices=FORMATS,
        help="only this one (may be given several times; default: all)",
    )
    found.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="this experiment alone, such as table2 (may be given several times)",
    )
    found.add_argument(
        "-o", "--out", type=Path, metavar="FOLDER", help="where to write (default: RUNS/report)"
    )
    add_trust(found)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit status: 0 done, 2 something the user can mend, 1 anything else."""
    args = parser().parse_args(arguments)
    from bench.report.read import ReportError
    from bench.report.write import write

    try:
        written = write(
            args.runs,
            args.out or args.runs / "report",
            args.format or FORMATS,
            args.trust,
            args.only,
        )
    except (ReportError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    for line in written:
        print(line)


if __name__ == "__main__":
    main()
