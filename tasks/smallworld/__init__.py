"""The built-in data: one small generated English world, annotated in the official formats."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from elmo_core.downloads.cache import cache_folder
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
        WRITERS[name].write(folder / name, parts)


def ensure(name: str) -> Path:
    """Return the folder of this name, one of WRITERS, built on first use in `cache_folder()`.

    Several processes may ask at once: each builds in a folder of its own, and the first to finish
    gives it the final name.
    """
    root = cache_folder() / f"smallworld-v{LATEST}"
    final = root / name
    if final.is_dir():
        return final
    root.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=root))
    try:
        build(draft, contents=[name])
        (draft / name).rename(final)
    except OSError:
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return final
