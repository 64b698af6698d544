"""Taking files out of zip and tar archives that somebody else packed."""

from __future__ import annotations

import gzip
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from elmo_core.errors import FetchError
from elmo_core.whole_files import replacing

_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError)


def unpack(archive: Path, folder: Path, place: Callable[[str], str | None]) -> list[Path]:
    """Extract the files for whose name in the archive `place` gives a path below `folder`.

    Returns the paths, in the archive's order. Raises FetchError for a damaged archive, which is
    removed, so that it is fetched anew; and for one in which any name leads out of the folder
    (`../x`, `/x`) or a wanted one is no regular file (a link, a device): nobody packs such by
    accident, so nothing of it is kept.
    """
    written: list[Path] = []
    try:
        for name, regular, content in _members(archive):
            target = place(name)
            if _leads_out(name):
                raise FetchError(f"{archive}: {name!r} leads out of the folder; not unpacked")
            if target is not None and not regular:
                raise FetchError(f"{archive}: {name!r} is not a regular file; not unpacked")
            if target is not None:
                _write(content, folder / target)
                written.append(folder / target)
    except (FetchError, *_DAMAGED) as error:
        for path in written:
            path.unlink()
        if isinstance(error, FetchError):
            raise
        archive.unlink()
        reason = str(error) or type(error).__name__
        raise FetchError(
            f"{archive} was damaged ({reason}) and is removed: the same call fetches it anew"
        ) from error
    return written


def _write(content: Callable[[], IO[bytes]], path: Path) -> None:
    with content() as source, replacing(path) as temporary, temporary.open("wb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in name.split("/")[0]  # C:x


def _members(archive: Path) -> Iterator[tuple[str, bool, Callable[[], IO[bytes]]]]:
    """Yield each member's name, whether it is a regular file, and how to open it; no folders."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                if not entry.is_dir():
                    kind = entry.external_attr >> 28  # on Unix: 8 is a regular file, 0 not told
                    yield entry.filename, kind in (0, 8), partial(zipped.open, entry)
        return
    with tarfile.open(archive) as packed:
        for member in packed:
            if not member.isdir():
                yield member.name, member.isreg(), partial(_file, packed, member)
        while packed.fileobj and packed.fileobj.read(1 << 20):
            pass  # a damaged header ends the loop above in silence; the checksum stands at the end


def _file(packed: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = packed.extractfile(member)
    assert content is not None, "only links and devices have no content"
    return content
