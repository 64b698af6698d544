"""A shard: the layers of some sentences in one safetensors file, named after its own content.

    rows     (tokens, width) float16 or float32: each token's layers, one behind the other
    lengths  (sentences,) int32: how many rows each sentence has, in order
    keys     (sentences, 16) uint8: the address of each sentence

Shards are only ever added, and never changed. The name is the XXH3 hash of the file's bytes, which
is computed as fast as memory is read: a shard that any byte has changed in, or that is too short,
does not answer to its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from elmo_core.store.files import KEY, SUFFIX, DamagedShard, check, checksum
from elmo_core.whole_files import write_bytes

_BITS = {torch.float16: torch.int16, torch.float32: torch.int32}


class Shard(NamedTuple):
    rows: Tensor
    lengths: list[int]
    keys: list[bytes]


def address(words: Sequence[str]) -> bytes:
    """Return a sentence's key: 16 bytes of BLAKE2 over its words and where they end."""
    text = f"{[len(word) for word in words]}{''.join(words)}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


def pack(encoded: Sequence[Tensor]) -> Tensor:
    """Put sentences, each (layers, tokens, dim), all of one precision, into rows.

    A biLM's layer 0 is the same vector twice: where its halves are equal, bit for bit, in all rows,
    the first is left out.
    """
    layers = torch.cat([each.transpose(0, 1) for each in encoded])
    half, odd = divmod(layers.shape[2], 2)
    rows = layers.flatten(1)
    bits = rows.view(_BITS[rows.dtype])
    twice = not odd and torch.equal(bits[:, :half], bits[:, half : 2 * half])
    return rows[:, half:].contiguous() if twice else rows


def unpack(rows: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a sentence's rows to `target`, (layers, tokens, dim).

    In numpy: torch takes ten times as long over strided copies as small as these.
    """
    layers, _, dim = target.shape
    first = rows.shape[1] - (layers - 1) * dim  # the size of layer 0, or half of it
    target[0, :, dim - first :] = rows[:, :first]
    if first < dim:
        target[0, :, :first] = rows[:, :first]
    for j in range(1, layers):
        target[j] = rows[:, first + (j - 1) * dim : first + j * dim]


def write(folder: Path, shard: Shard, about: Mapping[str, str]) -> Path:
    """Make the file, whole or not at all; `about` goes into its header. Raises OSError."""
    tensors = {
        "rows": shard.rows,
        "lengths": torch.tensor(shard.lengths, dtype=torch.int32),
        "keys": torch.frombuffer(bytearray().join(shard.keys), dtype=torch.uint8).view(-1, KEY),
    }
    content = save(tensors, dict(about))
    path = folder / f"{checksum(content)}{SUFFIX}"
    write_bytes(path, content)
    return path


class StrangeShard(Exception):
    """A whole file, of another encoder."""


def read(path: Path, fingerprint: str | None = None) -> Shard:
    """Open a shard, its rows left on the disk (memory-mapped).

    Only the header is looked at; `files.check` looks at all of it. Raises DamagedShard, OSError,
    and StrangeShard where it is of another encoder than the one of a `fingerprint`.
    """
    try:
        path.open("rb").close()  # to safetensors, what may not be read is not there
        with safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            rows, lengths, keys = (file.get_tensor(name) for name in Shard._fields)
    except SafetensorError as error:
        raise DamagedShard(str(error)) from error
    if fingerprint is not None and about.get("fingerprint") != fingerprint:
        check(path)  # the header may be what is damaged
        raise StrangeShard(f"it is of another encoder, {about.get('encoder')}; remove it")
    whole = keys.numpy().tobytes()
    return Shard(rows, lengths.tolist(), [whole[i : i + KEY] for i in range(0, len(whole), KEY)])
