"""Two sets of runs compared on their predictions: statistics.py fed from predictions.jsonl."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from omegaconf import OmegaConf

import tasks
from bench.report.read import Run
from bench.report.statistics import Array, Comparison, Pair, Rescored, Summed, compare

Row = Mapping[str, Any]
Counts = tuple[Callable[[Row], tuple[float, ...]], Callable[[Array], Array]]


class Incomparable(ValueError):
    """Why two sets of runs cannot be compared."""


def compared(base: Sequence[Run], other: Sequence[Run], split: str) -> Comparison:
    """`other` against `base`, seed by seed, on the seeds that both have.

    Raises Incomparable, with the reason, where that cannot be done.
    """
    by_seed = {run.seed: run for run in base}
    pairs = [(by_seed[run.seed], run) for run in other if run.seed in by_seed]
    if not pairs:
        raise Incomparable("no seed in common with the baseline")
    first, second = zip(*pairs, strict=True)
    return compare(_counted_pair(first, second, split) or _rescored_pair(first, second, split))


def _counted_pair(first: Sequence[Run], second: Sequence[Run], split: str) -> Pair | None:
    """By the task's counts; None where it has none."""
    counts = _counts(first[0].task)
    if counts is None:
        return None
    read = [_numbers(run, split) for run in (*first, *second)]
    _same_examples([ids for ids, _ in read], split)
    numbers = np.stack([numbers for _, numbers in read])
    return Summed(numbers[: len(first)], numbers[len(first) :], counts[1])


def _rescored_pair(first: Sequence[Run], second: Sequence[Run], split: str) -> Pair:
    """By the task's own `score`, which may need torch; the rows get new ids, since a resample has
    an example more than once."""
    rows = [_rows(run, split) for run in (*first, *second)]
    _same_examples([hash(tuple(row["id"] for row in each)) for each in rows], split)
    try:
        from hydra.utils import instantiate

        config = OmegaConf.load(first[0].config)
        task = instantiate({key: value for key, value in config.task.items() if key != "name"})
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise Incomparable(f"{first[0].config}: no task to score with ({reason})") from error

    def score(drawn: list[Row]) -> float:
        named = [{**row, "id": str(i)} for i, row in enumerate(drawn)]
        return float(task.score(named)[task.metric])

    return Rescored(rows[: len(first)], rows[len(first) :], score)


def _same_examples(ids: Sequence[int], split: str) -> None:
    if len(set(ids)) > 1:
        raise Incomparable(f"the predictions of {split} are not of the same examples")


@cache
def _counts(task: str) -> Counts | None:
    """`counts` and `from_counts` of the task's score.py (see additive_metrics.py), if it has them.

    Run by its path: importing it would import the package around it, and so torch.
    """
    path = Path(tasks.__file__).parent / task / "score.py"
    found = runpy.run_path(str(path)) if path.exists() else {}
    return (found["counts"], found["from_counts"]) if "counts" in found else None


@cache
def _numbers(run: Run, split: str) -> tuple[int, Array]:
    """A hash of the examples' ids, and each example's counts (examples, numbers), sorted by id."""
    counts = _counts(run.task)
    assert counts is not None
    rows = _rows(run, split)
    numbers = np.array([counts[0](row) for row in rows], dtype=np.float64)
    recomputed, recorded = float(counts[1](numbers.sum(axis=0))), run.score(split)
    if recorded is None or abs(recomputed - recorded) > 1e-6:
        raise Incomparable(
            f"{run.folder / 'predictions.jsonl'} scores {recomputed:.2f}, "
            f"but result.json says {recorded}"
        )
    return hash(tuple(row["id"] for row in rows)), numbers


def _rows(run: Run, split: str) -> list[Row]:
    path = run.folder / "predictions.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = sorted((row for row in rows if row["split"] == split), key=lambda row: row["id"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Incomparable(f"{path} cannot be read ({error})") from None
    if not found:
        raise Incomparable(f"{path} has no predictions of {split}")
    return found
