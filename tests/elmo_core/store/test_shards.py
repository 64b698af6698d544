"""One shard: what goes in comes out, halves are left out where they are equal, damage shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from elmo_core.store import shards
from elmo_core.store.files import DamagedShard, check, shards_in
from elmo_core.store.shards import Shard, address, pack, unpack
from tests.elmo_core.store.conftest import DIM, LAYERS, Noting, sentences

SENTENCES = sentences(20)


def test_addresses_differ_with_the_words_and_where_they_end() -> None:
    different = [
        ("a", "bc"),
        ("ab", "c"),
        ("abc",),
        ("a", "b", "c"),
        ("A", "bc"),
        ("bc", "a"),
        ("\ud83d", "\ude00"),
        ("\ud83d\ude00",),
        ("\U0001f600",),
        ("1, 2]a",),
        ("a", "b"),
        ("a b",),
    ]
    assert len({address(words) for words in different}) == len(different)
    assert address(["a", "bc"]) == address(("a", "bc"))
    assert len(address(["a"])) == 16


def unpacked(rows: Tensor, like: list[Tensor]) -> list[Tensor]:
    found = [torch.full_like(each, torch.nan) for each in like]
    for target, part in zip(found, rows.split([each.shape[1] for each in like]), strict=True):
        unpack(part.numpy(), target.numpy())
    return found


def layers_of(count: int, dim: int) -> list[Tensor]:
    return [torch.randn(count, tokens, dim) for tokens in (3, 1, 5)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(("count", "dim"), [(3, 4), (1, 4), (1, 1), (2, 3)])
def test_layers_come_back_bit_for_bit(count: int, dim: int, dtype: torch.dtype) -> None:
    encoded = [each.to(dtype) for each in layers_of(count, dim)]
    rows = pack(encoded)
    assert rows.shape == (9, count * dim)
    assert all(map(torch.equal, unpacked(rows, encoded), encoded))


@pytest.mark.parametrize("count", [1, 3])
def test_a_layer_that_is_twice_the_same_is_stored_once(count: int) -> None:
    encoded = layers_of(count, 4)
    for each in encoded:
        each[0, :, 2:] = each[0, :, :2]
    rows = pack(encoded)
    assert rows.shape == (9, count * 4 - 2)
    assert all(map(torch.equal, unpacked(rows, encoded), encoded))
    encoded[2][0, 4, 3] += 1e-6
    assert pack(encoded).shape == (9, count * 4)


def test_what_has_no_halves_is_stored_whole() -> None:
    """Though its first numbers are the same."""
    layers = torch.tensor([[[1.0, 1.0, 2.0]]])
    assert pack([layers]).shape == (1, 3)
    assert torch.equal(unpacked(pack([layers]), [layers])[0], layers)


def test_zero_and_minus_zero_are_not_the_same() -> None:
    layers = torch.tensor([[[0.0, -0.0]]])
    assert pack([layers]).shape == (1, 2)
    assert unpacked(pack([layers]), [layers])[0].signbit().tolist() == [[[False, True]]]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    encoded = Noting().encode(SENTENCES)
    keys = [address(words) for words in SENTENCES]
    shard = Shard(pack(encoded), [len(words) for words in SENTENCES], keys)
    return shards.write(tmp_path, shard, {"encoder": "noting"})


def test_any_safetensors_reader_reads_it(written: Path) -> None:
    content = load_file(written)
    assert content["rows"].shape == (sum(map(len, SENTENCES)), LAYERS * DIM - DIM // 2)
    assert content["lengths"].tolist() == [len(words) for words in SENTENCES]
    assert content["lengths"].dtype == torch.int32
    assert content["keys"][3].numpy().tobytes() == address(SENTENCES[3])
    check(written)
    written.with_name(f"._{written.name}").write_bytes(b"as a Mac leaves beside it")
    assert shards_in(written.parent) == [written]
    shard = shards.read(written)
    assert torch.equal(shard.rows, content["rows"])
    assert shard.lengths == content["lengths"].tolist()
    assert shard.keys == [address(words) for words in SENTENCES]


def test_every_flipped_bit_shows(written: Path) -> None:
    whole = written.read_bytes()
    for place in range(0, len(whole), 61):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        written.write_bytes(damaged)
        with pytest.raises(DamagedShard, match="its checksum is"):
            check(written)


@pytest.mark.parametrize("cut", [lambda n: 0, lambda n: 5, lambda n: 100, lambda n: n - 1])
def test_a_shard_that_is_too_short_shows(written: Path, cut: Callable[[int], int]) -> None:
    whole = written.read_bytes()
    written.write_bytes(whole[: cut(len(whole))])
    with pytest.raises(DamagedShard):
        check(written)
    with pytest.raises(DamagedShard):
        shards.read(written)
