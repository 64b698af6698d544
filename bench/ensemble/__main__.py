"""`python -m bench.ensemble RUN RUN …`: the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

from bench.ensemble import PROGRAM
from bench.errors import exit_status
from bench.options import add_trust
from elmo_core.arguments import path
from elmo_core.help_text import HelpText

EXAMPLES = f"""examples:
  {PROGRAM} --seeds runs/snli/RUN     # with its other seeds
  {PROGRAM} runs/ner/RUN runs/ner/RUN # that differ in the seed
  {PROGRAM} --mixed runs/ner/RUN runs/ner/RUN   # in more
  python -m bench experiment=ensemble-snli       # five runs, then together

Classes are chosen by the mean of their probabilities, spans by their summed scores, tags by their
summed potentials. The ensemble is recorded beside its runs as one of them.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    parser = ArgumentParser(
        PROGRAM,
        description="Combine finished runs of one task on the same data, and score them together.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    parser.add_argument(
        "runs", nargs="+", type=path, metavar="RUN", help="folder of a finished run"
    )
    parser.add_argument(
        "--seeds",
        action="store_true",
        help="besides each RUN, take the finished runs beside it that differ in the seed alone",
    )
    parser.add_argument(
        "--mixed", action="store_true", help="let the runs differ in more than their seed"
    )
    parser.add_argument("--force", action="store_true", help="repeat a finished ensemble")
    add_trust(parser)
    given = parser.parse_args(arguments)
    with exit_status(debug=False):
        from bench.ensemble.combine import combine
        from bench.ensemble.members import all_seeds
        from bench.run.record import itself

        runs = [itself(run) for run in given.runs]
        if given.seeds:  # of two seeds of one run, each brings the other
            every = (run for each in runs for run in all_seeds(each))
            runs = list({run.resolve(): run for run in every}.values())
        combine(runs, force=given.force, trusted=given.trust, mixed=given.mixed)


if __name__ == "__main__":
    main()
