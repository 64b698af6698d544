"""`python -m elmo_core.pretraining`.

Exit status: 0 done, 2 something the user can mend, 130 interrupted.
"""

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
        print("interrupted; a training goes on with the same command", file=sys.stderr)
        sys.exit(130)
    except ElmoCoreError as error:
        _stop(str(error))
    except OSError as error:
        if error.strerror is None or error.errno == errno.EPIPE:
            raise
        _stop(f"{error.filename or 'writing'}: {error.strerror}")


def _stop(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
