"""The models of several runs of one task, combined into one that predicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from datasets import Dataset
from torch import Tensor

from bench.console import progress
from bench.errors import RunError
from bench.run import features
from bench.run.build import device_of
from bench.run.datamodule import BenchData
from bench.run.predictions import predictions
from bench.run.trained import configuration, reading, trained
from elmo_core.devices import moved
from elmo_core.store.feature_store import FeatureStore
from tasks.task import Example, NotCombinable


class Expert:
    """One run's model.

    Args:
        folder: The run's.
        stores: One for each encoder; this run's is added where it is not there.
        trusted: Packages whose classes the run may name.
    """

    def __init__(
        self, folder: Path, stores: dict[str, FeatureStore], trusted: Sequence[str]
    ) -> None:
        self.folder, self.cfg = folder, configuration(folder, trusted)
        with reading(folder, self.cfg, "encoder"):
            self.store = features.shared_store(self.cfg, stores)
        self.task, model = trained(folder, self.cfg, self.store.encoder if self.store else None)
        self.device = device_of(self.cfg)
        self.model = model.to(self.device)

    def __call__(self, examples: Sequence[Example], layers: Tensor | None) -> dict[str, Tensor]:
        """Return the model's output for these examples, on the CPU; `layers` of their sentences."""
        batch = moved(self.task.collate(examples), torch.device(self.device))
        layers = None if layers is None else layers.to(self.device)
        return {key: tensor.cpu() for key, tensor in self.model(batch, layers).items()}


class Committee:
    """Experts that may differ in seed, placement, encoder and words, not in their labels.

    How predictions are read from scores, and the size of a batch, are the first one's.

    Args:
        folders: The runs' folders.
        trusted: Packages whose classes the runs may name.

    Raises:
        RunError: The labels of two runs differ, or a run names what is not trusted.
    """

    def __init__(self, folders: Sequence[Path], trusted: Sequence[str]) -> None:
        stores: dict[str, FeatureStore] = {}
        self.experts = [Expert(folder, stores, trusted) for folder in folders]
        self.first = self.experts[0]
        self.task = self.first.task
        self.stores = {id(e.store): (e.cfg, e.store) for e in self.experts if e.store}
        for expert in self.experts:
            self._check(expert)

    def _check(self, other: Expert) -> None:
        ours, theirs = list(self.task.labels), list(other.task.labels)
        if ours != theirs:
            alone = ", ".join(sorted({*ours} ^ {*theirs})) or "the same in another order"
            raise RunError(
                f"{self.first.folder} and {other.folder} have learned different labels: {alone}"
            )

    def predict(self, split: str, ids: Sequence[str]) -> Iterator[Example]:
        """Yield one prediction for each of these examples of a split, in order.

        Raises RunError for an example that the data no longer has, and for a task that cannot
        combine.
        """
        examples, size = self._examples(split, ids), self.first.cfg.training.batch_size
        self._fill(split, examples)
        with progress(f"combining, {split}", len(examples), "examples") as advance:
            for start in range(0, len(examples), size):
                batch = [examples[i] for i in range(start, min(start + size, len(examples)))]
                yield from predictions(self.task, self._output(batch), batch)
                advance(len(batch))

    def _examples(self, split: str, ids: Sequence[str]) -> Dataset:
        with reading(self.first.folder, self.first.cfg, "data"):
            found = self.task.load(split)
        place = {} if found is None else {name: i for i, name in enumerate(found["id"])}
        if gone := [name for name in ids if name not in place]:
            raise RunError(f"{split}: the data has changed since the runs: no example {gone[0]}")
        assert found is not None
        return found.select([place[name] for name in ids])

    def _fill(self, split: str, examples: Dataset) -> None:
        """Make each encoder's store ready once, where the runs had it."""
        data = BenchData(self.task, batch_size=1, seed=0)
        data.splits[split] = examples
        for cfg, store in self.stores.values():
            features.fill(cfg, store, data, split)

    @torch.inference_mode()
    def _output(self, examples: Sequence[Example]) -> dict[str, Tensor]:
        sentences = [words for example in examples for words in self.task.sentences(example)]
        encoded = {key: store.layers(sentences) for key, (_, store) in self.stores.items()}
        outputs = [expert(examples, encoded.get(id(expert.store))) for expert in self.experts]
        try:
            return self.task.combine(outputs)
        except NotCombinable as reason:
            name = self.first.cfg.task["name"]
            raise RunError(f"runs of {name} cannot be combined: {reason}") from None
