"""Text files that anyone may have written: read with every check, or refused with file and line."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from elmo_core import strict_json
from elmo_core.text.files import IN_CR, ends_in_cr
from tasks.task import DataError

LONGEST = 1 << 26  # bytes of a line
PACKED = 200  # times its own size that a .gz may unpack to, besides the bytes of one line


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Read the lines of a UTF-8 file, `.gz` or not: (line number, line without its end) of each.

    A byte order mark, which some editors write, is skipped.

    Raises:
        DataError: a line is not UTF-8, holds a NUL or is too long, lines end in carriage returns
            alone, or the `.gz` is damaged or unpacks to absurdly much; the message names file and
            line.
    """
    most = LONGEST + PACKED * path.stat().st_size
    with _opened(path) as file:
        for number, line in enumerate(_split(file, path), start=1):
            where = f"{path}, line {number}"
            most -= len(line)
            if len(line) >= LONGEST or most < 0:
                raise DataError(f"{where}: more than {LONGEST >> 20} MB, or unpacked from nothing")
            if number == 1 and ends_in_cr(line):
                raise DataError(f"{path}: {IN_CR}")
            yield number, decode(line if number > 1 else line.removeprefix(BOM_UTF8), where)


def read_json(path: Path) -> Any:
    """Read a file that is one JSON value.

    Raises:
        DataError: the file is not UTF-8 or not JSON.
    """
    return parse_json(decode(path.read_bytes().removeprefix(BOM_UTF8), str(path)), str(path))


def parse_json(text: str, where: str) -> Any:
    """Parse JSON; `where` begins the message of the DataError for what is none."""
    try:
        return strict_json.loads(text)
    except ValueError as error:
        raise DataError(f"{where}: not JSON ({error})") from None


def decode(line: bytes, where: str) -> str:
    """Decode UTF-8, without the end of the line; `where` begins the message of a DataError."""
    if b"\0" in line:  # a block of them is what a power cut leaves
        raise DataError(f"{where}: not text: it holds NUL bytes")
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8 ({error.reason})") from None


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _split(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        while line := file.readline(LONGEST):
            yield line
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DataError(f"{path}: a damaged .gz ({error})") from None
