"""The built-in data: one small generated English world, annotated in the official formats."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path

from elmo_core.downloads.cache import cache_folder
from tasks.smallworld import (
    coreference,
    entities,
    names,
    questions,
    roles,
    senses,
    sentiment,
    snli,
    speech,
    text,
)
from tasks.smallworld.lexicon import Lexicon
from tasks.smallworld.stories import Story, tell
from tasks.smallworld.world import World

VERSIONS = {
    **dict.fromkeys(("coref", "neighbours", "ner", "pos", "snli", "squad", "sst5", "wsd"), 7),
    "srl": 8,
}
"""The version of each task's files: the next number of all whenever the same seed gives others."""

LATEST = max(VERSIONS.values())

# split: its names, how often it prefers a held-out word, its number of stories.
# "press" is unlabelled text for language models: the only place where held-out words are shown.
PARTS = {
    "train": (names.TRAIN, 0.0, 360),
    "dev": (names.DEV, 0.25, 140),
    "test": (names.TEST, 0.25, 140),
    "press": (names.TRAIN, 0.25, 1000),
}


def stories(part: str, seed: int = 13) -> tuple[list[Story], Lexicon]:
    """Tell the stories of one part, always the same for the same seed."""
    people, novelty, number = PARTS[part]
    lexicon = Lexicon(novelty)
    world = World(part, people, lexicon, random.Random(f"world {part} {seed}"))
    return [tell(world, i) for i in range(number)], lexicon


def version(task: str) -> int:
    """Return the version of a task's files; of a task that has none of its own, that of all."""
    return VERSIONS.get(task, LATEST)


def build(folder: Path, seed: int = 13) -> None:
    """Write everything below the folder, byte for byte the same for the same seed."""
    parts = {part: stories(part, seed) for part in PARTS}
    text.write(folder / "text" / "train.txt", parts["train"][0] + parts["press"][0])
    text.write(folder / "text" / "dev.txt", parts["dev"][0])
    snli.write(folder / "snli", parts, seed)
    entities.write(folder / "ner", parts)
    roles.write(folder / "srl", parts, seed)
    sentiment.write(folder / "sst5", parts, seed)
    questions.write(folder / "squad", parts, seed)
    coreference.write(folder / "coref", parts)
    speech.write(folder / "pos", parts)
    senses.write(folder / "wsd", parts, seed)


def ensure(cache: Path | None = None) -> Path:
    """Return the folder with the data, built on first use in `cache_folder(cache)`.

    Several processes may ask at once: each builds in a folder of its own, and the first to finish
    gives it the final name.
    """
    root = cache_folder(cache)
    final = root / f"smallworld-v{LATEST}"
    if final.is_dir():
        return final
    root.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{final.name}-", dir=root))
    try:
        build(draft)
        draft.chmod(0o755)
        draft.rename(final)
    except OSError:
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return final
