"""`python -m bench.report`: the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from bench.errors import exit_status
from bench.options import add_trust
from elmo_core.arguments import path
from elmo_core.help_text import HelpText

REFERENCE = Path(__file__).resolve().parents[2] / "results"
FORMATS = ("md", "tex", "csv", "html")
EXAMPLES = """examples:
  python -m bench.report runs                      # in runs/report
  python -m bench.report runs --format html        # the page and its figures
  python -m bench.report runs --only table2 --format tex -o ~/paper/tables
  python -m bench.report runs more-runs            # of several machines, as one
  python -m bench.report runs --against reference  # do our results come out?
"""


def parser() -> ArgumentParser:
    found = ArgumentParser(
        "python -m bench.report",
        description="Tables, statistics and figures from the records of runs, beside the paper's.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    found.add_argument(
        "runs",
        type=path,
        nargs="+",
        metavar="RUNS",
        help="the folder that paths.runs named, or a file of results; several stand together",
    )
    found.add_argument(
        "--against",
        type=path,
        metavar="RESULTS",
        help="say which of these results the runs reproduce; `reference` means those of this suite",
    )
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
    default = "where to write (default: report in the first RUNS)"
    found.add_argument("-o", "--out", type=path, metavar="FOLDER", help=default)
    add_trust(found)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit status: 0 done, 2 something the user can mend, 1 anything else."""
    args = parser().parse_args(arguments)
    against = REFERENCE if args.against == Path("reference") else args.against
    first = args.runs[0] if args.runs[0].is_dir() else args.runs[0].parent
    with exit_status(debug=False):
        from bench.report.formats import terminal
        from bench.report.report import collect
        from bench.report.write import write

        report = collect(args.runs, args.trust, against).only(args.only)
        written = write(report, args.out or first / "report", args.format or FORMATS)
        terminal.reproduced(report.reproductions)
        for line in written:
            print(line)


if __name__ == "__main__":
    main()
