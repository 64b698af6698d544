"""Parquet files, the hub's edition of a data set: read row by row, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow.parquet import ParquetFile

from tasks.task import DataError


def read_rows(path: Path, *columns: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read (row number, row) with the named columns alone.

    Raises:
        DataError: the file is damaged or lacks a column.
    """
    schema = read_schema(path)
    missing = [name for name in columns if name not in schema.names]
    if missing:
        raise DataError(f"{path}: no column {' or '.join(missing)}")
    number = 0
    try:
        for batch in ParquetFile(path).iter_batches(columns=list(columns)):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}, after row {number}: damaged ({error})") from None


def read_schema(path: Path) -> pa.Schema:
    """Read the columns' names and types. Raises DataError for a damaged file."""
    try:
        return ParquetFile(path).schema_arrow
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: damaged, or no Parquet file ({error})") from None
