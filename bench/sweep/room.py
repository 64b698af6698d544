"""Whether there is room on the disk for the features of many runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from datasets import Dataset
from omegaconf import DictConfig

from bench.errors import RunError
from bench.run.datamodule import BenchData
from bench.run.features import WAY_OUT, computed_in, limit_of, store_of
from elmo_core import Encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.plan import Cost, Wanted, Way, amount, decide, estimate

if TYPE_CHECKING:
    from bench.sweep.needs import Needs

INSTEAD = {"memory": "kept in memory by each run", "live": "encoded anew in every epoch"}


def served(cfg: DictConfig, data: BenchData, split: str) -> Dataset:
    """Return the examples that a run reads in an epoch: of a few batches, the longest there are."""
    examples, limit = data.examples(split), cfg.trainer.limit_batches
    if not limit:
        return examples
    longest = sorted(range(len(examples)), key=lambda i: -data.task.size(examples[i]))
    return examples.select(longest[: limit * data.batch_size])


def _mode(cfg: DictConfig) -> str:
    """Return in which mode a run reads features: those of a trial are not kept."""
    return "live" if cfg.trainer.limit_batches else computed_in(cfg)


class Features:
    """The features that runs need for training and dev, each counted once.

    Args:
        needs: The data and encoders of the runs.
    """

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self._wanted: dict[tuple[int, int | None], Wanted] = {}  # by data
        self._costs: dict[tuple[int, str, str, str], tuple[Cost, Way, str]] = {}
        self._asked: dict[tuple[Path, str], tuple[FeatureStore, int | None, list[Cost]]] = {}

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
        Raises RunError where it must be stored and there is no room.
        """
        wanted, mode = self.wanted(cfg), _mode(cfg)
        key = (id(wanted), encoder.fingerprint, cfg.features.precision, mode)
        if key not in self._costs:
            store = store_of(cfg, encoder)
            anew = mode == "live"
            missing = set(wanted.distinct) if anew else store.attach(wanted.distinct)
            cost = estimate(store, {each: wanted.distinct[each] for each in missing})
            limit = limit_of(cfg)
            way: Way = "live"
            said = ""
            if not anew:
                way, said = decide(store, cost, limit)
                self._asked.setdefault((store.root, mode), (store, limit, []))[2].append(cost)
            if way == "live":
                again = wanted.tokens / sum(map(len, wanted.distinct.values()))
                size = 0 if anew else cost.bytes
                cost = replace(cost, bytes=size, seconds=cost.seconds * again)
            self._costs[key] = cost, way, said
        cost, way, said = self._costs[key]
        if mode == "store" and way != "store":
            raise RunError(f"features=store: they take {amount(cost.bytes)}, but {said}. {WAY_OUT}")
        return cost, way

    def shortage(self) -> Iterator[str]:
        """Yield a line for each folder that cannot hold all that was asked for until now."""
        for (_, mode), (store, limit, costs) in self._asked.items():
            total = sum(cost.bytes for cost in costs)
            way, said = decide(store, replace(costs[0], bytes=total), limit)
            if way != "store":
                instead = "not computed: its run fails" if mode == "store" else INSTEAD[way]
                yield (
                    f"features take {amount(total)}, but {said}: what does not fit is "
                    f"{instead}. {WAY_OUT}"
                )
