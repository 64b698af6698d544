"""`python -m bench.report.pages`: the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

from bench.errors import RunError, exit_status
from elmo_core.arguments import path
from elmo_core.help_text import HelpText

MORE = """A page says where a table stands, of which records (a file of them or a folder
of such files, relative to the page) and which experiment, and what is wanted
of it:

  <!-- table results/demo.jsonl demo: scores, notes -->
  <!-- end of table -->

Between the two lines everything is written anew. To be had: command, scores,
notes, figures or figure 1, and the tables beside the scores by their first
words, such as differences and learned mixes.

examples:
  python -m bench.report.pages README.md docs/results.md
"""


def parser() -> ArgumentParser:
    found = ArgumentParser(
        "python -m bench.report.pages",
        description="Write the tables of Markdown pages anew, from records of runs.",
        epilog=MORE,
        formatter_class=HelpText,
    )
    found.add_argument("pages", type=path, nargs="+", metavar="PAGE", help="a Markdown file")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit status: 0 done, 2 something the user can mend, 1 anything else."""
    args = parser().parse_args(arguments)
    with exit_status(debug=False):
        from bench.report.pages.fill import filled
        from elmo_core.whole_files import write_text

        for page in args.pages:
            try:
                text = filled(page, figures=True)
            except UnicodeDecodeError as error:
                raise RunError(f"{page}: not UTF-8 ({error.reason})") from None
            write_text(page, text)


if __name__ == "__main__":
    main()
