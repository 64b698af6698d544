"""`python -m bench`, and the command `elmo-bench`."""

from __future__ import annotations

from bench.interrupts import end_with_sweep, interruptible


def main() -> None:
    """Run the command line; an interruption while it is being imported has its line, too."""
    with interruptible():
        end_with_sweep()
        from bench import cli

        cli.main()


if __name__ == "__main__":
    main()
