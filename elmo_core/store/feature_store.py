"""FeatureStore: the layers of each distinct sentence, computed once for all tasks and runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_core.devices import random_state_kept
from elmo_core.encoder import Encoder
from elmo_core.errors import EncoderError, OptionsError
from elmo_core.locks import locked
from elmo_core.store import claims, resident, shards
from elmo_core.store.files import LOCK, DamagedShard, check, own_root, root_folder, shards_in
from elmo_core.store.resident import Resident
from elmo_core.store.shards import Shard, address

log = logging.getLogger(__name__)

Sentence = tuple[str, ...]
Advance = Callable[[int], object]
SCHEMA = 1
AGAIN = "what was in it is computed again"
DTYPES = {"float32": torch.float32, "float16": torch.float16}
SHARD_TOKENS, SHARD_BYTES = 1 << 14, 1 << 26  # at most: what a kill can cost is some seconds


def nobody(tokens: int) -> None:
    """Ignore progress: the default of those that report it."""


class FeatureStore:
    """What an encoder says about sentences, looked up rather than computed again.

    `elmo_core.store.prepare.prepare` computes sentences and keeps them in the best way that there
    is room for; `layers` reads them. Below that, `attach` finds sentences in files that all
    processes share, and `fill` computes those that are not there. Rows stay on the disk,
    memory-mapped. All that `layers` gives is of one precision, wherever it comes from.

    Args:
        encoder: whose layers are kept; encoders with other fingerprints have other files.
        root: the folder below which the files lie; by default `features` in the user's cache.
        precision: float32, or float16, which takes half the room.
        given: what else the layers depend on, where the encoder's fingerprint may not tell.
        overlay: another folder, for what is not in `root`, which is then only read. By default
            there is none, or the user's cache where `root` cannot be written.

    Raises:
        OptionsError: another precision.
        MissingPackageError: xxhash, which checks the files, is not installed (`attach` and `fill`).

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from elmo_core import FeatureStore, load_encoder
        >>> from elmo_core.store.prepare import prepare
        >>> sentences = [["The", "bank", "closed", "."], ["Hi"]]
        >>> with TemporaryDirectory() as folder:
        ...     store = FeatureStore(load_encoder("elmo-mini"), folder)
        ...     prepare(store, sentences, of="my text")  # computed here, once for all processes
        ...     store.layers(sentences).shape  # (sentences, layers, tokens, dim)
        torch.Size([2, 3, 4, 256])
    """

    def __init__(
        self,
        encoder: Encoder,
        root: str | Path | None = None,
        precision: str = "float32",
        overlay: str | Path | None = None,
        given: str = "",
    ) -> None:
        if precision not in DTYPES:
            raise OptionsError(f"precision={precision}: unknown (choose {', '.join(DTYPES)})")
        self.encoder, self.precision, self.dtype = encoder, precision, DTYPES[precision]
        self._fingerprint = encoder.fingerprint  # asked once: it may be computed each time
        told = (SCHEMA, self._fingerprint, encoder.layers, encoder.dim, *filter(None, [given]))
        identity = "\n".join(map(str, told))
        name = f"{blake2b(identity.encode(), digest_size=8).hexdigest()}-{precision}"
        wanted = root_folder(root)
        self.root = own_root(wanted, name, overlay)
        self.folder = self.root / name  # of what is computed here
        self.shared = None if self.root == wanted else wanted / name  # only read
        self._shards: dict[Path, Shard] = {}
        self._checked: set[Path] = set()
        self._refused: set[Path] = set()  # of no use, and still there
        self._index: dict[bytes, NDArray[Any]] = {}  # the rows of each sentence
        self._resident: Resident | None = None  # all of it that is on a GPU
        self.kept = 0  # bytes in memory

    def layers(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Look up the layers of sentences; those that the store does not have are encoded now.

        Args:
            sentences: lists of tokens, at least one list, none of them empty.

        Returns:
            (sentences, layers, tokens, dim), zero-padded to the longest sentence: on the device
            that holds all of them (`hold`), else on the CPU.
        """
        keys = [address(words) for words in sentences]
        if self._resident is not None and self._resident.holds(keys):
            return self._resident.layers(keys)
        unmet = {k: words for k, words in zip(keys, sentences, strict=True) if k not in self._index}
        encoded = self.encode(list(unmet.values())) if unmet else []
        live = dict(zip(unmet, encoded, strict=True))
        shape = len(keys), self.encoder.layers, max(map(len, sentences)), self.encoder.dim
        padded = torch.zeros(shape, dtype=self.dtype)
        for key, target in zip(keys, padded.numpy(), strict=True):
            if key in live:
                target[:, : live[key].shape[1]] = live[key].numpy()
            else:
                rows = self._index[key]
                shards.unpack(rows, target[:, : len(rows)])
        return padded

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Compute (layers, tokens, dim) of each sentence now, in the store's precision.

        Random numbers stay as they were: what is trained must not depend on what was stored. Raises
        EncoderError where numbers are too large for float16.
        """
        with random_state_kept():
            encoded = [layers.to(self.dtype) for layers in self.encoder.encode(sentences)]
        if self.dtype != torch.float32 and not all(layers.isfinite().all() for layers in encoded):
            raise EncoderError(f"{self.encoder.name}: numbers too large for {self.precision}")
        return encoded

    def attach(self, wanted: Iterable[bytes]) -> set[bytes]:
        """Take in the shards that hold sentences of these addresses, and return what is missing.

        A shard is read through and checked before any of it is used. A damaged one is reported
        and removed, if it is not in a folder that is only read, and its sentences are missing.
        """
        missing = set(wanted) - self._index.keys()
        if missing:
            self._refresh()
            self._take(self._shards, missing)
        with suppress(OSError):  # not there yet, or somebody else's
            os.utime(self.folder)  # when it was last used
        return missing

    def fill(self, sentences: Mapping[bytes, Sentence], advance: Advance = nobody) -> None:
        """Compute what is missing of the sentences, onto the disk; `advance` hears of tokens done.

        Killed, it loses one shard; several processes share the work. Raises OSError where the disk
        cannot be written, EncoderError where numbers are too large for float16.
        """
        missing = self.attach(sentences)
        parts = self._parts(missing, sentences)
        self.folder.mkdir(parents=True, exist_ok=True)
        while parts:
            with self._share(parts, missing) as keys:
                if keys:
                    shard = self._shard([sentences[key] for key in keys], keys)
                    path = shards.write(self.folder, shard, self._about(shard))
                    self._shards[path] = shards.read(path)  # from now on in the page cache only
                    self._checked.add(path)
                    self._take([path], missing)
            done = [part for part in parts if missing.isdisjoint(part)]
            advance(sum(len(sentences[key]) for part in done for key in part))
            parts = [part for part in parts if not missing.isdisjoint(part)]

    def keep(self, sentences: Mapping[bytes, Sentence], advance: Advance = nobody) -> None:
        """Do as `fill` does, but in memory, for this process alone."""
        for keys in self._parts(self.attach(sentences), sentences):
            shard = self._shard([sentences[key] for key in keys], keys)
            self._add(shard, set(keys))
            self.kept += shard.rows.nbytes
            advance(len(shard.rows))

    def hold(self, device: torch.device) -> None:
        """Copy all that was taken in until now to a GPU, where `layers` gathers it from then on.

        Raises torch.cuda.OutOfMemoryError where there is no room for the bytes of `to_hold`.
        """
        self._resident = Resident(self._index, self.encoder.layers, self.encoder.dim, device)

    @property
    def to_hold(self) -> int:
        """The bytes that `hold` takes."""
        return resident.size(self._index)

    def _parts(self, missing: set[bytes], sentences: Mapping[bytes, Sentence]) -> list[list[bytes]]:
        """Part the sentences into shards, the longest first: short memory shows at once."""
        bytes_a_token = self.encoder.layers * self.encoder.dim * self.dtype.itemsize
        limit = min(SHARD_TOKENS, SHARD_BYTES // bytes_a_token)
        parts: list[list[bytes]] = []
        tokens = limit
        for key in sorted(missing, key=lambda key: (-len(sentences[key]), key)):
            tokens += len(sentences[key])
            if tokens > limit:
                parts.append([])
                tokens = len(sentences[key])
            parts[-1].append(key)
        return parts

    @property
    def places(self) -> str:
        """The folders that something was read from, in words."""
        used = {path.parent for path in self._checked} or {self.folder}
        return " and ".join(sorted(map(str, used)))

    @contextmanager
    def _share(self, parts: list[list[bytes]], missing: set[bytes]) -> Iterator[list[bytes]]:
        """Claim what this process shall compute next: nothing, if it had to wait for others.

        What others have finished is taken in, and is not missing any more.
        """
        with locked(self.folder / LOCK):
            others = claims.held(self.folder)  # before the shards: what is given up now is in them
            self._take(self._refresh(), missing)
            theirs = set().union(*others.values())
            free = ([k for k in part if k in missing and k not in theirs] for part in parts)
            mine = next(filter(None, free), [])
            claim = claims.claim(self.folder, mine) if mine else None
        if claim is not None:
            with claim:
                yield mine
            return
        for path in (path for path, keys in others.items() if keys & missing):
            claims.wait(path)
        yield []

    def _shard(self, sentences: list[Sentence], keys: list[bytes]) -> Shard:
        rows = shards.pack(self.encode(sentences))
        return Shard(rows, [len(words) for words in sentences], keys)

    def _about(self, shard: Shard) -> dict[str, str]:
        about = {
            "schema": SCHEMA,
            "encoder": self.encoder.name,
            "fingerprint": self._fingerprint,
            "precision": self.precision,
            "layers": self.encoder.layers,
            "dim": self.encoder.dim,
            "sentences": len(shard.keys),
            "tokens": len(shard.rows),
        }
        return {key: str(value) for key, value in about.items()}

    def _refresh(self) -> list[Path]:
        """Open the shards that have come since the last look."""
        folders = filter(None, (self.shared, self.folder))
        known = self._shards.keys() | self._refused
        new = [path for folder in folders for path in shards_in(folder) if path not in known]
        for path in new:
            with self._reporting(path):
                self._shards[path] = shards.read(path, self._fingerprint)
        return [path for path in new if path in self._shards]

    def _take(self, paths: Iterable[Path], missing: set[bytes]) -> None:
        """Add those of the shards that hold anything missing, once they are found whole."""
        for path in list(paths):
            found = missing.intersection(self._shards[path].keys)
            if not found:
                continue
            if path not in self._checked:
                with self._reporting(path):
                    check(path)
                    self._checked.add(path)
            if path in self._checked:
                self._add(self._shards[path], found)
                missing -= found
            else:
                del self._shards[path]

    def _add(self, shard: Shard, wanted: set[bytes]) -> None:
        rows, ends = shard.rows.numpy(), accumulate(shard.lengths)
        for key, length, end in zip(shard.keys, shard.lengths, ends, strict=True):
            if key in wanted:
                self._index[key] = rows[end - length : end]

    @contextmanager
    def _reporting(self, path: Path) -> Iterator[None]:
        """Report a shard that is of no use, once; one that is gone is as if it had never been."""
        try:
            yield
        except FileNotFoundError:
            pass
        except (OSError, shards.StrangeShard) as error:  # somebody else's
            reason = getattr(error, "strerror", None) or error
            log.warning("%s cannot be read (%s): %s", path, reason, AGAIN)
            self._refused.add(path)
        except DamagedShard as damage:
            log.warning("%s is damaged (%s): %s", path, damage, AGAIN)
            self._refused.add(path)
            if path.parent == self.folder:
                with suppress(OSError):  # gone by now, or not ours to remove
                    path.unlink()
                    self._refused.remove(path)
