"""What needs no learning, on other examples than the run's own: trivial baselines."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from datasets import Dataset
from omegaconf import DictConfig

from bench.errors import explain
from bench.records import Finished
from bench.run.datamodule import BenchData
from bench.run.predictions import trivial
from bench.run.trained import restored

log = logging.getLogger(__name__)


def yardsticks(
    folder: Path, run: Finished, cfg: DictConfig, splits: Mapping[str, Dataset]
) -> dict[str, dict[str, float]]:
    """Score trivial baselines by what the run was trained on: its commonest label, say.

    Args:
        folder: The run's: what it has learned of its data may be asked for, too.
        run: Its result.
        cfg: Its configuration, with its own data.
        splits: The other examples.

    Returns:
        The score of each by its name, for each split; nothing where the training examples cannot
        be read any more or are others now, which is said in the log.
    """
    try:
        data = BenchData.of(cfg, restored(folder, cfg))
        train = data.split("train")
    except Exception as error:
        if explain(error) is None:
            raise
        log.info("no trivial baselines, which need the run's training examples: %s", error)
        return {}
    known = run.data.get("fingerprint") or {}
    if train is None or data.fingerprints["train"] != known.get("train"):
        log.info("no trivial baselines: the run's training examples are others now")
        return {}
    return {name: trivial(data.task, train, examples) for name, examples in splits.items()}
