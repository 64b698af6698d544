"""`python -m elmo_core.pretraining`: exit status 0 done, 2 to be mended, 130 interrupted."""

from __future__ import annotations

import os
import signal
import sys

from elmo_core.errors import ElmoCoreError
from elmo_core.output import take_any_text
from elmo_core.pretraining.cli import parser


def main(arguments: list[str] | None = None) -> None:
    take_any_text()
    given = parser().parse_args(arguments)
    try:
        given.run(given)
        sys.stdout.flush()  # now, and not when Python ends and could only complain
    except KeyboardInterrupt:
        _stop("interrupted: give the same command again to go on", 130)
    except ElmoCoreError as error:
        _stop(f"error: {error}")
    except BrokenPipeError:  # the reader of the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.strerror is None:
            raise
        _stop(f"error: {error.filename or 'writing'}: {error.strerror}")


def _stop(message: str, status: int = 2) -> None:
    print(message, file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Slurm and `timeout` end it
    main()
