"""Whether there is room on the disk for the features of many runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from bench.run.features import WAY_OUT, store_of
from elmo_core import Encoder
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.plan import Cost, Wanted, Way, amount, decide, estimate

if TYPE_CHECKING:
    from bench.sweep.needs import Needs

INSTEAD = {"memory": "kept in memory by each run", "live": "encoded anew in every epoch"}


class Features:
    """The features that runs need for training and dev, each counted once.

    Args:
        needs: The data and encoders of the runs.
    """

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self._wanted: dict[int, Wanted] = {}  # by data
        self._costs: dict[tuple[int, str, str], tuple[Cost, Way]] = {}
        self._asked: dict[Path, tuple[FeatureStore, int | None, list[Cost]]] = {}  # by folder

    def wanted(self, cfg: DictConfig) -> Wanted:
        """Return the sentences of a run's data."""
        data = self.needs.data(cfg)
        if id(data) not in self._wanted:
            examples = (e for split in ("train", "dev") for e in data.examples(split))
            self._wanted[id(data)] = Wanted.of(s for e in examples for s in data.task.sentences(e))
        return self._wanted[id(data)]

    def cost(self, cfg: DictConfig, encoder: Encoder) -> tuple[Cost, Way]:
        """Return what is still to be computed for a run, and where it will be kept."""
        wanted = self.wanted(cfg)
        key = (id(wanted), encoder.fingerprint, cfg.features.precision)
        if key not in self._costs:
            store = store_of(cfg, encoder)
            missing = store.attach(wanted.distinct)
            cost = estimate(store, {each: wanted.distinct[each] for each in missing})
            limit = cfg.features.max_gb and int(cfg.features.max_gb * 1e9)
            if cfg.features.mode == "live":
                self._costs[key] = cost, "live"
            else:
                self._costs[key] = cost, decide(store, cost, limit)[0]
                self._asked.setdefault(store.root, (store, limit, []))[2].append(cost)
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
