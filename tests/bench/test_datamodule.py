"""Batches: similar lengths, everything once, the same for the same seed and epoch."""

from __future__ import annotations

import random

import pytest

from bench.datamodule import BucketSampler

SIZES = [random.Random(i).randint(1, 80) for i in range(1000)]


def drawn(seed: int = 1, epoch: int = 0, rank: int = 0, world: int = 1) -> list[list[int]]:
    sampler = BucketSampler(SIZES, 16, seed, rank, world)
    sampler.set_epoch(epoch)
    return list(sampler)


def test_every_example_once() -> None:
    assert sorted(i for batch in drawn() for i in batch) == list(range(1000))


def test_lengths_in_a_batch_are_similar() -> None:
    def padding(batches: list[list[int]]) -> int:
        return sum(max(SIZES[i] for i in b) * len(b) - sum(SIZES[i] for i in b) for b in batches)

    in_order = [list(range(i, min(i + 16, 1000))) for i in range(0, 1000, 16)]
    assert padding(drawn()) < padding(in_order) / 5


def test_seed_and_epoch_decide() -> None:
    assert drawn() == drawn()
    assert drawn(epoch=1) != drawn()
    assert drawn(seed=2) != drawn()


@pytest.mark.parametrize("world", [2, 3])
def test_processes_share_an_epoch(world: int) -> None:
    parts = [drawn(rank=rank, world=world) for rank in range(world)]
    assert len({len(part) for part in parts}) == 1
    assert {i for part in parts for batch in part for i in batch} == set(range(1000))
