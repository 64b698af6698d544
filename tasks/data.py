"""Finding a task's files and turning rows into an Arrow-backed `datasets.Dataset`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from datasets import Dataset

from elmo_core.fetch import download
from elmo_core.pretrained import cache_folder
from tasks.task import DataError

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Source:
    """A published data set on a hub: what a paper must cite and a download must match."""

    repository: str
    revision: str  # a commit, never a branch
    files: dict[str, str]  # split → path inside the repository
    licence: str
    citation: str
    counts: dict[str, int]  # split → rows, as published

    def fetch(self, folder: Path) -> Path:
        """Download what is not there yet into `folder`; HF_ENDPOINT names another hub."""
        hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
        for split, path in self.files.items():
            download(
                f"{hub}/datasets/{self.repository}/resolve/{self.revision}/{path}",
                folder / f"{split}{Path(path).suffix}",
            )
        return folder


def locate(task: str, data: str, folder: str | Path | None, sources: Mapping[str, Source]) -> Path:
    """The folder that holds a task's files.

    `folder` if given (or its sub-folder `<task>`, where that exists), else what `data` names:
    "mini", the built-in world, or one of `sources`, downloaded once. Raises DataError where there
    is neither.
    """
    if folder is not None:
        root = Path(folder).expanduser()
        if not root.is_dir():
            raise DataError(f"data.dir: no folder {root}")
        return root / task if (root / task).is_dir() else root
    if data == "mini":
        from tasks import smallworld

        return smallworld.ensure() / task
    if data not in sources:
        raise DataError(
            f"data={data}: {task} has no such download; give your copy as data.dir=FOLDER"
        )
    source = sources[data]
    return source.fetch(cache_folder() / "data" / task / source.revision[:12])


def find(folder: Path, candidates: Iterable[str]) -> Path | None:
    """The first of the official file names that exists in `folder`."""
    return next((folder / name for name in candidates if (folder / name).is_file()), None)


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) for each line that is not blank."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8"))
            except UnicodeDecodeError as error:
                raise DataError(f"{path}, line {number}: not UTF-8 ({error.reason})") from None
            except json.JSONDecodeError as error:
                raise DataError(f"{path}, line {number}: not JSON ({error})") from None
            if not isinstance(row, dict):
                raise DataError(f"{path}, line {number}: expected a JSON object")
            yield number, row


def to_dataset(rows: Iterable[dict[str, Any]], path: Path) -> Dataset:
    """Rows → Dataset, in chunks, so that no more than one chunk lives as Python objects."""
    iterator = iter(rows)
    chunks: list[pa.Table] = []
    while chunk := list(islice(iterator, 10_000)):
        chunks.append(pa.Table.from_pylist(chunk, schema=chunks[0].schema if chunks else None))
    if not chunks:
        raise DataError(f"{path}: no examples left")
    return Dataset(pa.concat_tables(chunks))
