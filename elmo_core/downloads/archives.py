"""Taking files out of zip and tar archives that somebody else packed."""

from __future__ import annotations

import errno
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from elmo_core.errors import FetchError

CHUNK = 1 << 20
FREE, TIMES = 64 << 20, 100  # bytes that an archive may unpack to, and how often its own size
FURTHER = {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
FURTHER |= {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
NAMES = (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR)


def unpack(archive: Path, folder: Path, place: Callable[[str], str | None]) -> list[Path]:
    """Extract the files for whose name in the archive `place` gives a path below `folder`.

    Returns the paths, in the archive's order. Either all of them are written or none.

    Raises:
        FetchError: the archive is damaged; it is removed, so that it is fetched anew. Or it is what
            nobody packs by accident, and stays: a name in it leads out of the folder (`../x`,
            `/x`); a wanted file is no regular one (a link, a device), is encrypted, or cannot be
            written under its name; or there is more in it than 64 MiB and a hundred times its size.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".unpacked-", dir=folder) as temporary:
        with _explained(archive):
            targets = _extract(archive, Path(temporary), place)
        for target in targets:
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            os.replace(Path(temporary, target), folder / target)
    return [folder / target for target in targets]


@contextmanager
def _explained(archive: Path) -> Iterator[None]:
    """Raise what goes wrong as a FetchError, but for a disk that is full or cannot be written."""
    try:
        yield
    except FetchError:
        raise
    except Exception as error:  # what the two modules raise for damage is no closed list
        code = error.errno if isinstance(error, OSError) else None
        if code not in (None, errno.EINVAL, *NAMES):  # EINVAL: of a place before the beginning
            raise
        if code in NAMES or isinstance(error, RuntimeError):  # encrypted, an unknown method
            raise FetchError(f"{archive}: not unpacked: {error}") from error
        archive.unlink()
        reason = str(error) or type(error).__name__
        raise FetchError(
            f"{archive} was damaged ({reason}) and is removed: the same call fetches it anew"
        ) from error


def _extract(
    archive: Path, folder: Path, place: Callable[[str], str | None]
) -> list[PurePosixPath]:
    """Write the wanted files below `folder`; returns where they are in it."""
    most = FREE + TIMES * archive.stat().st_size
    targets: dict[PurePosixPath, None] = {}  # `a` and `./a` are one
    for name, regular, content in _members(archive, most):
        target = place(name)
        if _leads_out(name):
            raise FetchError(f"{archive}: {name!r} leads out of the folder; not unpacked")
        if target is not None and not regular:
            raise FetchError(f"{archive}: {name!r} is not a regular file; not unpacked")
        if target is not None:
            most -= _write(content, folder / target, most, archive)
            targets[PurePosixPath(target)] = None
    return list(targets)


def _write(content: Callable[[], IO[bytes]], path: Path, most: int, archive: Path) -> int:
    """Write one file of at most so many bytes; returns how many there were."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with content() as source, path.open("wb") as file:
        while chunk := source.read(CHUNK):
            if file.tell() + len(chunk) > most:
                raise _too_much(archive)
            file.write(chunk)
        return file.tell()


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in name.split("/")[0]  # C:x


def _too_much(archive: Path) -> FetchError:
    return FetchError(
        f"{archive}: not unpacked: more comes out of it than {FREE >> 20} MiB and "
        f"{TIMES} times its size"
    )


def _members(archive: Path, most: int) -> Iterator[tuple[str, bool, Callable[[], IO[bytes]]]]:
    """Yield each member's name, whether it is a regular file, and how to open it; no folders."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                if not entry.is_dir():
                    kind = entry.external_attr >> 28  # on Unix: 8 is a regular file, 0 not told
                    yield entry.filename, kind in (0, 8), partial(zipped.open, entry)
        return
    with tarfile.open(archive, tarinfo=_Header) as packed:
        for member in packed:
            if member.offset_data + member.size > most:  # it would be unpacked to get past it
                raise _too_much(archive)
            if not member.isdir():
                yield member.name, member.isreg(), partial(_file, packed, member)
        _read_to_the_end(packed, most // CHUNK, archive)


class _Header(tarfile.TarInfo):
    """A member's header; tarfile reads further ones whole, however long they say they are."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        found = super().frombuf(buf, encoding, errors)
        if found.type in FURTHER and found.size > CHUNK:
            raise RuntimeError(f"a header of {found.size:,} bytes")  # `_explained` names the file
        return found


def _read_to_the_end(packed: tarfile.TarFile, chunks: int, archive: Path) -> None:
    """A damaged header ends the members in silence; the checksum stands at the end."""
    assert packed.fileobj is not None
    for _ in range(chunks):
        if not packed.fileobj.read(CHUNK):
            return
    raise _too_much(archive)


def _file(packed: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = packed.extractfile(member)
    assert content is not None, "only links and devices have no content"
    return content
