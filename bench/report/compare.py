"""Two sets of runs compared on their predictions: statistics/ fed from predictions.jsonl."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from bench.report.read import Run
from bench.report.statistics import Array, Comparison, Pair, Rescored, Summed, compare
from bench.run import trust

Row = Mapping[str, Any]
Counting = tuple[Callable[[Row], tuple[float, ...] | None], Callable[[Array], Array]]


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
    """Pair the runs by the counts of their task; None where it has none."""
    read = [_numbers(run, split) for run in (*first, *second)]
    numbers = [numbers for _, numbers in read if numbers is not None]
    if len(numbers) < len(read):
        return None
    _same_examples([ids for ids, _ in read], split)
    both, (_, from_counts) = np.stack(numbers), _counting(first[0])
    return Summed(both[: len(first)], both[len(first) :], from_counts)


def _rescored_pair(first: Sequence[Run], second: Sequence[Run], split: str) -> Pair:
    """Pair the runs by the task's own `score`, which may need torch.

    The rows get new ids, since a resample has an example more than once.
    """
    rows = [_rows(run, split) for run in (*first, *second)]
    _same_examples([hash(tuple(row["id"] for row in each)) for each in rows], split)
    try:
        from bench.run.build import task_of  # brings torch

        task = task_of(trust.read(first[0].config, first[0].trusted))
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


def _counting(run: Run) -> Counting:
    """Return `counts` and `from_counts` of the run's task (tasks/task.py).

    Raises Incomparable where the record names no task that can be imported.
    """
    target = run.choice["task"]["_target_"]
    if not trust.is_trusted(target, run.trusted):
        package = target.partition(".")[0]
        raise Incomparable(f"its task {target} is not of this suite: add --trust {package}")
    try:
        return _imported(target)
    except Exception as error:  # whatever a module of the user's own may raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise Incomparable(f"{run.config}: no task to count with ({reason})") from error


@cache
def _imported(target: str) -> Counting:
    """Import them from the task's class, or without torch from where its package says that they
    are (tasks/base/lazy.py)."""
    package, _, name = target.rpartition(".")
    module = import_module(package)
    scores = getattr(module, "SCORES", {}).get(name)
    owner = import_module(scores) if scores else getattr(module, name)
    return owner.counts, owner.from_counts


@cache
def _numbers(run: Run, split: str) -> tuple[int, Array | None]:
    """Return a hash of the examples' ids, and the counts of each example, sorted by id.

    These are (examples, numbers), or None where the task has no counts.
    """
    rows, (counts, from_counts) = _rows(run, split), _counting(run)
    ids = hash(tuple(row["id"] for row in rows))
    counted = [counts(row) for row in rows]
    if None in counted:
        return ids, None
    numbers = np.array(counted, dtype=np.float64)
    recomputed, recorded = float(from_counts(numbers.sum(axis=0))), run.score(split)
    if recorded is None or abs(recomputed - recorded) > 1e-6:
        raise Incomparable(
            f"{run.folder / 'predictions.jsonl'} scores {recomputed:.2f}, "
            f"but result.json says {recorded}"
        )
    return ids, numbers


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
