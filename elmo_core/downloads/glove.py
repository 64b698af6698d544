"""The published GloVe vectors by name (Pennington et al. 2014). Free of torch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from elmo_core.downloads.archives import unpack
from elmo_core.downloads.cache import cache_folder
from elmo_core.downloads.fetch import download
from elmo_core.errors import FetchError, NotFetchedError
from elmo_core.locks import locked
from elmo_core.whole_files import sha256_of

SITE = "https://nlp.stanford.edu/data"
LICENCE = "Public Domain Dedication and License 1.0"
CITATION = "Pennington et al. 2014, GloVe: global vectors for word representation"


@dataclass(frozen=True)
class Archive:
    """What is downloaded: a zip with one text file for each number of dimensions."""

    url: str
    sha256: str
    megabytes: int


_840B = Archive(
    f"{SITE}/glove.840B.300d.zip",
    "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f",
    2_177,
)
_6B = Archive(
    f"{SITE}/glove.6B.zip",
    "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
    862,
)
VECTORS: Mapping[str, Archive] = {
    "glove.840B.300d": _840B,
    **{f"glove.6B.{dim}d": _6B for dim in (50, 100, 200, 300)},
}


def cached(name: str, folder: Path | None = None) -> Path:
    """Return where the vectors of this name lie, or will lie."""
    return (folder or cache_folder() / "vectors") / f"{name}.txt"


def find(vectors: str | Path) -> Path:
    """Return the file that is meant: a path, or one of VECTORS, fetched before.

    Raises NotFetchedError for a name whose file is not there.
    """
    path = Path(vectors).expanduser()
    if path.exists() or str(vectors) not in VECTORS:
        return path
    path = cached(str(vectors))
    if not path.is_file():
        raise NotFetchedError(str(vectors), path)
    return path


def fetch(
    name: str, folder: Path | None = None, *, offline: bool = False, besides: Iterable[str] = ()
) -> Path:
    """Download one of VECTORS, keep its text file alone, and return the file. Raises FetchError.

    Those of the names `besides` that lie in the same archive are kept, too.
    """
    target, archive = cached(name, folder), VECTORS[name]
    alike = {cached(each, folder) for each in (name, *besides) if VECTORS.get(each) == archive}
    if target.is_file():
        return target
    packed = target.parent / archive.url.rsplit("/", 1)[-1]
    packed.parent.mkdir(parents=True, exist_ok=True)
    with locked(packed.with_suffix(".lock")):  # the archive is one process's until it is gone
        if target.is_file():
            return target
        wanted = {path.name for path in alike if not path.is_file()}
        put_there = packed.is_file()
        download(archive.url, packed, sha256=archive.sha256, offline=offline)
        if put_there and sha256_of(packed) != archive.sha256:
            raise FetchError(f"{packed}: another file than {archive.url} (its SHA-256): remove it")
        unpack(packed, target.parent, lambda member: member if member in wanted else None)
        if not target.is_file():
            raise FetchError(f"{packed}: no {target.name} inside")
        packed.unlink()
    return target
