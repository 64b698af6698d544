"""`python -m elmo_core.pretraining`: exit status 0 done, 2 to be mended by the user, 130 Ctrl-C."""

from __future__ import annotations

import errno
import sys

from elmo_core import heap
from elmo_core.errors import ElmoCoreError
from elmo_core.pretraining.cli import parser


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    heap.keep()
    try:
        given.run(given)
    except KeyboardInterrupt:
        _stop("interrupted: give the same command again to go on", 130)
    except ElmoCoreError as error:
        _stop(f"error: {error}")
    except OSError as error:
        if error.strerror is None or error.errno == errno.EPIPE:
            raise
        _stop(f"error: {error.filename or 'writing'}: {error.strerror}")


def _stop(message: str, status: int = 2) -> None:
    print(message, file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
