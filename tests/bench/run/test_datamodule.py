"""Batches: similar lengths, everything once, the same for the same seed and epoch."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from datasets import Dataset

from bench.run.datamodule import BenchBatch, BenchData, BucketSampler, epoch_seed
from tasks.task import Example
from tests.bench.small import SMALL

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
    for share, size in [(0.0001, 1), (0.001, 1), (0.0016, 2), (0.01, 10), (0.1, 100), (1.0, 1000)]:
        train = BenchData(Thousand(), 32, 1, share).split("train")  # type: ignore[arg-type]
        assert train is not None
        assert len(train) == size
        assert list(train["number"]) == sorted(train["number"])  # in their order
        sets.append(set(train["number"]))
    assert all(small <= large for small, large in itertools.pairwise(sets))
    other = BenchData(Thousand(), 32, 2, 0.1).split("train")  # type: ignore[arg-type]
    assert other is not None
    assert len({*range(100)} & sets[4]) < 30  # not the first ones, and other ones for each seed
    assert len({*other["number"]} & sets[4]) < 30


class Words:
    """As much of a task as serving batches needs: n words in the n-th example of a split."""

    SIZES = {"train": 200, "dev": 10, "test": 5}

    def load(self, split: str) -> Dataset:
        count = self.SIZES[split]
        sizes = random.Random(split).sample(range(1, count + 1), count)
        return Dataset.from_list([{"words": [split] * n, "label": split} for n in sizes])

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["words"], [f"{len(example['words'])}"]]

    def size(self, example: Example) -> int:
        return len(example["words"])

    def collate(self, examples: list[Example]) -> dict[str, torch.Tensor]:
        return {"size": torch.tensor([self.size(example) for example in examples])}

    def control(self, train: Dataset, seed: int) -> Callable[[Example], Example]:
        return lambda example: {**example, "label": f"{train[0]['label']} {seed}"}


def served(name: str, rank: int = 0, world: int = 1, **given: Any) -> list[BenchBatch]:
    data = BenchData(Words(), 4, **{"seed": 1, **given})  # type: ignore[arg-type]
    data.trainer = SimpleNamespace(global_rank=rank, world_size=world)  # type: ignore[assignment]
    return list(getattr(data, f"{name}_dataloader")())


def sizes(batches: list[BenchBatch]) -> list[list[int]]:
    return [batch["tensors"]["size"].tolist() for batch in batches]


def test_dev_and_test_are_served_whole_the_longest_first() -> None:
    """However small a share is trained on, and with the last few, who make no whole batch."""
    assert sizes(served("val", train_share=0.01)) == [[10, 9, 8, 7], [6, 5, 4, 3], [2, 1]]
    assert sizes(served("test", train_share=0.01)) == [[5, 4, 3, 2], [1]]
    assert sizes(served("val", rank=1, world=2)) == [[9, 7, 5, 3], [1]]
    assert {e["label"] for batch in served("val") for e in batch["examples"]} == {"dev"}


def test_training_goes_through_lengths_in_no_order() -> None:
    one, other = sizes(served("train")), sizes(served("train", seed=2))
    assert sorted(n for batch in one for n in batch) == list(range(1, 201))
    firsts = [batch[0] for batch in one]
    assert firsts not in (sorted(firsts), sorted(firsts, reverse=True))
    assert one != other
    halves = [sizes(served("train", rank=rank, world=2)) for rank in (0, 1)]
    assert [*halves[0], *halves[1]] == [*one[::2], *one[1::2]]


def test_layers_are_those_of_all_sentences_in_their_order() -> None:
    data = BenchData(Words(), 4, seed=1)  # type: ignore[arg-type]
    data.store = SimpleNamespace(layers=list)  # type: ignore[assignment]
    batch = data.collate([{"words": ["a", "b"]}, {"words": ["c"]}])
    assert batch["layers"] == [["a", "b"], ["2"], ["c"], ["1"]]


def test_a_control_task_is_trainings_in_every_split() -> None:
    """By the run's seed; what tells whether two runs had one set are the labels as they were."""
    plain, control = (
        BenchData(Words(), 4, seed=3, control=control)  # type: ignore[arg-type]
        for control in (False, True)
    )
    for name in ("train", "dev"):
        assert set(plain.examples(name)["label"]) == {name}
        assert set(control.examples(name)["label"]) == {"train 3"}
    assert plain.fingerprints == control.fingerprints


def test_each_process_draws_its_own_dropout() -> None:
    """Rank 0's is what one process draws; no two processes, epochs or seeds share one."""
    assert epoch_seed(1, 3) == epoch_seed(1, 3, rank=0)
    chosen = itertools.product((0, 1, 2**31 - 1), range(3), range(3))
    seeds = [epoch_seed(*each) for each in chosen]
    found = [torch.rand(4, generator=torch.Generator().manual_seed(seed)) for seed in seeds]
    assert len({tuple(each.tolist()) for each in found}) == 27
    assert epoch_seed(2**31 - 1, 100_000, 1023) < 2**63


def test_a_fault_of_the_test_split_shows_before_training(
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = shutil.copytree(snli_folder, tmp_path / "data")  # all tests share the other
    (data / "snli_1.0_test.jsonl").write_text("{}\n")
    assert bench(*SMALL, f"data.dir={data}", f"paths.runs={tmp_path / 'runs'}") == 2
    assert "snli_1.0_test.jsonl, line 1" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.ckpt"))
