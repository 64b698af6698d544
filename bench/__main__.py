"""`python -m bench`, and the command `elmo-bench`."""

from __future__ import annotations

import os
import runpy
import sys

from bench import VERBS
from bench.interrupts import end_with_sweep, interruptible
from bench.sweep import fork_server

SUBMITTED = ["-u", "-m", "submitit.core._submit"]
"""What submitit says to its Python; bench/sweep/slurm_launcher.py gives it `elmo-bench` instead."""


def main() -> None:
    """Run the command line; an interruption while it is being imported has its line, too."""
    with interruptible():
        fork_server.serve()
        end_with_sweep()
        from bench import cli

        cli.main()


def command() -> None:
    """Run the command `elmo-bench`: `elmo-bench report runs` is `python -m bench.report runs`.

    It finds the user's classes in the working folder as `python -m` does, but last, so that a
    folder `bench` or `tasks` there is not taken for ours.
    """
    sys.path.append(os.getcwd())
    if sys.argv[1:4] == SUBMITTED:
        from submitit.core.submission import submitit_main

        del sys.argv[1:4]
        submitit_main()
    elif VERBS & {*sys.argv[1:2]}:
        runpy.run_module(f"bench.{sys.argv.pop(1)}", run_name="__main__", alter_sys=True)
    else:
        main()


if __name__ == "__main__":
    main()
