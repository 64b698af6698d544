"""Batches: similar lengths, everything once, the same for the same seed and epoch."""

from __future__ import annotations

import itertools
import random

import pytest
import torch
from datasets import Dataset

from bench.run.datamodule import BenchData, BucketSampler, epoch_seed

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


def test_processes_share_fewer_batches_than_they_are() -> None:
    assert [list(BucketSampler([5, 3], 16, 1, rank, 4)) for rank in range(4)] == [[[1, 0]]] * 4


class Thousand:
    """As much of a task as the training split needs."""

    def load(self, split: str) -> Dataset:
        return Dataset.from_dict({"number": range(1000)})


def test_a_share_of_the_training_set_is_what_it_says() -> None:
    """Not rounded up to a batch: 0.1 % and 1 % are different sets, the one within the other."""
    sets = []
    for share, size in [(0.0001, 1), (0.001, 1), (0.01, 10), (0.1, 100), (1.0, 1000)]:
        train = BenchData(Thousand(), 32, 1, share).split("train")  # type: ignore[arg-type]
        assert train is not None
        assert len(train) == size
        sets.append(set(train["number"]))
    assert all(small <= large for small, large in itertools.pairwise(sets))
    other = BenchData(Thousand(), 32, 2, 0.1).split("train")  # type: ignore[arg-type]
    assert other is not None
    assert len({*range(100)} & sets[3]) < 30  # not the first ones, and other ones for each seed
    assert len({*other["number"]} & sets[3]) < 30


def test_each_process_draws_its_own_dropout() -> None:
    """Rank 0's is what one process draws; no two processes, epochs or seeds share one."""
    assert epoch_seed(1, 3) == epoch_seed(1, 3, rank=0)
    chosen = itertools.product((0, 1, 2**31 - 1), range(3), range(3))
    seeds = [epoch_seed(*each) for each in chosen]
    found = [torch.rand(4, generator=torch.Generator().manual_seed(seed)) for seed in seeds]
    assert len({tuple(each.tolist()) for each in found}) == 27
    assert epoch_seed(2**31 - 1, 100_000, 1023) < 2**63
