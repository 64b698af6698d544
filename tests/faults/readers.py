"""Mutated files, read: `python -m tests.faults.readers --seed 1 --count 2000`.

Whatever is done to a file, its reader gives examples or one of the errors that are the user's to
mend, in one line, within a multiple of the file's size in memory and in time. What does not is kept
below the current folder, so that it can be read again.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pyarrow as pa

from bench.errors import ConfigError, RunError
from elmo_core.errors import ElmoCoreError
from tasks.task import DataError
from tests.faults.files import Kind, data_kinds
from tests.faults.mutations import mutate
from tests.faults.own_files import own_kinds

BYTES, BYTES_EACH = 64 << 20, 1000  # of memory: for any file, and for each of its bytes
SECONDS, SECONDS_EACH = 2.0, 2e-5  # measured as the process's own, on a machine of 2026
LINE = 1000  # characters of a message
PROPER = (DataError, ElmoCoreError, RunError, ConfigError)


class Bad(AssertionError):
    """A reader did what none may do."""


def kinds(folder: Path) -> dict[str, Kind]:
    """Every kind of file by its name; `folder` is for what is needed to make them."""
    return {**data_kinds(folder / "data"), **dict(own_kinds(folder / "own"))}


def read(kind: Kind, content: bytes, folder: Path) -> str:
    """Read a mutated file: "read", or "refused" with a proper error. Raises Bad."""
    kind.write(folder, content)
    try:
        with _measured(len(content)):
            kind.read(folder)
    except PROPER as error:
        message = str(error)
        if len(message) > LINE or len(message.splitlines()) != 1:
            raise Bad(f"a message of {len(message)} characters: {message[:200]!r}") from error
        return "refused"
    except Bad:
        raise
    except Exception as error:
        raise Bad(f"{type(error).__name__}: {str(error)[:200]}") from error
    return "read"


@contextmanager
def _measured(size: int) -> Iterator[None]:
    """Raise Bad where more memory or time is taken than a file of this size may."""
    tracemalloc.start()
    arrow, began = pa.total_allocated_bytes(), time.process_time()
    try:
        yield
        taken = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - arrow
        if taken > BYTES + BYTES_EACH * size:
            raise Bad(f"{taken >> 20} MiB of memory for {size} bytes")
    finally:
        tracemalloc.stop()
    seconds = time.process_time() - began
    if seconds > SECONDS + SECONDS_EACH * size:
        raise Bad(f"{seconds:.1f} seconds for {size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m tests.faults.readers",
        description="Mutated files, each read; status 1 if any reader misbehaves.",
    )
    parser.add_argument("--seed", type=int, default=1, help="another number, other mutations")
    parser.add_argument("--count", type=int, default=2000, help="files, over all kinds together")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    tally: Counter[tuple[str, str]] = Counter()
    with TemporaryDirectory() as folder:
        every = kinds(Path(folder, "made"))
        for number in range(given.count):
            name = list(every)[number % len(every)]
            tally[name, _try(name, every[name], f"{given.seed}.{number}", Path(folder))] += 1
    _print(tally, list(every))
    sys.exit(any(outcome == "bad" for _, outcome in tally))


def _try(name: str, kind: Kind, seed: str, folder: Path) -> str:
    content = mutate(kind.content, Random(seed))
    with TemporaryDirectory(dir=folder) as inner:
        try:
            return read(kind, content, Path(inner))
        except Bad as bad:
            kept = Path(f"bad-{hashlib.sha256(content).hexdigest()[:12]}")
            kept.write_bytes(content)
            print(f"BAD {name} (seed {seed}, kept as {kept}): {bad}", flush=True)
            return "bad"


def _print(tally: Counter[tuple[str, str]], names: list[str]) -> None:
    print(f"{'':32} tried  read refused   bad")
    for name in (*names, "all"):
        read_, refused, bad = (
            sum(n for (kind, what), n in tally.items() if what == outcome and name in (kind, "all"))
            for outcome in ("read", "refused", "bad")
        )
        print(f"{name:32} {read_ + refused + bad:5} {read_:5} {refused:7} {bad:5}")


if __name__ == "__main__":
    main()
