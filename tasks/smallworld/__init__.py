"""The built-in data: one small generated English world, annotated in the official formats."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from elmo_core.downloads.cache import cache_folder
from elmo_core.whole_files import write_text
from tasks.smallworld import (
    coreference,
    entities,
    questions,
    roles,
    senses,
    sentiment,
    snli,
    speech,
    text,
)
from tasks.smallworld.parts import Parts

WRITERS = {
    "coref": coreference,
    "ner": entities,
    "pos": speech,
    "snli": snli,
    "squad": questions,
    "srl": roles,
    "sst5": sentiment,
    "text": text,
    "wsd": senses,
}
"""What there is: a folder for each task, and the plain text."""

VERSIONS = {
    **dict.fromkeys(("neighbours", "ner", "pos", "snli", "squad", "wsd"), 7),
    "srl": 8,
    "sst5": 9,
    "coref": 10,
}
"""The version of each task's files: the next number of all whenever the same seed gives others."""

LATEST = max(VERSIONS.values())


def version(task: str) -> int:
    """Return the version of a task's files; of a task that has none of its own, that of all."""
    return VERSIONS.get(task, LATEST)


def build(folder: Path, seed: int = 13, contents: Iterable[str] = WRITERS) -> None:
    """Write folders of these names below `folder`, byte for byte the same for the same seed."""
    parts = Parts(seed)
    for name in contents:
        (folder / name).mkdir(parents=True, exist_ok=True)
        WRITERS[name].write(folder / name, parts)


def ensure(name: str) -> Path:
    """Return the folder of this name, one of WRITERS, built on first use in `cache_folder()`.

    It is built again where a file is missing or cut, as what clears a cache by age leaves it.
    Several processes may do so at once: all write the same bytes, and each file is replaced whole.
    """
    root = cache_folder() / f"smallworld-v{LATEST}"
    final, listing = root / name, root / f"{name}.json"
    if _is_whole(final, listing):
        return final
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=root) as draft:
        build(Path(draft), contents=[name])
        sizes = _sizes(Path(draft, name))
        for file in sizes:
            (final / file).parent.mkdir(parents=True, exist_ok=True)
            Path(draft, name, file).replace(final / file)
    write_text(listing, json.dumps(sizes))
    return final


def _is_whole(folder: Path, listing: Path) -> bool:
    try:
        sizes = json.loads(listing.read_text(encoding="utf-8"))
        return bool(sizes.items() <= _sizes(folder).items())
    except (OSError, ValueError, AttributeError):
        return False


def _sizes(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
