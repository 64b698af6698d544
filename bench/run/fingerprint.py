"""What a run's data is: a hash of its examples, wherever they lie; and whether it has changed.

No torch here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xxhash
from omegaconf import DictConfig

from bench.records import Finished
from elmo_core.imports import importing_torch
from tasks.task import DOCUMENT, DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Dataset

PORTION = 10_000  # examples that are hashed at a time


def fingerprint(examples: Dataset) -> str:
    """Hash what the examples are: every field of each, in order, but for the name of its document,
    by which no model is trained or scored.

    Neither their file nor its format counts, nor how wide their numbers are stored.

    >>> from datasets import Dataset
    >>> one = fingerprint(Dataset.from_dict({"id": ["a", "b"], "words": [["x"], ["y", "z"]]}))
    >>> two = fingerprint(Dataset.from_dict({"id": ["a", "b"], "words": [["x", "y"], ["z"]]}))
    >>> one == two
    False
    """
    digest = xxhash.xxh3_128()
    for portion in examples.with_format("arrow").iter(PORTION):
        for name in sorted({*portion.column_names} - {DOCUMENT}):
            digest.update(f"{name}:".encode())
            _feed(digest, portion[name].combine_chunks())
    return str(digest.hexdigest())


def stamp(folder: str, runs: str | None = None) -> str:
    """Hash names, sizes and times of the files below a folder.

    It is quick, and as long as it stays the same, so does the fingerprint. What lies in the folder
    `runs` below it does not count.
    """
    digest, root = xxhash.xxh3_128(), Path(folder).expanduser()
    for path in files_below(root, runs):
        with suppress(FileNotFoundError):  # gone by now, as temporary files of other processes
            facts = path.stat()
            name = path.relative_to(root)
            digest.update(f"{name}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return str(digest.hexdigest())


def files_below(folder: Path, runs: str | None = None) -> list[Path]:
    """Return all files below a folder, sorted; also those of linked folders, as tasks read them.

    A folder `runs` in it, the real path of one, is left out.
    """
    apart = runs is not None and runs != os.path.realpath(folder)
    return sorted(_walked(folder, above=(str(runs),) if apart else ()))


def _walked(folder: Path, above: tuple[str, ...]) -> Iterator[Path]:
    """Walk a folder, but for those that it lies in: links may form a loop."""
    real = os.path.realpath(folder)
    if real in above:
        return
    with suppress(PermissionError, FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _walked(Path(entry.path), (*above, real))
            elif entry.is_file():
                yield Path(entry.path)


def changed(cfg: DictConfig, result: Finished) -> bool:
    """Say whether `data.dir` holds other examples than when this run of old was made.

    The examples are read only where their files do not look as they did. A record of schema 1 does
    not know what it read, so that nothing has changed for it.
    """
    known, folder = result.data.get("fingerprint"), cfg.data.dir
    if not known or folder is None or not Path(folder).expanduser().is_dir():
        return False
    if stamp(folder) == result.data.get("stamp"):
        return False
    with importing_torch():
        from bench.run.build import task_of

    try:
        task = task_of(cfg)
        now = {split: task.load(split) for split in known}
    except DataError:  # no longer readable
        return True
    return any(each is None or fingerprint(each) != known[split] for split, each in now.items())


def _feed(digest: Any, array: pa.Array) -> None:
    """Hash an array's values. Lengths come before content, so that no two arrays look the same."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    digest.update(np.int64(len(array)).tobytes())
    digest.update(array.is_valid().to_numpy(zero_copy_only=False).tobytes())
    if pa.types.is_null(kind):
        return
    if pa.types.is_struct(kind):
        for field, part in sorted(zip(kind, array.flatten(), strict=True), key=lambda p: p[0].name):
            digest.update(f"{field.name}:".encode())
            _feed(digest, part)
    elif isinstance(kind, pa.ListType | pa.LargeListType | pa.FixedSizeListType):
        _feed(digest, pc.list_value_length(array))
        _feed(digest, array.flatten())
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        _feed(digest, pc.binary_length(array))
        texts = array.cast(pa.large_binary()).fill_null(b"")
        _, starts, content = texts.buffers()
        if starts is not None and content is not None:
            ends = np.frombuffer(starts, np.int64)[texts.offset : texts.offset + len(texts) + 1]
            digest.update(memoryview(content)[ends[0] : ends[-1]])
    else:
        wide = pa.float64() if pa.types.is_floating(kind) else pa.int64()
        digest.update(array.cast(wide).fill_null(0).to_numpy(zero_copy_only=False).tobytes())
