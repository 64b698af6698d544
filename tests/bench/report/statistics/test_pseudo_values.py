"""Pseudo-values by brute force, and by scoring anew."""

from __future__ import annotations

import numpy as np
import pytest

from bench.report.statistics import Array, from_counts, from_paired_counts, from_scoring
from tasks.scoring.additive_metrics import f1, mean


def entities(seeds: int = 2, examples: int = 60) -> Array:
    """(right, predicted, gold) of every seed's sentences."""
    random = np.random.default_rng(0)
    gold = np.broadcast_to(random.integers(0, 4, examples), (seeds, examples))
    right = random.binomial(gold, 0.7)
    return np.stack([right, right + random.binomial(2, 0.2, gold.shape), gold], -1).astype(float)


def test_those_of_a_mean_are_the_examples() -> None:
    points = np.random.default_rng(0).random((3, 50))
    found = from_counts(np.stack([points, np.ones_like(points)], axis=-1), mean)
    assert found.scores == pytest.approx(100 * points.mean(axis=1))
    assert found.values == pytest.approx(100 * points)
    assert found.examples == 50


def test_those_of_f1_are_what_leaving_out_a_cluster_changes() -> None:
    counts = entities()
    ids = [i * i % 11 for i in range(counts.shape[1])]  # 0, 1, 4, 9, 5, 3, 3 and so on
    found = from_counts(counts, f1, ids)
    for seed in range(2):
        for column, cluster in enumerate(dict.fromkeys(ids)):
            kept = [row for row, each in zip(counts[seed], ids, strict=True) if each != cluster]
            without = f1(np.sum(kept, axis=0))
            assert found.values[seed, column] == pytest.approx(
                6 * f1(counts[seed].sum(axis=0)) - 5 * without
            )


def test_scoring_anew_without_each_cluster_is_the_same() -> None:
    counts = entities(examples=30)
    ids = [i // 3 for i in range(30)]
    rows = [[{"counts": each} for each in seed] for seed in counts]
    anew = from_scoring(rows, lambda drawn: float(f1(sum(row["counts"] for row in drawn))), ids)
    summed = from_counts(counts, f1, ids)
    assert anew.scores == pytest.approx(summed.scores)
    assert np.sort(anew.values) == pytest.approx(np.sort(summed.values))


def test_scoring_anew_deals_whole_clusters_to_few_groups() -> None:
    rows = [[{"id": i, "text": i // 3} for i in range(300)]]
    seen: list[set[int]] = []

    def score(drawn: list[dict[str, int]]) -> float:
        texts = [row["text"] for row in drawn]
        assert len(texts) == 3 * len(set(texts))
        seen.append({row["text"] for row in drawn})
        return float(len(drawn))

    from_scoring(rows, score, [i // 3 for i in range(300)], groups=8)  # type: ignore[arg-type]
    everything, *without = seen
    assert len(without) == 8
    assert sum(len(everything - each) for each in without) == 100  # each text is left out once


def test_swaps_of_a_mean_are_what_each_cluster_adds_to_the_difference() -> None:
    random = np.random.default_rng(0)
    first, second = random.random((2, 3, 50))
    one, other = (np.stack([each, np.ones_like(each)], axis=-1) for each in (first, second))
    found = from_paired_counts(one, other, mean)
    assert found.swaps == pytest.approx(100 * (second - first) / 50)


def test_what_cannot_be_told_apart_is_refused() -> None:
    counts = entities()
    with pytest.raises(ValueError, match="1 cluster of examples: an interval needs two at least"):
        from_counts(counts, f1, ["document"] * 60)
    with pytest.raises(ValueError, match="2 cluster ids for 60 examples"):
        from_counts(counts, f1, ["a", "b"])
    with pytest.raises(ValueError, match="unlike shapes"):
        from_counts(counts, f1) - from_counts(counts[:1], f1)


def test_seeds_that_count_as_one_are_averaged() -> None:
    counts = entities(seeds=5)
    found = from_paired_counts(counts, counts[::-1], f1)
    both = found.averaged([0, 0, 7, 0, 7])
    first, second = found.scores[[0, 1, 3]].mean(), found.scores[[2, 4]].mean()
    assert both.scores == pytest.approx([first, second])
    assert both.values[1] == pytest.approx(found.values[[2, 4]].mean(axis=0))
    assert both.swaps is not None
    assert found.averaged(range(5)).values == pytest.approx(found.values)
