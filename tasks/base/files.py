"""Finding a task's files and turning rows into an Arrow-backed `datasets.Dataset`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from datasets import Dataset

from tasks.base.published import Source, choose, fetch
from tasks.base.text_files import parse_json, read_lines
from tasks.task import DOCUMENT, DataError


def locate(task: str, data: str, folder: str | Path | None, sources: Sequence[Source]) -> Path:
    """Find the folder that holds a task's files.

    Args:
        task: what the task's folder is called in a collection of data.
        data: "mini", the built-in world, or one of `sources`, by its name or by what it serves as
            ("open", "paper"), which is downloaded once.
        folder: the user's own, taken instead; or the sub-folder of the task or of the set in it.
        sources: the published sets.

    Raises:
        DataError: there is no such folder, or no such data.
    """
    if folder is not None:
        return _below(Path(folder).expanduser(), task, data, sources)
    if data == "mini":
        from tasks import smallworld

        if task not in smallworld.WRITERS:
            raise DataError(f"no built-in data for {task}: name its folder, data.dir=FOLDER")
        return smallworld.ensure(task)
    return fetch(choose(sources, data))


def _below(folder: Path, task: str, data: str, sources: Sequence[Source]) -> Path:
    """Return the sub-folder of the set that `data` names, or `folder` itself.

    Where no set is named, it may be the sub-folder of the task, whatever lies there. Raises
    DataError where other sets of the task lie in `folder`, but not the one that is named: tasks
    search below a folder, and would read those.
    """
    if not folder.is_dir():
        raise DataError(f"data.dir: no folder {folder}")
    inside = {source.name: source.inside(folder) for source in sources}
    if data in inside:
        others = ", ".join(name for name, place in inside.items() if place)
        if others and not inside[data]:
            raise DataError(f"data.set={data}: not in {folder}, which has {others}")
        return inside[data] or folder
    serving = next((source for source in sources if data in source.kinds), None)
    place, inner = serving and serving.inside(folder), folder / task
    return place or (inner if inner.is_dir() else folder)


def find(folder: Path, candidates: Iterable[str]) -> Path | None:
    """Return the first of the candidates, file names, that exists in `folder`."""
    return next((folder / name for name in candidates if (folder / name).is_file()), None)


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read JSON lines: (line number, object) for each line that is not blank.

    Raises:
        DataError: a line is not UTF-8, not JSON, or no object; the message names file and line.
    """
    for number, line in read_lines(path):
        if not line.strip():
            continue
        row = parse_json(line, f"{path}, line {number}")
        if not isinstance(row, dict):
            raise DataError(f"{path}, line {number}: expected a JSON object")
        yield number, row


@contextmanager
def located(path: Path, number: int) -> Iterator[None]:
    """Name the file and the line in what is found wrong of a row: for tasks of one's own
    (docs/tasks.md).

    Raises:
        DataError: a key is missing, or what was done with the row raised DataError.
    """
    try:
        yield
    except KeyError as missing:
        raise DataError(f"{path}, line {number}: no key {missing}") from None
    except DataError as error:
        raise DataError(f"{path}, line {number}: {error}") from None


def to_dataset(rows: Iterable[dict[str, Any]], path: Path) -> Dataset:
    """Make a Dataset of rows, in chunks, so that only one chunk lives as Python objects.

    The column `document_id` names the text of a row, "" where it is not known. Where all are of
    one, which leaves nothing to compare it with, it is "" throughout.

    Raises:
        DataError: there is no row, two have one `id`, or not all have the same keys and types of
            values; `path` is what the message names.
    """
    iterator = _distinct(rows, path)
    chunks: list[pa.Table] = []
    while chunk := list(islice(iterator, 10_000)):
        try:
            chunks.append(pa.Table.from_pylist(chunk))
        except pa.ArrowException as error:
            raise _unlike(path, error) from None
    if not chunks:
        empty = path.is_file() and not path.stat().st_size
        raise DataError(f"{path}: {'an empty file' if empty else 'no examples left'}")
    try:
        table = pa.concat_tables(chunks, promote_options="permissive")
    except pa.ArrowException as error:
        raise _unlike(path, error) from None
    if DOCUMENT in table.column_names and len(table[DOCUMENT].unique()) == 1:
        place = table.column_names.index(DOCUMENT)
        table = table.set_column(place, DOCUMENT, pa.array([""] * len(table)))
    return Dataset(table)


def _unlike(path: Path, error: pa.ArrowException) -> DataError:
    return DataError(f"{path}: examples differ in the type of a value ({error})")


def _distinct(rows: Iterable[dict[str, Any]], path: Path) -> Iterator[dict[str, Any]]:
    """Pass the rows on. Raises DataError for two of one `id`, and for one of other keys."""
    seen: set[str] = set()
    keys: Set[str] | None = None
    for row in rows:
        if row["id"] in seen:
            raise DataError(f"{path}: the id {row['id']!r} occurs twice")
        keys = row.keys() if keys is None else keys
        if unlike := sorted(row.keys() ^ keys):
            raise DataError(f"{path}: not all examples have {unlike[0]!r}: {row['id']!r} differs")
        seen.add(row["id"])
        yield row
