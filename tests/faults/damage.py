"""Damage as disks and people do it, to the bytes of one file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], None]


def flip(path: Path) -> None:
    """One bit, in the middle of the largest part of a zip file, or of any other file."""
    content = bytearray(path.read_bytes())
    content[_middle(path)] ^= 1
    path.write_bytes(content)


def lost_page(path: Path) -> None:
    """4 KB of zeros, as a power cut leaves them."""
    content, start = bytearray(path.read_bytes()), _middle(path)
    content[start : start + 4096] = bytes(len(content[start : start + 4096]))
    path.write_bytes(content)


def cut(path: Path) -> None:
    """The last third is gone."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def emptied(path: Path) -> None:
    """The file is there, and nothing in it."""
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    """Something else has this name."""
    path.write_bytes(b"\xff\x00not what it was" * 99)


def gone(path: Path) -> None:
    """The file was removed."""
    path.unlink()


KINDS: dict[str, Damage] = {
    each.__name__: each for each in (flip, lost_page, cut, emptied, garbage, gone)
}


def _middle(path: Path) -> int:
    if not zipfile.is_zipfile(path):
        return path.stat().st_size // 2
    with zipfile.ZipFile(path) as archive:
        largest = max(archive.infolist(), key=lambda part: part.file_size)
    return largest.header_offset + largest.file_size // 2 + 64
