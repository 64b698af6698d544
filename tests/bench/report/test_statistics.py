"""bench/report/statistics.py against scipy, closed forms, and what chance alone does."""

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
    Rescored,
    Summed,
    compare,
    from_uniform,
    holm,
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


@pytest.mark.parametrize(("better", "worse"), [(30, 12), (25, 24), (9, 1), (3, 0)])
def test_p_on_accuracy_is_the_exact_sign_test(better: int, worse: int) -> None:
    """Swapping moves only the examples that one system alone has right: a fair coin each."""
    first = [0] * better + [1] * worse + [1] * 50
    second = [1] * better + [0] * worse + [1] * 50
    found = compare(Summed(right(first), right(second), mean))
    exact = scipy_stats.binomtest(better, better + worse).pvalue
    assert found.difference == pytest.approx(100 * (better - worse) / len(first))
    assert found.p == pytest.approx(exact, abs=spread(exact))


def test_p_on_any_mean_is_scipys_permutation_test() -> None:
    random = np.random.default_rng(0)
    first = random.random(60)
    second = np.clip(first + random.normal(0.04, 0.2, 60), 0, 1)
    found = compare(Summed(right(first), right(second), mean))
    theirs = scipy_stats.permutation_test(
        (first, second),
        lambda x, y, axis: (y - x).mean(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(1),
    )
    assert found.p == pytest.approx(theirs.pvalue, abs=2 * spread(theirs.pvalue))


def test_interval_is_scipys_paired_bootstrap_and_the_normal_approximation() -> None:
    first, second = drawn(1, 0.6), drawn(2, 0.68)
    found = compare(Summed(right(first), right(second), mean))
    theirs = scipy_stats.bootstrap(
        (100.0 * first, 100.0 * second),
        lambda x, y, axis: (y - x).mean(axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.4)
    error = 1.96 * np.std(100.0 * second - 100.0 * first) / math.sqrt(len(first))
    normal = (found.difference - error, found.difference + error)
    assert (found.low, found.high) == pytest.approx(normal, abs=0.6)


def entities(seed: int, size: int = 300) -> Array:
    """(right, predicted, gold) of one seed's sentences; the gold ones are the same for all."""
    gold = np.random.default_rng(99).integers(0, 4, size)
    random = np.random.default_rng(seed)
    found = random.binomial(gold, 0.7)
    return np.stack([found, found + random.binomial(2, 0.2, size), gold], -1).astype(float)[None]


def corpus_f1(rows: list[Any]) -> float:
    hits, predicted, gold = np.sum([row["counts"] for row in rows], axis=0)
    return 200 * hits / (predicted + gold)


def test_a_corpus_metric_is_scored_from_the_sums_of_each_resample() -> None:
    """F1 is no mean over sentences: sums and scoring anew must agree, in all three numbers."""
    first, second = entities(1), entities(2)
    summed = compare(Summed(first, second, f1))
    rows = [[{"counts": counts} for counts in side[0]] for side in (first, second)]
    anew = compare(Rescored(rows[:1], rows[1:], corpus_f1, resamples=1500))
    assert summed.difference == pytest.approx(anew.difference)
    assert (summed.low, summed.high) == pytest.approx((anew.low, anew.high), abs=0.5)
    assert summed.p == pytest.approx(anew.p, abs=2 * spread(summed.p, 1500))


def test_drawing_kinds_at_once_is_drawing_single_examples() -> None:
    """The same examples, once with few kinds, once told apart by a number that does not count."""
    first, second = right(drawn(1, 0.6)), right(drawn(2, 0.66))
    tag = np.arange(first.shape[1], dtype=float)[None, :, None]
    few = Summed(first, second, mean)
    many = Summed(np.concatenate([first, tag], -1), np.concatenate([second, tag], -1), mean)
    assert (few.few, many.few) == (True, False)
    one, other = compare(few), compare(many)
    assert one.difference == pytest.approx(other.difference)
    assert (one.low, one.high, 100 * one.p) == pytest.approx(
        (other.low, other.high, 100 * other.p), abs=0.8
    )


def test_equal_systems_do_not_differ() -> None:
    same = right(drawn(1, 0.6))
    found = compare(Summed(same, same, mean))
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_seeds_are_paired_and_averaged() -> None:
    first = right(drawn(1, 0.6), drawn(2, 0.6), drawn(3, 0.6))
    second = right(drawn(4, 0.7), drawn(5, 0.7), drawn(6, 0.7))
    found = compare(Summed(first, second, mean))
    each = 100 * (second[..., 0].mean(1) - first[..., 0].mean(1))
    assert found.difference == pytest.approx(each.mean())
    assert found.seed_sd == pytest.approx(each.std(ddof=1))
    assert found.seeds == 3


def test_a_repeated_seed_is_no_new_evidence() -> None:
    """An example is drawn with all its seeds, so five copies of a seed say what one says."""
    first, second = right(drawn(1, 0.6)), right(drawn(2, 0.68))
    once = compare(Summed(first, second, mean))
    often = compare(Summed(first.repeat(5, axis=0), second.repeat(5, axis=0), mean))
    assert (often.low, often.high, often.p) == pytest.approx((once.low, once.high, once.p))
    assert (once.seed_sd, often.seed_sd) == (None, 0)


def test_chance_alone_is_called_chance() -> None:
    """Where nothing differs, p is below 0.05 in about one of twenty, and the interval holds 0 in
    about nineteen."""
    random = np.random.default_rng(7)

    def trial() -> Comparison:
        hard = random.random(150)
        first, second = (right(hard + random.normal(0, 0.3, 150) < 0.6) for _ in range(2))
        return compare(Summed(first, second, mean, resamples=199))

    found = [trial() for _ in range(300)]
    assert 0.02 < np.mean([each.p <= 0.05 for each in found]) < 0.09
    assert 0.90 < np.mean([each.low <= 0 <= each.high for each in found]) < 0.99


def test_the_same_predictions_give_the_same_numbers() -> None:
    first, second = entities(1), entities(2)
    assert compare(Summed(first, second, f1)) == compare(Summed(first, second, f1))


def test_unlike_examples_are_refused() -> None:
    with pytest.raises(ValueError, match="unlike shapes"):
        Summed(right(drawn(1, 0.5)), right(drawn(1, 0.5, 10)), mean)


def test_a_metric_without_anything_to_find_is_0() -> None:
    assert f1(np.zeros((4, 3))).tolist() == [0, 0, 0, 0]


def test_holm_by_hand_and_by_definition() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    ps = [0.2, 0.001, 0.04, 0.013, 0.9]
    for level in (0.01, 0.05, 0.1, 0.5):
        rejected, left = set[int](), sorted(range(5), key=ps.__getitem__)
        for rank, i in enumerate(left):  # step down until the first that is not small enough
            if ps[i] > level / (5 - rank):
                break
            rejected.add(i)
        assert {i for i, p in enumerate(holm(ps)) if p <= level} == rejected


def test_from_uniform_is_the_normalised_divergence() -> None:
    assert from_uniform([1 / 3] * 3) == pytest.approx(0)
    assert from_uniform([0, 1, 0]) == pytest.approx(1)
    assert from_uniform([1.0]) == 0
    shares = [0.5, 0.3, 0.2]
    theirs = scipy_stats.entropy(shares, [1 / 3] * 3) / math.log(3)
    assert from_uniform(shares) == pytest.approx(theirs)
    assert all(
        from_uniform(list(p)) == pytest.approx(theirs) for p in itertools.permutations(shares)
    )
