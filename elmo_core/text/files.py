"""Finding text files, and reading them line by line."""

from __future__ import annotations

import zlib
from bz2 import BZ2File
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from gzip import GzipFile
from io import BufferedIOBase
from lzma import LZMAError, LZMAFile
from pathlib import Path

from elmo_core.errors import TextError

PACKED: dict[str, Callable[[Path], BufferedIOBase]] = {
    ".bz2": BZ2File,
    ".gz": GzipFile,
    ".xz": LZMAFile,
}
"""What opens a compressed text, by the end of its name."""
RATIO = 3
"""How many bytes of text a compressed byte holds, roughly."""
IN_CR = "its lines end in carriage returns alone, so all would be one: save it with line feeds"
"""What is wrong with a file that `ends_in_cr`."""


def find_texts(inputs: Sequence[Path], out: Path | None = None) -> dict[str, Path]:
    """Find the files that are meant, by name: in folders, all files below. Raises TextError.

    A name is the path from the parent of what was given, so that a folder's texts stay together.
    The end that says how a text is compressed (PACKED) is no part of it.
    Hidden files, and those in hidden folders, are left out: half-written ones, the system's own.
    So is `out`, a file or folder below those given, where what is made of the texts is written.
    Links to folders are followed, but for those that lead back to where they stand.
    """
    made = None if out is None else out.resolve()
    found: dict[str, Path] = {}
    for given in inputs:
        if not given.exists():
            raise TextError(f"{given}: no such file or folder")
        if not (given.is_file() or given.is_dir()):
            raise TextError(f"{given}: a pipe or device, and a text is read twice: give a file")
        root = given.resolve()
        if root == made:
            raise TextError(f"{out}: the folder of the texts themselves: choose another one")
        ours = {made} - {None, *root.parents}  # a folder in `out` is meant as it is named
        try:
            paths = sorted(_below(root, ours)) if root.is_dir() else [root]
        except OSError as error:
            raise TextError(f"{error.filename}: cannot be read ({error.strerror})") from error
        for path in paths:
            name = str(_unpacked(path).relative_to(root.parent))
            if name in found:
                raise TextError(f"{path} and {found[name]} would both be called {name}")
            found[name] = path
    if not found:
        raise TextError("no text: the folders given are empty")
    return found


def _unpacked(path: Path) -> Path:
    return path.with_suffix("") if path.suffix in PACKED else path


def size_of(files: Iterable[Path]) -> int:
    """Return the bytes of text in these files; of compressed ones (PACKED), an estimate."""
    return sum(path.stat().st_size * (RATIO if path.suffix in PACKED else 1) for path in files)


def _below(folder: Path, barred: Set[Path | None]) -> Iterator[Path]:
    """Yield the visible files of a folder and those in it, of which some may be barred."""
    here = folder.resolve()
    if here in barred:
        return
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _below(path, barred | {here})
        elif path.is_file() and path.resolve() not in barred:
            yield path


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, which may be compressed (PACKED), without their ends.

    Raises TextError, naming file and line, where a line is no UTF-8 text or nothing can be read, or
    where lines end in carriage returns alone.
    """
    for number, line in enumerate(read_bytes(path), start=1):
        text = _decode(line, path, number)
        yield text.removeprefix("\ufeff") if number == 1 else text


def read_bytes(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, which may be compressed (PACKED), as they stand, with their ends.

    Raises TextError where nothing can be read, or where lines end in carriage returns alone.
    """
    try:
        with PACKED.get(path.suffix, _plain)(path) as file:
            for number, line in enumerate(file):
                if not number and ends_in_cr(line):
                    raise TextError(f"{path}: {IN_CR}")
                yield line
    except (OSError, EOFError, zlib.error, LZMAError) as error:
        why = getattr(error, "strerror", None) or error
        raise TextError(f"{path}: cannot be read ({why})") from error


def _plain(path: Path) -> BufferedIOBase:
    return path.open("rb")


def ends_in_cr(first: bytes) -> bool:
    """Say by the first line of a file whether all its lines end in carriage returns alone."""
    return not first.endswith(b"\n") and b"\r" in first.rstrip(b"\r")


def read_tokenised(paths: Iterable[Path]) -> Iterator[list[str]]:
    """Yield the sentences of tokenised files, one a line, spaces between words; none is empty."""
    for path in paths:
        yield from filter(None, (line.split() for line in read_lines(path)))


def _decode(line: bytes, path: Path, number: int) -> str:
    if b"\0" in line:  # a block of them is what a power cut leaves
        raise TextError(f"{path}, line {number}: not text: it holds NUL bytes")
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise TextError(f"{path}, line {number}: not UTF-8 ({error.reason})") from error
