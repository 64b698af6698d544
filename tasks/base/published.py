"""Published data sets: what each one is, where it comes from, what tells it from others."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from elmo_core.downloads.cache import cache_folder
from elmo_core.downloads.fetch import download
from elmo_core.errors import did_you_mean
from elmo_core.locks import locked
from elmo_core.whole_files import sha256_of, write_text
from tasks.base.text_files import read_json
from tasks.task import DataError

SPLITS = ("train", "dev", "test")
MARK = "SOURCE"
"""The file that says which set a folder holds. It is written last: with it, the set is whole."""

log = logging.getLogger(__name__)


class Found(NamedTuple):
    """What a folder has of a split: a file, or a folder of files, and how much is in there."""

    path: Path
    counts: Mapping[str, int]


Count = Callable[[Path, str], Found | None]
Prepare = Callable[[Path, Path], None]


@dataclass(frozen=True, kw_only=True)
class File:
    """One file of a download."""

    url: str  # https://…, or hf://datasets/OWNER/NAME@COMMIT/PATH on the hub
    path: str  # below the folder of the set, or of its downloads if they must be prepared
    sha256: str | None  # None where nobody published one


@dataclass(frozen=True, kw_only=True)
class Source:
    """A data set. Nothing can be left out: where something is not known or not needed, say None.

    `counts` are, for each split that was published, the figures that `count` finds in the files as
    published: in the order in which they say most. A split whose figures nobody published has none.
    """

    name: str
    task: str
    title: str
    kinds: tuple[str, ...]  # which `data=` it serves: "open", "paper"
    origin: str  # who publishes it
    version: str  # a commit, never a branch, or the publisher's number
    files: tuple[File, ...]  # none where it cannot be downloaded
    megabytes: float | None  # of the download
    prepare: Prepare | None  # (downloads, folder): writes the files that the task reads
    obtain: str | None  # of a licensed set: what to get from whom, and which files to put there
    licence: str
    citation: str
    metric: str  # key of the task's score that stands in tables
    counts: Mapping[str, Mapping[str, int]]
    count: Count  # (folder, split)

    def folder(self, collection: Path | None = None) -> Path:
        """Return where the set lies in a collection, by default the cache."""
        folder = (collection or cache_folder() / "data") / self.task
        return folder if self.name == self.task else folder / self.name

    def inside(self, folder: Path) -> Path | None:
        """Return where the set lies in a folder of the user's, a collection or the task's own with
        a folder for each set; None if it does not."""
        return next((p for p in (self.folder(folder), folder / self.name) if p.is_dir()), None)

    def is_in(self, folder: Path) -> bool:
        """Return whether `folder` has the set: fetched whole, or put there if it is licensed.

        Raises:
            DataError: the folder holds another version.
        """
        if not self.files:
            return folder.is_dir() and any(folder.iterdir())
        mark = folder / MARK
        facts = read_json(mark) if mark.is_file() else {}
        version = facts.get("version") if isinstance(facts, dict) else None
        if version not in (None, self.version):
            raise DataError(
                f"{folder} holds version {version} of {self.name}, not {self.version}: remove it"
            )
        return version is not None


def published(task: str | None = None) -> list[Source]:
    """Return the sets of all tasks, or of one: what `tasks/<name>/sources.py` calls SOURCES."""
    modules = sorted(Path(__file__).parents[1].glob(f"{task or '*'}/sources.py"))
    return [
        source
        for module in modules
        for source in import_module(f"tasks.{module.parent.name}.sources").SOURCES
    ]


def choose(sources: Sequence[Source], data: str) -> Source:
    """Return the set of this name, else the first one that serves as `data`.

    Raises:
        DataError: there is none; the message lists those that there are.
    """
    for source in sources:
        if source.name == data:
            return source
    for source in sources:
        if data in source.kinds:
            return source
    known = [source.name for source in sources]
    hint = did_you_mean(data, known)
    have = f"there is {', '.join(known)}" if known else "nothing is published"
    raise DataError(f"no data set {data!r}{hint}: {have}; or give your copy as data.dir=FOLDER")


def fetch(
    source: Source,
    collection: Path | None = None,
    *,
    offline: bool = False,
    watch: Callable[[list[File]], Iterable[File]] = iter,
) -> Path:
    """Return the folder of the set, downloaded and prepared if it is not there.

    A download that was cut off is resumed; a second process waits for the first.

    Args:
        source: the set.
        collection: the folder that holds all sets, by default in the cache.
        offline: fetch nothing.
        watch: is handed the list of files and gives them back one by one, for a progress bar.

    Raises:
        FetchError: a file cannot be fetched.
        DataError: a licensed set is not there, or a download cannot be prepared.
    """
    folder = source.folder(collection)
    if source.is_in(folder):
        return folder
    if not source.files:
        raise DataError(f"{source.title} cannot be downloaded: {how_to_obtain(source, collection)}")
    folder.mkdir(parents=True, exist_ok=True)
    said = partial(log.info, "%s: waiting for another process that fetches it", source.title)
    with locked(folder / ".lock", waits=said):
        if not source.is_in(folder):
            log.info("%s: fetching it to %s (%s)", source.title, folder, source.licence)
            _fetch(source, folder, offline, watch)
    return folder


def how_to_obtain(source: Source, collection: Path | None = None) -> str:
    """Say what the user does to have a licensed set."""
    return (
        f"{source.obtain}; put them into {source.folder(collection)}, "
        "or say where they are with data.dir=FOLDER"
    )


def _fetch(
    source: Source, folder: Path, offline: bool, watch: Callable[[list[File]], Iterable[File]]
) -> None:
    downloads = folder / "downloads" if source.prepare else folder
    several = len(source.files) > 5
    for file in watch(list(source.files)) if several else source.files:
        target = downloads / file.path
        put_there = target.is_file()
        download(url_of(file), target, sha256=file.sha256, offline=offline, progress=not several)
        if put_there and file.sha256 and not sha256_of(target).startswith(file.sha256):
            raise DataError(f"{target}: another file than {file.url} (its SHA-256): remove it")
    if source.prepare:
        source.prepare(downloads, folder)
    _require_splits(source, folder, downloads)
    if source.prepare:
        shutil.rmtree(downloads)
    facts = ("name", "title", "origin", "version", "licence", "citation")
    about = {fact: getattr(source, fact) for fact in facts}
    write_text(folder / MARK, json.dumps(about, indent=2) + "\n")


def _require_splits(source: Source, folder: Path, downloads: Path) -> None:
    """Raise DataError where what was fetched lacks a split that was published."""
    for split in source.counts:
        try:
            wrong = "" if source.count(folder, split) else f"no {split} in what was fetched"
        except DataError as error:
            wrong = str(error)
        if wrong:
            raise DataError(
                f"{source.name}: {wrong}: remove {downloads}, and the same command fetches it anew"
            )


def url_of(file: File) -> str:
    """Return the address of a file; HF_ENDPOINT names another hub than huggingface.co."""
    if not file.url.startswith("hf://"):
        return file.url
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    repository, _, rest = file.url.removeprefix("hf://").partition("@")
    commit, _, path = rest.partition("/")
    return f"{hub}/{repository}/resolve/{commit}/{path}"


def github(repository: str, commit: str, path: str) -> str:
    """Return the address of a file on GitHub at a commit."""
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"


def github_archive(repository: str, commit: str) -> str:
    """Return the address of a whole repository at a commit. GitHub packs it anew: no checksum."""
    return f"https://github.com/{repository}/archive/{commit}.tar.gz"
