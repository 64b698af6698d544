"""One row over all tasks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from bench.report.statistics import (
    Comparison,
    PseudoValues,
    compare,
    mean_gain,
    probability_of_improvement,
)


def made_up(number: int) -> Comparison:
    random = np.random.default_rng(number)
    values = 1.0 + random.standard_normal((3, 1)) + 5 * random.standard_normal(80)
    values = values + 5 * random.standard_normal((3, 80))
    return compare(PseudoValues(values.mean(axis=1), values, 80))


def test_one_task_is_its_own_mean() -> None:
    task = made_up(0)
    found = mean_gain([task])
    assert (found.value, found.low, found.high, found.p) == pytest.approx(
        (task.value, task.low, task.high, task.p)
    )


def test_seeds_alone_are_welchs_interval() -> None:
    """Two tasks without chance of examples: half their sum is half Welch's two-sample problem."""
    one, other = np.array([1.0, 2.0, 4.0]), np.array([5.0, 5.5, 7.0, 3.0])
    tasks = [compare(PseudoValues(x, np.tile(x[:, None], (1, 9)), 9)) for x in (one, other)]
    found = mean_gain(tasks)
    welch = scipy_stats.ttest_ind(one, -other, equal_var=False).confidence_interval()
    assert (found.low, found.high) == pytest.approx((welch.low / 2, welch.high / 2))
    assert found.seeds == 3


def test_more_tasks_make_it_narrower_and_cover() -> None:
    single = np.mean([t.high - t.low for t in map(made_up, range(40))])
    trials = [mean_gain([made_up(8 * n + k) for k in range(8)]) for n in range(120)]
    assert np.mean([t.high - t.low for t in trials]) < single / 3
    covered = np.mean([t.low <= 1.0 <= t.high for t in trials])
    assert covered > 0.89


def test_no_task_is_refused() -> None:
    with pytest.raises(ValueError, match="one task at least"):
        mean_gain([])


def test_probability_of_improvement_counts_pairs_of_runs() -> None:
    tasks = [
        (np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0])),
        (np.array([5.0, 6.0]), np.array([5.0, 5.0, 7.0])),
    ]
    each = [
        np.mean([(b > a) + (b == a) / 2 for a, b in itertools.product(first, second)])
        for first, second in tasks
    ]
    found = probability_of_improvement(tasks)
    assert found.value == pytest.approx(np.mean(each))
    assert found.low < found.value < found.high


def test_its_interval_is_the_stratified_bootstraps() -> None:
    random = np.random.default_rng(0)
    first, second = random.normal(0, 1, 30), random.normal(0.5, 1, 30)
    theirs = scipy_stats.bootstrap(
        (first, second),
        lambda x, y: np.mean(y[:, None] > x[None, :]),
        vectorized=False,
        method="percentile",
        n_resamples=2_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = probability_of_improvement([(first, second)])
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_a_sure_win_is_sure() -> None:
    found = probability_of_improvement([(np.array([1.0, 2.0]), np.array([3.0, 4.0]))])
    assert (found.value, found.low, found.high) == (1, 1, 1)


def test_its_interval_leaves_out_as_much_on_either_side() -> None:
    """Of 16 coins at most 3 show heads in 1.1 %, at most 4 in 3.8 % of all throws."""
    found = probability_of_improvement([(np.array([0.5]), np.array([0.0, 1.0] * 8))])
    assert (found.low, found.high) == (4 / 16, 12 / 16)
