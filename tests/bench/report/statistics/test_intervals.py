"""Intervals and p-values against scipy, closed forms, and what chance alone does."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bench.report.statistics import (
    RESAMPLES,
    Array,
    Comparison,
    PseudoValues,
    compare,
    estimate,
    from_counts,
    from_paired_counts,
    from_scoring,
)
from tasks.scoring.additive_metrics import f1, mean


def right(*answers: Any) -> Array:
    """Each seed's right (1) and wrong (0) answers → (seeds, examples, 2)."""
    values = np.array(answers, dtype=float)
    return np.stack([values, np.ones_like(values)], axis=-1)


def drawn(seed: int, share: float, size: int = 400) -> Array:
    return (np.random.default_rng(seed).random(size) < share).astype(float)


def spread(p: float, resamples: int = RESAMPLES) -> float:
    """Five standard errors of a p-value that is estimated by counting."""
    return 5 * math.sqrt(p * (1 - p) / resamples) + 1 / resamples


def entities(seed: int, size: int = 300) -> Array:
    """(right, predicted, gold) of one seed's sentences; the gold ones are the same for all."""
    gold = np.random.default_rng(99).integers(0, 4, size)
    random = np.random.default_rng(seed)
    found = random.binomial(gold, 0.7)
    return np.stack([found, found + random.binomial(2, 0.2, size), gold], -1).astype(float)[None]


def crossed(seed: int, seeds: int = 4, clusters: int = 30) -> PseudoValues:
    """A difference of 1 with chance of seeds, of clusters, and of both."""
    random = np.random.default_rng(seed)
    values = 1 + random.standard_normal((seeds, 1)) + 3 * random.standard_normal(clusters)
    values = values + 3 * random.standard_normal((seeds, clusters))
    return PseudoValues(values.mean(axis=1), values, clusters)


@pytest.mark.parametrize(("better", "worse"), [(30, 12), (25, 24), (9, 1), (3, 0)])
def test_p_of_one_seed_on_accuracy_is_the_exact_sign_test(better: int, worse: int) -> None:
    """Swapping moves only the examples that one system alone has right: a fair coin each."""
    first = [0] * better + [1] * worse + [1] * 50
    second = [1] * better + [0] * worse + [1] * 50
    found = compare(from_paired_counts(right(first), right(second), mean))
    exact = scipy_stats.binomtest(better, better + worse).pvalue
    assert found.difference == pytest.approx(100 * (better - worse) / len(first))
    assert found.p == pytest.approx(exact, abs=spread(exact))


def test_p_of_one_seed_on_any_mean_is_scipys_permutation_test() -> None:
    random = np.random.default_rng(0)
    first = random.random(60)
    second = np.clip(first + random.normal(0.04, 0.2, 60), 0, 1)
    found = compare(from_paired_counts(right(first), right(second), mean))
    theirs = scipy_stats.permutation_test(
        (first, second),
        lambda x, y, axis: (y - x).mean(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(1),
    )
    assert found.p == pytest.approx(theirs.pvalue, abs=2 * spread(theirs.pvalue))


def test_p_of_a_corpus_metric_is_what_swapping_predictions_gives() -> None:
    first, second = entities(1), entities(2)
    found = compare(from_paired_counts(first, second, f1))
    swap = np.random.default_rng(0).integers(2, size=(2_000, 300))[..., None]
    one = f1(np.where(swap, second, first).sum(axis=1))
    other = f1(np.where(swap, first, second).sum(axis=1))
    extreme = np.abs(other - one) >= abs(found.difference)
    assert found.p == pytest.approx(extreme.mean(), abs=spread(found.p, 2_000))


def test_whole_clusters_are_swapped_and_nothing_smaller() -> None:
    """Eight unequal clusters have 256 assignments, which can all be tried."""
    first, second = entities(1, 60), entities(2, 60)
    ids = [0] * 20 + [1] * 3 + [2] * 7 + [3] * 10 + [4] * 5 + [5] * 5 + [6] * 2 + [7] * 8
    found = compare(from_paired_counts(first, second, f1, ids))
    swap = np.array(list(itertools.product([False, True], repeat=8)))[:, ids, None]
    one = f1(np.where(swap, second, first).sum(axis=1))
    other = f1(np.where(swap, first, second).sum(axis=1))
    extreme = np.abs(other - one) >= abs(found.difference) - 1e-9
    assert found.p == pytest.approx(extreme.mean(), abs=0.03)


def test_interval_of_one_seed_is_the_paired_t_tests() -> None:
    first, second = 100.0 * drawn(1, 0.6), 100.0 * drawn(2, 0.68)
    found = compare(from_paired_counts(right(first / 100), right(second / 100), mean))
    theirs = scipy_stats.ttest_rel(second, first).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_interval_of_one_seed_is_near_scipys_paired_bca_bootstrap(metric: str) -> None:
    if metric == "f1":
        score, (first, second) = f1, (entities(1), entities(2))
    else:
        score, (first, second) = mean, (right(drawn(1, 0.6)), right(drawn(2, 0.68)))
    rows = np.concatenate([first[0], second[0]], axis=-1)
    half = first.shape[-1]
    theirs = scipy_stats.bootstrap(
        (np.arange(len(rows)),),
        lambda i, axis: score(rows[i][..., half:].sum(-2)) - score(rows[i][..., :half].sum(-2)),
        vectorized=True,
        method="BCa",
        n_resamples=4_999,
        batch=500,
        rng=np.random.default_rng(3),
    ).confidence_interval
    found = compare(from_paired_counts(first, second, score))
    tolerance = 0.04 * (theirs.high - theirs.low)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=tolerance)


@pytest.mark.parametrize("share", [0.6, 0.93])
def test_interval_of_a_score_is_near_scipys_bca_bootstrap(share: float) -> None:
    """Above 90 % it is as skewed as theirs."""
    answers = drawn(1, share, 300)
    found = estimate(from_counts(right(answers), mean))
    theirs = scipy_stats.bootstrap(
        (100.0 * answers,),
        np.mean,
        method="BCa",
        n_resamples=4_999,
        rng=np.random.default_rng(3),
    ).confidence_interval
    tolerance = 0.06 * (theirs.high - theirs.low)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=tolerance)


def test_interval_of_many_seeds_without_chance_of_examples_is_the_t_tests() -> None:
    gains = np.array([1.0, 2.5, 0.5, 3.0])
    found = compare(PseudoValues(gains, np.tile(gains[:, None], (1, 50)), 50))
    theirs = scipy_stats.ttest_1samp(gains, 0)
    interval = theirs.confidence_interval()
    assert (found.low, found.high, found.p) == pytest.approx(
        (interval.low, interval.high, theirs.pvalue)
    )
    assert found.from_seeds == pytest.approx(found.half_width)
    assert found.seed_sd == pytest.approx(gains.std(ddof=1))


def test_p_of_several_seeds_is_where_the_interval_touches_0() -> None:
    for number in range(5):
        found = compare(crossed(number))
        touching = compare(crossed(number), level=1 - found.p)
        assert min(abs(touching.low), abs(touching.high)) == pytest.approx(0, abs=1e-6)
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


def test_seeds_and_examples_share_the_width() -> None:
    """By hand: seeds and examples that only add up, of variances 7 and 83/12."""
    values = np.array([1.0, 2.0, 6.0])[:, None] + np.array([3.0, 5.0, 4.0, 9.0])
    found = compare(PseudoValues(values.mean(axis=1), values, 4))
    assert found.from_seeds**2 == pytest.approx(found.half_width**2 * (7 / 3) / (7 / 3 + 83 / 48))
    still = compare(PseudoValues(np.ones(3), values, 4))
    assert (still.from_seeds, still.from_examples) == (0, pytest.approx(still.half_width))


def test_one_seed_speaks_of_examples_only() -> None:
    found = compare(from_paired_counts(right(drawn(1, 0.6)), right(drawn(2, 0.68)), mean))
    assert (found.one_seed, found.seed_sd, found.components.seeds) == (True, None, None)
    assert (found.from_seeds, found.from_examples) == (0, pytest.approx(found.half_width))
    assert not compare(crossed(1)).one_seed


def test_two_seeds_are_taken_for_two() -> None:
    """With seeds that differ, two give an interval several times as wide as five."""
    few = np.mean([compare(crossed(n, seeds=2)).half_width for n in range(50)])
    more = np.mean([compare(crossed(n, seeds=5)).half_width for n in range(50)])
    assert few > 3 * more


def test_copies_of_an_example_are_one_cluster() -> None:
    first, second = right(drawn(1, 0.6)), right(drawn(2, 0.68))
    once = compare(from_paired_counts(first, second, mean))
    four = first.repeat(4, axis=1), second.repeat(4, axis=1)
    clustered = compare(from_paired_counts(*four, mean, clusters=np.arange(400).repeat(4).tolist()))
    alone = compare(from_paired_counts(*four, mean))
    assert (clustered.low, clustered.high, clustered.p) == pytest.approx(
        (once.low, once.high, once.p)
    )
    assert (clustered.clusters, clustered.examples) == (400, 1600)
    assert alone.half_width == pytest.approx(once.half_width / 2, rel=0.01)


def test_a_repeated_seed_is_no_new_evidence() -> None:
    first, second = right(drawn(1, 0.6)), right(drawn(2, 0.68))
    once = compare(from_paired_counts(first, second, mean))
    often = compare(from_paired_counts(first.repeat(5, axis=0), second.repeat(5, axis=0), mean))
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert often.p == pytest.approx(once.p, abs=0.01)
    assert (once.seed_sd, often.seed_sd) == (None, 0)


def test_a_score_stays_a_percentage() -> None:
    few = estimate(from_counts(right(*(np.arange(12) != n for n in (1, 4, 4))), mean))
    assert 0 < few.low < few.value < few.high < 100
    assert few.high - few.value < few.value - few.low


@pytest.mark.parametrize("hits", [0, 25])
def test_a_score_without_an_error_is_clopper_and_pearsons(hits: int) -> None:
    found = estimate(from_counts(right(np.arange(25) < hits), mean))
    theirs = scipy_stats.binomtest(hits, 25).proportion_ci()
    assert (found.low, found.high) == pytest.approx((100 * theirs.low, 100 * theirs.high))


def test_scoring_anew_is_near_the_counts() -> None:
    first, second = entities(1), entities(2)
    rows = [[{"counts": counts} for counts in side[0]] for side in (first, second)]

    def corpus_f1(rows: list[Any]) -> float:
        hits, predicted, gold = np.sum([row["counts"] for row in rows], axis=0)
        return float(200 * hits / (predicted + gold))

    summed = compare(from_paired_counts(first, second, f1))
    anew = compare(from_scoring(rows[1:], corpus_f1) - from_scoring(rows[:1], corpus_f1))
    assert anew.difference == pytest.approx(summed.difference)
    assert anew.half_width == pytest.approx(summed.half_width, rel=0.25)
    assert anew.clusters == 40


def test_equal_systems_do_not_differ() -> None:
    for seeds in (1, 3):
        same = right(*[drawn(1, 0.6)] * seeds)
        found = compare(from_paired_counts(same, same, mean))
        assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_seeds_are_paired_and_averaged() -> None:
    first = right(drawn(1, 0.6), drawn(2, 0.6), drawn(3, 0.6))
    second = right(drawn(4, 0.7), drawn(5, 0.7), drawn(6, 0.7))
    found = compare(from_paired_counts(first, second, mean))
    each = 100 * (second[..., 0].mean(1) - first[..., 0].mean(1))
    assert found.difference == pytest.approx(each.mean())
    assert found.seed_sd == pytest.approx(each.std(ddof=1))
    assert found.seeds == 3


def test_chance_alone_is_called_chance() -> None:
    """Where nothing differs, p is below 0.05 in about one of twenty, and the interval holds 0 in
    about nineteen."""
    random = np.random.default_rng(7)

    def trial() -> Comparison:
        hard = random.random(150)
        first, second = (right(hard + random.normal(0, 0.3, 150) < 0.6) for _ in range(2))
        return compare(from_paired_counts(first, second, mean))

    found = [trial() for _ in range(300)]
    assert 0.02 < np.mean([each.p <= 0.05 for each in found]) < 0.09
    assert 0.90 < np.mean([each.low <= 0 <= each.high for each in found]) < 0.99


def test_the_same_predictions_give_the_same_numbers() -> None:
    first, second = entities(1), entities(2)
    assert compare(from_paired_counts(first, second, f1)) == compare(
        from_paired_counts(first, second, f1)
    )


def test_unlike_examples_are_refused() -> None:
    with pytest.raises(ValueError, match="unlike shapes"):
        from_paired_counts(right(drawn(1, 0.5)), right(drawn(1, 0.5, 10)), mean)


def test_a_metric_without_anything_to_find_is_0() -> None:
    assert f1(np.zeros((4, 3))).tolist() == [0, 0, 0, 0]


def test_what_chance_never_gave_is_not_impossible() -> None:
    found = compare(from_paired_counts(right([0] * 60), right([1] * 60), mean))
    assert found.p == 1 / (1 + RESAMPLES)


def test_degrees_of_freedom_are_one_less_than_seeds_and_clusters() -> None:
    found = compare(crossed(0, seeds=4, clusters=30))
    assert [part.df for part in (*found.parts, found.chance)] == [3, 29, 29]
