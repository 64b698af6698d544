"""Two sets of runs compared on their predictions: statistics/ fed from predictions.jsonl."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from math import isclose
from typing import Any, TypeVar

import numpy as np
import xxhash

from bench.records import DamagedRecord
from bench.records.references import Reference, Scored
from bench.report.pairs import apart, paired
from bench.report.read import Run
from bench.report.statistics import (
    Array,
    Clusters,
    Comparison,
    Estimate,
    PseudoValues,
    compare,
    estimate,
    from_counts,
    from_paired_counts,
    from_scoring,
)
from bench.run import trust
from bench.run.record import Record
from elmo_core.errors import one_line

T = TypeVar("T")
Row = Mapping[str, Any]
Counting = tuple[Callable[[Row], tuple[float, ...] | None], Callable[[Array], Array]]


class Incomparable(Exception):
    """Why two sets of runs cannot be compared."""


@dataclass(frozen=True)
class Examples:
    """The examples of a split, sorted by id: a hash of the ids, and the cluster of each."""

    ids: str
    clusters: tuple[str, ...] | None  # None where the record, an old one, does not name them all

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Examples:
        """Read them from predictions."""
        clusters = tuple(str(row["cluster"]) for row in rows if "cluster" in row)
        ids = json.dumps([str(row["id"]) for row in rows])
        known = clusters if len(clusters) == len(rows) else None
        return cls(xxhash.xxh3_128_hexdigest(ids.encode()), known)


def compared(
    base: Sequence[Run], other: Sequence[Run], split: str
) -> tuple[Comparison, int | None]:
    """Compare `other` with `base` on the seeds that both have, seed by seed.

    Returns the comparison, and how many clusters the examples are in; None where no record names
    any, and the examples are taken as independent. Raises Incomparable, with the reason, where runs
    cannot be compared.
    """
    pairs = paired(base, other)
    if not pairs:
        raise Incomparable("no seed in common with the baseline")
    metrics = sorted({run.result.metric for pair in pairs for run in pair})
    if len(metrics) > 1:
        raise Incomparable(f"scored by {' and by '.join(metrics)}")
    first, second = zip(*pairs, strict=True)
    clusters = _clusters([_numbers(run, split)[0] for run in (*first, *second)], split)
    try:
        difference = _counted(first, second, split, clusters)
        if difference is None:
            difference = _rescored(first, second, split, clusters)
        _require_numbers(difference, split)
    except ValueError as error:  # fewer than two clusters
        raise Incomparable(f"{split}: {error}") from None
    each, together = apart(pairs)
    found = compare(difference.averaged(each).averaged(together))
    return found, None if clusters is None else len(set(clusters))


def _require_numbers(values: PseudoValues, split: str) -> None:
    if not np.isfinite(values.values).all():
        raise Incomparable(f"{split}: the metric is no number without some of the examples")


def _counted(
    first: Sequence[Run], second: Sequence[Run], split: str, clusters: Clusters | None
) -> PseudoValues | None:
    """Return the difference by the counts of the runs' task; None where it has none."""
    read = [_numbers(run, split)[1] for run in (*first, *second)]
    numbers = [each for each in read if each is not None]
    if len(numbers) < len(read):
        return None
    both, (_, from_counts) = np.stack(numbers), counting(first[0])
    metric = partial(_tried, _counts_fail(first[0]), from_counts)
    return from_paired_counts(both[: len(first)], both[len(first) :], metric, clusters)


def _rescored(
    first: Sequence[Run], second: Sequence[Run], split: str, clusters: Clusters | None
) -> PseudoValues:
    """Return the difference by the task's own `score`, which may need torch."""
    base, other = ([rows_of(run, split) for run in runs] for runs in (first, second))
    run, config = first[0], first[0].config

    def task_of_run() -> Any:
        from bench.run.build import task_of  # brings torch
        from bench.run.trained import VOCABULARY, restored

        cfg = trust.read(config, run.trusted)
        # What an ensemble or an evaluation has learned lies with a run that it was made of.
        folder = next((run.folder.with_name(each) for each in run.result.made_of), run.folder)
        return restored(folder, cfg) if (folder / VOCABULARY).is_file() else task_of(cfg)

    task = _tried(f"{config}: no task to score with", task_of_run)

    def score(kept: list[Row]) -> float:
        return float(task.score([dict(row) for row in kept])[task.metric])

    tried = partial(_tried, f"{config}: its task's score fails", score)
    return from_scoring(other, tried, clusters) - from_scoring(base, tried, clusters)


def _tried(trouble: str, call: Callable[..., T], *arguments: Any) -> T:
    """Call what may be of the user's own; whatever it raises is raised as Incomparable."""
    try:
        return call(*arguments)
    except Exception as error:
        reason = ": ".join(filter(None, (type(error).__name__, str(error))))
        raise Incomparable(one_line(f"{trouble} ({reason})")) from error


def _clusters(read: Sequence[Examples], split: str) -> Clusters | None:
    """Return the clusters of the examples that all runs have: of the record with the fewest, since
    older ones may tell paragraphs apart where others know the text."""
    if len({each.ids for each in read}) > 1:
        raise Incomparable(f"the predictions of {split} are not of the same examples")
    known = (each.clusters for each in read if each.clusters)
    return min(known, key=lambda clusters: len(set(clusters)), default=None)


def counting(run: Run) -> Counting:
    """Return `counts` and `from_counts` of the run's task (tasks/task.py).

    Raises Incomparable where the record names no task that can be imported.
    """
    target = run.choice["task"].get("_target_")
    if not isinstance(target, str):
        raise Incomparable(f"{run.config} cannot be read, or names no task to count with")
    if not trust.is_trusted(target, run.trusted):
        package = target.partition(".")[0]
        raise Incomparable(f"its task {target} is not of this suite: add --trust {package}")
    return _tried(f"{run.config}: no task to count with", count_functions, target)


def _counts_fail(run: Run) -> str:
    return f"{run.config}: its task's counts fail"


@cache
def count_functions(target: str) -> Counting:
    """Import `counts` and `from_counts` from a task's class, or without torch from where its
    package says that they are (tasks/base/lazy.py)."""
    package, _, name = target.rpartition(".")
    module = import_module(package)
    scores = getattr(module, "SCORES", {}).get(name)
    owner = import_module(scores) if scores else getattr(module, name)
    return owner.counts, owner.from_counts


@cache
def _numbers(run: Run, split: str) -> tuple[Examples, Array | None]:
    """Return the examples and their counts (examples, numbers), None where the task has none."""
    counts, from_counts = counting(run)
    numbers: Array | None
    if run.reference is not None:
        examples, numbers = referred = _referred(run, split)
        recomputed = _tried(_counts_fail(run), _total, referred[1], from_counts)
    else:
        rows = rows_of(run, split)
        examples = Examples.of(rows)
        numbers, recomputed = _tried(_counts_fail(run), _count, rows, counts, from_counts)
    if numbers is None:
        return examples, None
    recorded = run.score(split)
    # A metric may be computed in float32, of seven digits. NaN is not near either.
    if recorded is None or not isclose(recomputed, recorded, rel_tol=5e-7, abs_tol=1e-6):
        raise Incomparable(
            f"{run.folder / 'predictions.jsonl'} scores {recomputed:.6f} by its task's counts, "
            f"but result.json says {recorded} ({run.result.metric})"
        )
    return examples, numbers


def _referred(run: Run, split: str) -> tuple[Examples, Array]:
    """Return what a file of results has of a split's examples, and their counts."""
    assert run.reference is not None
    if split not in run.reference.examples:
        raise Incomparable(f"{run.folder}: a file of results, without the counts of {split}")
    scored = run.reference.examples[split]
    clusters = None if scored.clusters is None else tuple(map(str, scored.clusters))
    return Examples(scored.ids, clusters), scored.counts


def estimated(run: Run, split: str) -> Estimate:
    """Return one run's score with its interval, of other examples for this trained model.

    Raises Incomparable, with the reason, where it has no predictions that can be counted.
    """
    examples, numbers = _numbers(run, split)
    if numbers is None:
        raise Incomparable(f"{run.config}: its task has no counts")
    metric = partial(_tried, _counts_fail(run), counting(run)[1])
    try:
        found = from_counts(numbers[None], metric, examples.clusters)
    except ValueError as error:  # fewer than two clusters
        raise Incomparable(f"{split}: {error}") from None
    _require_numbers(found, split)
    return estimate(found)


def referred(run: Run, problems: list[str]) -> Reference:
    """Return a run as a file of results has it, with the counts of its splits that have some; add
    to `problems` a line for each whose counts are lost."""
    if run.reference is not None:
        return run.reference
    scored = {}
    for split in run.result.metrics:
        try:
            examples, numbers = _numbers(run, split)
        except Incomparable as reason:
            problems.append(f"{run.task}/{run.id}, {split}: its counts are lost: {reason}")
            continue
        if numbers is not None:
            clusters = _numbered(examples.clusters) if examples.clusters else None
            scored[split] = Scored(examples.ids, clusters, numbers)
    return Reference(run.result, run.choice, scored)


def _numbered(names: Sequence[str]) -> Array:
    """Number the names, in the order in which they first occur."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.float64)


def _count(
    rows: Sequence[Row],
    counts: Callable[[Row], tuple[float, ...] | None],
    from_counts: Callable[[Array], Array],
) -> tuple[Array | None, float]:
    """Return the counts (examples, numbers) and the score that they give; None and NaN without."""
    counted = [counts(row) for row in rows]
    if any(each is None for each in counted):
        return None, np.nan
    numbers = np.array(counted, dtype=np.float64)
    return numbers, _total(numbers, from_counts)


def _total(numbers: Array, from_counts: Callable[[Array], Array]) -> float:
    return float(from_counts(numbers.sum(axis=0)))


def rows_of(run: Run, split: str) -> list[Row]:
    """Return the predictions of a split, sorted by id. Raises Incomparable, with the reason."""
    if run.reference is not None:
        raise Incomparable(f"{run.folder}: a file of results has no predictions")
    path = run.folder / "predictions.jsonl"
    try:
        Record(run.folder).verify(path.name)
        with path.open(encoding="utf-8") as lines:  # not splitlines(), which splits at U+2028 too
            rows = [json.loads(line) for line in lines]
        found = sorted((row for row in rows if row["split"] == split), key=lambda row: row["id"])
    except DamagedRecord as error:
        raise Incomparable(str(error)) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Incomparable(f"{path} cannot be read ({error})") from None
    if not found:
        raise Incomparable(f"{path} has no predictions of {split}")
    return found
