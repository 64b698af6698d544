"""Files that are either whole or not there, and whether they are still as they were written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside `path`, which is renamed to `path` when the block ends well.

    Where the block fails, the temporary file is removed, and what was at `path` is still there.
    Missing parent folders are made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # On a file system that machines share, two processes may have one number.
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:8]}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        if error.filename in (None, str(temporary)):  # `write` fails without a name
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, content: bytes | memoryview) -> None:
    """Make `content` the whole of a file. Raises OSError, which names it."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Make `text` the whole of a file, in UTF-8, its line ends as they are. Raises OSError."""
    write_bytes(path, text.encode())


def tidy(folder: Path) -> None:
    """Remove what processes that were killed left of `replacing` in a folder."""
    for path in folder.glob(".*.tmp"):
        process = path.name.split(".")[-2]
        if process.isdecimal() and not _lives(int(process)):
            path.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    """Say whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits. Raises OSError."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()
