"""A run is known by what its data, its word vectors and its encoder hold, wherever they lie.

What is published or built in stands in the run id by its name, which means one version of it. Of a
folder or a file of the user's, the bytes that are read stand there; its path stands there only
where there is nothing to read, so that the run itself can say what is missing. No torch at import.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import xxhash
from omegaconf import DictConfig, OmegaConf

from bench.choice import FILES, NAMING, OURS, Choice, leaves
from bench.errors import ConfigError
from bench.explanation import UNUSABLE
from bench.records import Finished
from bench.run.fingerprint import changed, files_below, stamp
from bench.run.record import Record
from elmo_core.downloads.cache import OWN_FILE, cache_folder, kept_step
from elmo_core.downloads.presets import PRESETS
from elmo_core.errors import ElmoCoreError, FetchError
from elmo_core.imports import importing_torch
from elmo_core.whole_files import write_text
from tasks.task import DataError

log = logging.getLogger(__name__)

DIGEST = re.compile("[0-9a-f]{32}")
BLOCK = 2**20  # bytes that are hashed at a time
LOADERS = ("elmo_core.load_encoder", "elmo_core.encoders.load.load_encoder")
"""What reads `FOLDER@STEP`, and of a folder that has an `OWN_FILE` only this."""


def chosen(cfg: DictConfig, stamps: dict[str, str] | None = None) -> tuple[Choice, Record]:
    """Return a configuration's choice, and the record of its run, which need not be there yet.

    Where several are looked at together, `stamps` keeps how each folder of data looks: a large one
    takes seconds to walk.

    Earlier versions put paths into the id. What they finished is found under that id as long as its
    record does not say that the data was another.
    """
    choice = Choice.of(cfg, content(cfg, stamps), files(cfg))
    record = Record.of(choice, cfg.paths.runs)
    if cfg.force or record.folder.exists():
        return choice, record
    for run_id in choice.ids_by_path:
        before = Record(record.folder.with_name(run_id))
        result = before.readable()
        if result is not None and not changed(cfg, result):
            return choice, before
    return choice, record


def of_old(result: Finished, choice: Choice) -> str:
    """Say that a result was found under the id of an earlier version; nothing where it was not."""
    if result.run_id == choice.run_id:
        return ""
    unknown = [] if result.data.get("fingerprint") else ["the data"]
    unknown += sorted(choice.files)
    noted = f", which did not note what was in {' and '.join(unknown)}" if unknown else ""
    return f" by an earlier version{noted}"


def content(cfg: DictConfig, stamps: dict[str, str] | None = None) -> str | None:
    """Hash the files that the task reads in `data.dir`; None where it is not given or not there.

    What was hashed once is kept in the cache, by the names, sizes and times of the folder's files.
    None, too, for a key that is wrong or a file that is missing. Raises OSError for one that cannot
    be read.
    """
    if not cfg.data.dir:
        return None
    folder = _real(cfg.data.dir)
    if not folder.is_dir():
        return None
    try:
        task = OmegaConf.to_container(cfg.task, resolve=True)
        runs = str(_real(cfg.paths.runs))  # which other processes write
        stamps = {} if stamps is None else stamps
        if str(folder) not in stamps:
            stamps[str(folder)] = stamp(str(folder), runs)
        where = [task, cfg.data.name, cfg.data.set, str(folder), stamps[str(folder)]]
        return _kept(where, lambda: _hashed(cfg, folder))
    except (ConfigError, DataError, ElmoCoreError, *UNUSABLE):  # the run itself says so
        return None


def files(cfg: DictConfig) -> dict[str, str]:
    """Hash the word vectors and what the encoder is read from, by the path as it is given.

    What is published has a name and no path, and what is missing has no hash: it is left out, and
    so is an encoder that is not used. Raises OSError for a file that cannot be read.
    """
    used = ("word_vectors",) if cfg.elmo.placement == "none" else NAMING
    given = OmegaConf.to_container(OmegaConf.masked_copy(cfg, list(used)), resolve=False)
    meant: dict[str, set[Path]] = {}
    for key, _ in leaves(given):
        name, (section, _, last) = OmegaConf.select(cfg, key), key.rpartition(".")
        if last not in FILES or not isinstance(name, str) or name in PRESETS:
            continue
        reader = str((section and OmegaConf.select(cfg, f"{section}._target_")) or "")
        with suppress(OSError, ValueError):  # it is not there, or no path
            meant.setdefault(name, set()).update(_read_from(name, reader, cfg))
    return {name: _of_files(_real(name), sorted(paths)) for name, paths in meant.items() if paths}


def arguments(cfg: DictConfig) -> str:
    """Return what an encoder class of the user's is given, files by their bytes; "" for ours.

    Its fingerprint, which may be a constant of the class, need not tell.
    """
    given = [key for key, _ in leaves(OmegaConf.to_container(cfg.encoder)) if not _is_class(key)]
    if not given or not own_classes(cfg):
        return ""
    return json.dumps(Choice.of(cfg, files=files(cfg)).encoder, sort_keys=True, default=str)


def warn_of_uncounted(cfg: DictConfig) -> None:
    """Log a warning of each file that an encoder class of the user's is given under another key."""
    for key, value in leaves(OmegaConf.to_container(cfg.encoder)) if own_classes(cfg) else ():
        counted = key.rpartition(".")[2] in FILES
        if isinstance(value, str) and not counted and _is_file(value):
            log.warning(
                "encoder.%s: the run id does not know what is in %s; only files that are given as "
                "%s count",
                *(key, value, ", ".join(FILES[1:])),
            )


def _is_file(text: str) -> bool:
    """Return whether a text, which may be anything, names a file."""
    try:
        return _real(text).is_file()
    except (OSError, ValueError, RuntimeError):  # too long, with a NUL, the home of nobody
        return False


def own_classes(cfg: DictConfig) -> list[str]:
    """Return the dotted names of the encoder's classes (or functions) that are the user's."""
    found = [str(v) for k, v in leaves(OmegaConf.to_container(cfg.encoder)) if _is_class(k)]
    return [name for name in found if not name.startswith(OURS)]


def _is_class(key: str) -> bool:
    return key.rpartition(".")[2] == "_target_"


def _real(name: str) -> Path:
    return Path(os.path.realpath(Path(name).expanduser()))  # links in a loop are no error


def _read_from(name: str, reader: str, cfg: DictConfig) -> Iterable[Path]:
    """Return the files that are meant: a file, a biLM's, or those of a folder.

    Ours read what lies in the folder itself; what a class of the user's reads may lie deeper.
    """
    path = _real(name)
    if path.is_file():
        return [path]
    if reader in LOADERS:
        own = kept_step(name) if not path.is_dir() else path / OWN_FILE
        if own is not None and own.is_file():
            return [own.absolute()]
    if not reader or reader.startswith("elmo_core."):
        return [each for each in path.glob("[!.]*") if each.is_file()]
    return _below(path, cfg)


def _kept(where: list[Any], hashed: Callable[[], str]) -> str:
    """Return the hash of what stands at a place and looks as `where` says, made only once."""
    try:
        cache = cache_folder()
    except FetchError:  # nobody knows whose
        return hashed()
    kept = cache / "contents" / xxhash.xxh3_128_hexdigest(json.dumps(where).encode())
    with suppress(OSError, UnicodeDecodeError):
        if DIGEST.fullmatch(found := kept.read_text(encoding="ascii")):
            return found
    found = hashed()
    with suppress(OSError):
        write_text(kept, found)
    return found


def _hashed(cfg: DictConfig, folder: Path) -> str:
    with importing_torch():
        from bench.run.build import task_of

    task, digest = task_of(cfg), xxhash.xxh3_128()
    named = [(split, path) for split in ("train", "dev", "test") for path in task.paths(split)]
    for split, path in named or (("", path) for path in _below(folder, cfg)):
        digest.update(f"{split}\0{path.name}\0{path.stat().st_size}\0".encode())
        _feed(digest, path)
    return str(digest.hexdigest())


def _of_files(folder: Path, paths: Sequence[Path]) -> str:
    """Hash files with their places in a folder; that of one alone does not count."""
    facts = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]

    def hashed() -> str:
        digest = xxhash.xxh3_128()
        for path in paths:
            if len(paths) > 1:
                name = path.relative_to(folder).as_posix()
                digest.update(f"{name}\0{path.stat().st_size}\0".encode(errors="surrogateescape"))
            _feed(digest, path)
        return str(digest.hexdigest())

    return _kept(["files", str(folder), *facts], hashed)


def _feed(digest: xxhash.xxh3_128, path: Path) -> None:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)


def _below(folder: Path, cfg: DictConfig) -> Iterator[Path]:
    """Yield every file below a folder but hidden ones, and runs that are recorded there."""
    for path in files_below(folder, str(_real(cfg.paths.runs))):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path
