"""A run is known by what lies in its `data.dir` and its word vectors, wherever these are.

Published or built-in data stand in the run id by their name, which means one version of them. Of a
folder or a file of the user's, the bytes that are read stand there; its path stands there only
where there is nothing to read, so that the run itself can say what is missing. No torch at import.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

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

    Earlier versions put the paths of word vectors and data into the id. What they finished is found
    under that id as long as its record does not say that the data was another.
    """
    choice = Choice.of(cfg, content(cfg), vectors(cfg))
    record = Record.of(choice, cfg.paths.runs)
    if cfg.force or record.folder.exists():
        return choice, record
    for run_id in choice.ids_by_path:
        before = Record(record.folder.with_name(run_id))
        with suppress(DamagedRecord):
            result = before.finished()
            if result is not None and not changed(cfg, result):
                return choice, before
    return choice, record


def of_old(result: Finished, choice: Choice) -> str:
    """Say that a result was found under the id of an earlier version; nothing where it was not."""
    if result.run_id == choice.run_id:
        return ""
    unknown = [
        *([] if result.data.get("fingerprint") else ["the data was"]),
        *(["the word vectors were"] if choice.vectors else []),
    ]
    noted = f", which did not note what {' and '.join(unknown)}" if unknown else ""
    return f" by an earlier version{noted}"


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
        task = OmegaConf.to_container(cfg.task, resolve=True)
        where = [task, cfg.data.name, cfg.data.set, str(folder), stamp(str(folder))]
        return _kept(where, lambda: _hashed(cfg, folder))
    except Exception:  # a wrong key, a file missing: the run itself says so, in one line
        return None


def vectors(cfg: DictConfig) -> dict[str, str]:
    """Hash each file of word vectors, the task's and the encoder's, by its path as it is given.

    The name of published vectors is no file, and one that is missing has no hash.
    """
    given = (cfg.word_vectors, OmegaConf.select(cfg, "encoder.vectors"))
    found = {}
    for name in filter(None, given):
        path = Path(os.path.realpath(Path(name).expanduser()))
        with suppress(OSError):
            if path.is_file():
                facts = path.stat()
                where = ["word vectors", str(path), facts.st_size, facts.st_mtime_ns]
                found[name] = _kept(where, partial(_of_file, path))
    return found


def _kept(where: list[Any], hashed: Callable[[], str]) -> str:
    """Return the hash of what stands at a place and looks as `where` says, made only once."""
    kept = cache_folder() / "contents" / xxhash.xxh3_128_hexdigest(json.dumps(where).encode())
    if kept.is_file():
        return kept.read_text(encoding="ascii")
    found = hashed()
    with suppress(OSError), replacing(kept) as temporary:
        temporary.write_text(found, encoding="ascii")
    return found


def _hashed(cfg: DictConfig, folder: Path) -> str:
    from bench.run.build import task_of  # brings torch

    task, digest = task_of(cfg), xxhash.xxh3_128()
    files = [(split, path) for split in ("train", "dev", "test") for path in task.paths(split)]
    runs = Path(cfg.paths.runs).expanduser().resolve()
    for split, path in files or (("", path) for path in _below(folder, runs)):
        digest.update(f"{split}\0{path.name}\0{path.stat().st_size}\0".encode())
        _feed(digest, path)
    return str(digest.hexdigest())


def _of_file(path: Path) -> str:
    digest = xxhash.xxh3_128()
    _feed(digest, path)
    return str(digest.hexdigest())


def _feed(digest: xxhash.xxh3_128, path: Path) -> None:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)


def _below(folder: Path, runs: Path) -> Iterator[Path]:
    """Yield every file below a folder but hidden ones, and runs that are recorded there."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.is_relative_to(runs):
            yield path
