"""A record's file, read with whatever is wrong with it told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.errors import RunError
from elmo_core import strict_json


class DamagedRecord(RunError):
    """A file that this version cannot read as a record. The message is one line and names it."""


@contextmanager
def reading(path: Path, newest: int, way_out: str) -> Iterator[dict[str, Any]]:
    """Yield what a file says; whatever is wrong with it is raised as DamagedRecord.

    Args:
        path: the file, a JSON object with its `schema`.
        newest: the newest schema that this version reads.
        way_out: what its owner can do about a damaged file.
    """
    try:
        content = strict_json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] not in range(1, newest + 1):
            raise ValueError(f"schema {content['schema']}, this version reads up to {newest}")
        yield content
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise DamagedRecord(f"{path}: damaged ({why}); {way_out}") from None
