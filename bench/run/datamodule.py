"""The one LightningDataModule: splits of any task, in batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

import pytorch_lightning as pl
import torch
from datasets import Dataset
from omegaconf import DictConfig
from torch import Tensor
from torch.utils.data import DataLoader, Sampler

from bench.errors import ConfigError
from bench.run.fingerprint import fingerprint
from elmo_core.store.feature_store import FeatureStore
from tasks.task import Batch, Example, NotProbed, Task

POOL = 50  # batches that are sorted by length together: little padding, still well mixed
# From one process's seed to the next one's. A CPU's generator looks at the lowest 32 bits alone, in
# which 2**32 divided by the golden ratio keeps many processes far apart (Knuth).
APART = (1 << 48) + 0x9E3779B1


class BenchBatch(TypedDict):
    """What a step of the model is given."""

    examples: list[Example]
    tensors: Batch  # of Task.collate
    layers: Tensor | None  # (sentences, layers, tokens, dim); None where no place wants them


def epoch_seed(seed: int, epoch: int, rank: int = 0) -> int:
    """Return the seed of all that is drawn in an epoch, so that a resumed run repeats it.

    Args:
        seed: The run's.
        epoch: Counted from 0.
        rank: Of the process, for what each process draws for itself.
    """
    return rank * APART + seed * 100_003 + epoch  # below 2**48 without the rank


def drawn(examples: Dataset, seed: int) -> list[int]:
    """Return the order in which a seed draws examples: the first ones are a smaller share."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randperm(len(examples), generator=generator).tolist()


class BucketSampler(Sampler[list[int]]):
    """Yields batches of indices of similar length, drawn each epoch from (seed, epoch) alone.

    With several processes, each takes every n-th batch; all take the same number.
    """

    def __init__(self, sizes: list[int], batch_size: int, seed: int, rank: int, world: int) -> None:
        self.sizes, self.batch_size, self.seed = sizes, batch_size, seed
        self.rank, self.world = rank, world
        self.epoch = 0
        self.sampler = self  # where Lightning looks for something to tell the epoch

    def set_epoch(self, epoch: int) -> None:
        """Take note of the epoch, from 0, whose batches are asked for next."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-len(self.sizes) // (self.batch_size * self.world))

    def __iter__(self) -> Iterator[list[int]]:
        generator = torch.Generator().manual_seed(epoch_seed(self.seed, self.epoch))
        order = torch.randperm(len(self.sizes), generator=generator).tolist()
        step = self.batch_size * POOL
        pools = (order[i : i + step] for i in range(0, len(order), step))
        ordered = [i for pool in pools for i in sorted(pool, key=self.sizes.__getitem__)]
        batches = [
            ordered[i : i + self.batch_size] for i in range(0, len(ordered), self.batch_size)
        ]
        batches = [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]
        batches = (batches * self.world)[: len(self) * self.world]  # wrap, so that ranks agree
        return iter(batches[self.rank :: self.world])


class BenchData(pl.LightningDataModule):
    """Serves the splits of a task in batches.

    Of the training split, `train_share` is drawn by the seed, at least one example; a smaller share
    lies within a larger one. With `control`, all splits have the labels of the task's control task.
    """

    def __init__(
        self,
        task: Task,
        batch_size: int,
        seed: int,
        train_share: float = 1.0,
        control: bool = False,
    ) -> None:
        super().__init__()
        self.task, self.batch_size, self.seed = task, batch_size, seed
        self.train_share, self.control = train_share, control
        self.store: FeatureStore | None = None  # where no place wants the encoder
        self.splits: dict[str, Dataset | None] = {}
        self.fingerprints: dict[str, str] = {}  # of the whole splits, as they were read

    @classmethod
    def of(cls, cfg: DictConfig, task: Task) -> BenchData:
        """Serve the data of a run, as its configuration says."""
        share, control = cfg.data.train_share, cfg.data.control
        return cls(task, cfg.training.batch_size, cfg.seed, share, control)

    def split(self, name: str) -> Dataset | None:
        """Return the examples of "train", "dev" or "test", read once; None where there is none."""
        if name not in self.splits:
            whole = self.task.load(name)
            if whole is not None:
                self.fingerprints[name] = fingerprint(whole)
                whole = self._controlled(whole, name) if self.control else whole
            self.splits[name] = self._share(whole) if whole and name == "train" else whole
        return self.splits[name]

    def drawing_from(self, whole: BenchData) -> BenchData:
        """Take the splits of the same set, read whole, and draw the share; return this."""
        self.splits, self.fingerprints = dict(whole.splits), whole.fingerprints
        if train := whole.splits["train"]:
            self.splits["train"] = self._share(train)
        return self

    def examples(self, name: str) -> Dataset:
        """Return the examples of a split that is known to be there."""
        found = self.split(name)
        assert found is not None, f"no {name} split"
        return found

    def _controlled(self, whole: Dataset, name: str) -> Dataset:
        """Give a split the control task's labels. Raises ConfigError where there is none."""
        train = whole if name == "train" else self.task.load("train")
        assert train is not None
        try:
            relabelled = self.task.control(train, self.seed)
        except NotProbed as reason:
            raise ConfigError(f"data.control=true: {reason}") from None
        return whole.map(relabelled, keep_in_memory=True, load_from_cache_file=False)

    def _share(self, train: Dataset) -> Dataset:
        """Draw the part that is trained on."""
        if self.train_share == 1:
            return train
        size = max(round(self.train_share * len(train)), 1)
        return train.select(sorted(drawn(train, self.seed)[:size]))

    def train_dataloader(self) -> DataLoader[BenchBatch]:
        examples = self.examples("train")
        sizes = [self.task.size(example) for example in examples]
        rank = self.trainer.global_rank if self.trainer else 0
        world = self.trainer.world_size if self.trainer else 1
        sampler = BucketSampler(sizes, self.batch_size, self.seed, rank, world)
        return DataLoader(examples, batch_sampler=sampler, collate_fn=self.collate)

    def val_dataloader(self) -> DataLoader[BenchBatch]:
        return self._in_order("dev")

    def test_dataloader(self) -> DataLoader[BenchBatch]:
        return self._in_order("test")

    def _in_order(self, split: str) -> DataLoader[BenchBatch]:
        """Serve the longest first: a batch that is too large for the memory fails at once."""
        assert self.trainer is not None
        examples = self.examples(split)
        sizes = [self.task.size(example) for example in examples]
        order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        mine = order[self.trainer.global_rank :: self.trainer.world_size]
        batches = [mine[i : i + self.batch_size] for i in range(0, len(mine), self.batch_size)]
        return DataLoader(examples, batch_sampler=batches, collate_fn=self.collate)

    def collate(self, examples: list[Example]) -> BenchBatch:
        """Make a batch of these examples, with the layers of their sentences."""
        layers = None
        if self.store is not None:
            layers = self.store.layers([s for e in examples for s in self.task.sentences(e)])
        return {"examples": examples, "tensors": self.task.collate(examples), "layers": layers}
