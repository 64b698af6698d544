"""The time of a training step of any task: reading, collating, moving, and the arithmetic."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice, pairwise
from statistics import median
from typing import Any

import pytorch_lightning as pl
from omegaconf import DictConfig
from torch.utils.data import DataLoader
from torch.utils.flop_counter import FlopCounterMode

from bench.overrides import composed
from bench.run.build import placement_of, task_of
from bench.run.datamodule import BenchBatch, BenchData
from bench.run.features import hold_on_gpu
from bench.run.module import BenchModule
from bench.run.trainer import alone, trainer_of
from bench.speed.clock import Now
from bench.speed.featurizer import uncounted_products
from elmo_core import Encoder
from elmo_core.products import path
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import root_folder
from elmo_core.store.plan import Wanted
from tasks.task import Example

ROUNDS = ("counted", "ours", "torch's")
"""Each batch: its operations, which takes time of its own, then its steps by both products."""


@dataclass(frozen=True)
class Step:
    """The time of one task's steps in one placement: medians, in seconds."""

    task: str
    placement: str
    batch_size: int
    whole: float
    data: float  # of it, reading features and collating
    plain: float  # the whole of it, with torch's own products
    operations: float  # floating-point, of matrix products, in float32


def measured(
    words: Sequence[str], task: str, encoder: Encoder, steps: int, now: Now
) -> Iterator[Step]:
    """Measure on the task's training data: without ELMo, then where the task has it by default."""
    placements = ["none"]
    if (usual := composed([*words, f"task={task}"]).elmo.placement) != "none":
        placements.append(usual)
    for placement in placements:
        cfg = composed([*words, f"task={task}", f"elmo.placement={placement}"])
        yield _measured(cfg, None if placement == "none" else encoder, steps, now)


def _measured(cfg: DictConfig, encoder: Encoder | None, steps: int, now: Now) -> Step:
    pl.seed_everything(cfg.seed, verbose=False)
    task, training = task_of(cfg), cfg.training
    data = BenchData.of(cfg, task)
    train = data.examples("train")
    task.prepare(train)
    module = BenchModule(task, placement_of(cfg, encoder), training, cfg.seed)
    epoch: Any = data.train_dataloader().batch_sampler
    batches = [b for b in islice(cycle(epoch), steps + 1) for _ in ROUNDS]
    with tempfile.TemporaryDirectory(prefix=".speed-", dir=root_folder(cfg.features.dir)) as place:
        if encoder is not None:
            data.store = FeatureStore(encoder, place, cfg.features.precision)
            examples = (train[i] for batch in batches for i in batch)
            data.store.fill(Wanted.of(s for e in examples for s in task.sentences(e)).distinct)
            hold_on_gpu(cfg, data.store)
        laps = _Laps(data, now)
        loader = DataLoader(train, batch_sampler=batches, collate_fn=laps.collate)
        trainer = trainer_of(
            cfg,
            [laps],
            devices=alone(cfg),
            max_epochs=1,
            logger=False,
            enable_checkpointing=False,
        )
        trainer.fit(module, loader)
    ours, plain = laps.typical()
    return Step(
        *(cfg.task.name, cfg.elmo.placement, training.batch_size),
        *(ours, median(laps.data), plain, laps.operations()),
    )


class _Laps(pl.Callback):
    """Notes when each step ended, and how long its data took.

    Every batch is gone through as ROUNDS says. The first batch is not timed.
    """

    def __init__(self, data: BenchData, now: Now) -> None:
        self._collate, self.now = data.collate, now
        self.data: list[float] = []
        self.ends: list[float] = []
        self.counted: list[int] = []
        self.counter = FlopCounterMode(display=False, custom_mapping=uncounted_products())
        self.running = ExitStack()

    def collate(self, examples: list[Example]) -> BenchBatch:
        started = self.now()
        batch = self._collate(examples)
        self.data.append(self.now() - started)
        return batch

    def on_train_batch_start(self, *_: object, **__: object) -> None:
        if self._round() == "counted":
            self.running.enter_context(self.counter)
        if self._round() == "torch's":
            self.running.enter_context(path.using("torch"))

    def on_train_batch_end(self, *_: object, **__: object) -> None:
        self.running.close()
        if self._round() == "counted":
            self.counted.append(int(self.counter.get_total_flops()))
        self.ends.append(self.now())

    def _round(self) -> str:
        return ROUNDS[len(self.ends) % len(ROUNDS)]

    def typical(self) -> tuple[float, float]:
        """Return the median step of ours and of torch's, from end to end: nothing is left out."""
        took = [0.0, *(b - a for a, b in pairwise(self.ends))][len(ROUNDS) :]
        return median(took[1 :: len(ROUNDS)]), median(took[2 :: len(ROUNDS)])

    def operations(self) -> float:
        """Return the operations of the matrix products of the median step that is timed."""
        return median(self.counted[1:])
