"""`python -m bench.speed`: the command line."""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict

from bench.errors import exit_status
from bench.options import add_overrides
from elmo_core.arguments import path, whole_number
from elmo_core.help_text import HelpText
from elmo_core.imports import importing_torch

EXAMPLES = """examples:
  python -m bench.speed
  python -m bench.speed encoder=elmo-original --threads 1 --tasks
  python -m bench.speed encoder=elmo-base trainer=cpu --tasks snli ner
  python -m bench.speed --peer ~/allennlp/bin/python --json > speed.json
  python -m bench.speed --peer ~/allennlp/bin/python --threads 1 --tasks snli

At one thread on a CPU all but the store is measured in CPU time, so that a busy machine does not
show. Steps are those of the paper's training, in its batches (recipe=NAME: of another). The peer's
environment: docs/performance.md.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    given = parser().parse_intermixed_args(arguments)
    if given.tasks:  # which takes all words behind it
        given.overrides += [word for word in given.tasks if "=" in word]
        given.tasks = [word for word in given.tasks if "=" not in word]
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    with exit_status(debug=False), warnings.catch_warnings():
        from rich.console import Console

        with importing_torch():
            from bench.speed.measure import measure
            from bench.speed.tables import show

        warnings.filterwarnings("ignore", module="pytorch_lightning|lightning_fabric")
        logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
        with Console(stderr=True).status("") as status:
            found = measure(given, lambda what: status.update(f"measuring {what}"))
        if given.json:
            json.dump(asdict(found), sys.stdout, indent=1)
            print()
        else:
            show(found)


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        "python -m bench.speed",
        description="How fast this machine computes features, reads them, and trains heads.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    add = parser.add_argument
    add_overrides(parser)
    add(
        "--text", type=path, metavar="FILE", help="tokenised, a sentence a line (default: built in)"
    )
    add(
        "--sentences",
        type=whole_number,
        default=1000,
        metavar="N",
        help="of it, at most (default: 1000)",
    )
    add("--seconds", type=float, default=3.0, help="for one measurement, about (default: 3)")
    add("--tasks", nargs="*", metavar="TASK", help="whose steps (default: all; nothing: none)")
    add(
        "--steps",
        type=whole_number,
        default=5,
        metavar="N",
        help="measured of each task (default: 5)",
    )
    add("--threads", type=whole_number, metavar="N", help="of the CPU (default: torch's choice)")
    add("--peer", type=path, metavar="PYTHON", help="an interpreter that has AllenNLP, to compare")
    add("--json", action="store_true", help="one JSON object instead of tables")
    return parser


if __name__ == "__main__":
    main()
