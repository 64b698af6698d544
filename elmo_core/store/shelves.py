"""Looking after the stores of all encoders below one folder: what there is, checked, thrown away.

No torch here.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open

from elmo_core.locks import locked
from elmo_core.store import claims
from elmo_core.store.files import LOCK, DamagedShard, check, shards_in, stores_in


@dataclass
class Shelf:
    """What is stored of one encoder in one precision."""

    folder: Path
    encoder: str = "?"
    fingerprint: str = "?"
    precision: str = "?"
    shards: int = 0
    sentences: int = 0
    tokens: int = 0
    bytes: int = 0
    damaged: int = 0  # shards whose header cannot be read
    last_used: float = 0.0  # seconds since the epoch

    @property
    def idle_days(self) -> float:
        return (time.time() - self.last_used) / 86_400

    @property
    def busy(self) -> bool:
        """Whether a process is filling it."""
        with locked(self.folder / LOCK):
            return bool(claims.held(self.folder))

    def remove(self) -> None:
        shutil.rmtree(self.folder.resolve())
        if self.folder.is_symlink():
            self.folder.unlink()


def shelves(root: Path) -> list[Shelf]:
    """List what is stored of each encoder, the largest first; only headers are read."""
    return sorted((_shelf(folder) for folder in stores_in(root)), key=lambda shelf: -shelf.bytes)


def _shelf(folder: Path) -> Shelf:
    shelf = Shelf(folder, last_used=folder.stat().st_mtime)
    told = Counter[tuple[str, str, str]]()  # a shard of another encoder may have come in
    for path in shards_in(folder):
        shelf.shards += 1
        try:
            shelf.bytes += path.stat().st_size
            path.open("rb").close()  # safetensors says of one that may not be read: missing
            with safe_open(path, framework="np") as file:
                about = file.metadata()
        except (SafetensorError, OSError):
            shelf.damaged += 1
            continue
        try:
            names = about["encoder"], about["fingerprint"], about["precision"]
            shelf.sentences += int(about["sentences"])
            shelf.tokens += int(about["tokens"])
            told[names] += 1
        except (KeyError, TypeError, ValueError):  # of another program
            shelf.damaged += 1
    if told:
        ((shelf.encoder, shelf.fingerprint, shelf.precision), _), *_ = told.most_common(1)
    return shelf


def damages(folder: Path) -> Iterator[tuple[Path, DamagedShard | None]]:
    """Read every byte of every shard: each with what is wrong with it, None where nothing is."""
    for path in shards_in(folder):
        try:
            check(path)
            yield path, None
        except DamagedShard as damage:
            yield path, damage
