"""Whether there is room on the disk for the features of many runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from datasets import Dataset
from omegaconf import DictConfig

from bench.run.datamodule import BenchData
from bench.run.features import WAY_OUT, store_of
from elmo_core import Encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.plan import Cost, Wanted, Way, amount, decide, estimate

if TYPE_CHECKING:
    from bench.sweep.needs import Needs

INSTEAD = {"memory": "kept in memory by each run", "live": "encoded anew in every epoch"}


def stores(cfg: DictConfig) -> bool:
    """Say whether a run keeps features at all, as far as it has any."""
    return cfg.features.mode != "live" and not cfg.trainer.limit_batches


def served(cfg: DictConfig, data: BenchData, split: str) -> Dataset:
    """Return the examples that a run reads in an epoch: of a few batches, the longest there are."""
    examples, limit = data.examples(split), cfg.trainer.limit_batches
    if not limit:
        return examples
    longest = sorted(range(len(examples)), key=lambda i: -data.task.size(examples[i]))
    return examples.select(longest[: limit * data.batch_size])


class Features:
    """The features that runs need for training and dev, each counted once.

    Args:
        needs: The data and encoders of the runs.
    """

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self._wanted: dict[tuple[int, int | None], Wanted] = {}  # by data
        self._costs: dict[tuple[int, str, str, bool], tuple[Cost, Way]] = {}
        self._asked: dict[Path, tuple[FeatureStore, int | None, list[Cost]]] = {}  # by folder

    def wanted(self, cfg: DictConfig) -> Wanted:
        """Return the sentences that a run reads in an epoch."""
        data = self.needs.data(cfg)
        key = id(data), cfg.trainer.limit_batches
        if key not in self._wanted:
            examples = (e for split in ("train", "dev") for e in served(cfg, data, split))
            self._wanted[key] = Wanted.of(s for e in examples for s in data.task.sentences(e))
        return self._wanted[key]

    def cost(self, cfg: DictConfig, encoder: Encoder) -> tuple[Cost, Way]:
        """Return what is still to be computed for a run, and where it will be kept.

        What is computed anew in each epoch takes the time of all sentences, not of distinct ones.
        """
        wanted, anew = self.wanted(cfg), not stores(cfg)
        key = (id(wanted), encoder.fingerprint, cfg.features.precision, anew)
        if key not in self._costs:
            store = store_of(cfg, encoder)
            missing = set(wanted.distinct) if anew else store.attach(wanted.distinct)
            cost = estimate(store, {each: wanted.distinct[each] for each in missing})
            limit = cfg.features.max_gb and int(cfg.features.max_gb * 1e9)
            way: Way = "live" if anew else decide(store, cost, limit)[0]
            if not anew:
                self._asked.setdefault(store.root, (store, limit, []))[2].append(cost)
            if way == "live":
                again = wanted.tokens / sum(map(len, wanted.distinct.values()))
                size = 0 if anew else cost.bytes
                cost = replace(cost, bytes=size, seconds=cost.seconds * again)
            self._costs[key] = cost, way
        return self._costs[key]

    def shortage(self) -> Iterator[str]:
        """Yield a line for each folder that cannot hold all that was asked for until now."""
        for store, limit, costs in self._asked.values():
            total = sum(cost.bytes for cost in costs)
            way, said = decide(store, replace(costs[0], bytes=total), limit)
            if way != "store":
                yield (
                    f"features take {amount(total)}, but {said}: what does not fit is "
                    f"{INSTEAD[way]}. {WAY_OUT}"
                )
