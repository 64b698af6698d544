"""A run is known by what lies in its `data.dir`, wherever that is. No torch at import.

A published or built-in set stands in the run id by its name, which means one version of it. Of a
folder of the user's, the bytes of the files that the task reads stand there; its path stands there
only where there is nothing to read, so that the run itself can say what is missing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import xxhash
from omegaconf import DictConfig, OmegaConf

from bench.choice import Choice
from bench.records import DamagedRecord, Finished
from bench.run.fingerprint import changed, stamp
from bench.run.record import Record
from elmo_core.downloads.cache import cache_folder
from elmo_core.whole_files import replacing

BLOCK = 2**20  # bytes that are hashed at a time


def chosen(cfg: DictConfig) -> tuple[Choice, Record]:
    """Return a configuration's choice, and the record of its run, which need not be there yet.

    Earlier versions put the path of the data into the id. What they finished is found under that id
    as long as its record does not say that the data was another.
    """
    choice = Choice.of(cfg, content(cfg))
    record = Record.of(choice, cfg.paths.runs)
    if not (cfg.force or record.folder.exists() or choice.run_id == choice.id_by_path):
        before = Record(record.folder.with_name(choice.id_by_path))
        with suppress(DamagedRecord):
            result = before.finished()
            if result is not None and not changed(cfg, result):
                return choice, before
    return choice, record


def of_old(result: Finished, choice: Choice) -> str:
    """Say that a result was found under the id of an earlier version; nothing where it was not."""
    if result.run_id == choice.run_id:
        return ""
    unknown = "" if result.data.get("fingerprint") else ", which did not note what the data was"
    return f" by an earlier version{unknown}"


def content(cfg: DictConfig) -> str | None:
    """Hash the files that the task reads in `data.dir`; None where it is not given or not there.

    What was hashed once is kept in the cache, by the names, sizes and times of the folder's files.
    """
    if not cfg.data.dir:
        return None
    folder = Path(os.path.realpath(Path(cfg.data.dir).expanduser()))  # links in a loop are no error
    if not folder.is_dir():
        return None
    try:
        kept = cache_folder() / "contents" / _key(cfg, folder)
        if kept.is_file():
            return kept.read_text(encoding="ascii")
        found = _hashed(cfg, folder)
    except Exception:  # a wrong key, a file missing: the run itself says so, in one line
        return None
    with suppress(OSError), replacing(kept) as temporary:
        temporary.write_text(found, encoding="ascii")
    return found


def _key(cfg: DictConfig, folder: Path) -> str:
    """Name what is hashed: which task reads which folder, and how that looks from outside."""
    task = OmegaConf.to_container(cfg.task, resolve=True)
    where = [task, cfg.data.name, cfg.data.set, str(folder), stamp(str(folder))]
    return xxhash.xxh3_128_hexdigest(json.dumps(where).encode())


def _hashed(cfg: DictConfig, folder: Path) -> str:
    from bench.run.build import task_of  # brings torch

    task, digest = task_of(cfg), xxhash.xxh3_128()
    files = [(split, path) for split in ("train", "dev", "test") for path in task.paths(split)]
    runs = Path(cfg.paths.runs).expanduser().resolve()
    for split, path in files or (("", path) for path in _below(folder, runs)):
        digest.update(f"{split}\0{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return str(digest.hexdigest())


def _below(folder: Path, runs: Path) -> Iterator[Path]:
    """Yield every file below a folder but hidden ones, and runs that are recorded there."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.is_relative_to(runs):
            yield path
