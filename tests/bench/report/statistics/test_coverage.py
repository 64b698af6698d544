"""Do 95 % intervals cover in 95 of 100? On made-up predictions whose true scores are known.

What docs/statistics.md shows, the table (a quarter of an hour on an idle core) and the integral:

    python -m pytest -m slow tests/bench/report/statistics/test_coverage.py -s
    python -m pytest tests/bench/report/statistics/test_coverage.py -s -k whatever
    python -m pytest -m slow tests/bench/report/statistics/test_coverage.py -s -k unlike
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.special import chdtri, ndtr

from bench.report.statistics import (
    Array,
    Estimate,
    compare,
    estimate,
    from_counts,
    from_paired_counts,
)
from bench.report.statistics.intervals import Part, half_width, pooled, separate
from tasks.scoring.additive_metrics import mean
from tests.bench.report.statistics.simulation import Draw, World, draw

TRIALS = 400
LAYOUTS = ((10, 20), (20, 20), (100, 10), (1000, 1))  # clusters, examples in each
SEED_SDS = (0.0, 0.5, 2.0, 8.0)  # points of accuracy
GAIN = 2.0
ARTICLES = (  # questions on each of the 24 articles of a half of SQuAD's dev set
    *(96, 98, 104, 106, 106, 112, 136, 153, 172, 180, 187, 189),
    *(191, 215, 217, 228, 243, 245, 247, 295, 297, 319, 511, 810),
)
CROSSED_DRAWS = 200


@dataclass(frozen=True)
class Coverage:
    """How often in 100 trials."""

    score: float  # the interval of a system's own score covers the truth
    gain: float  # that of a paired difference does, where there is one
    false: float  # p < 0.05 without a difference
    crossed: float | None  # the plain crossed bootstrap's interval covers the difference


def covers(found: Estimate, truth: float) -> bool:
    return found.low <= truth <= found.high


def crossed_bootstrap(drawn: Draw, score: Any, seed: int) -> Array:
    """Draw seeds and clusters with replacement (Owen 2007) → (draws,) differences."""
    random, seeds = np.random.default_rng(seed), len(drawn.first)
    starts = np.flatnonzero(np.diff(drawn.clusters, prepend=-1))
    both = np.stack([drawn.first, drawn.better]).transpose(2, 0, 1, 3)
    sums = np.add.reduceat(both, starts)
    times = random.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), CROSSED_DRAWS)
    scores = score(np.tensordot(times.astype(float), sums, axes=1))
    chosen = random.integers(seeds, size=(CROSSED_DRAWS, seeds))
    differences: Array = np.take_along_axis(scores[:, 1] - scores[:, 0], chosen, axis=1).mean(1)
    return differences


def coverage(world: World, trials: int, crossed: bool = False) -> Coverage:
    random, hits = np.random.default_rng(7), []
    for trial in range(trials):
        drawn = draw(world, random)
        clusters = drawn.clusters.tolist()
        own = estimate(from_counts(drawn.first, world.score, clusters))
        better = compare(from_paired_counts(drawn.first, drawn.better, world.score, clusters))
        equal = compare(from_paired_counts(drawn.first, drawn.equal, world.score, clusters))
        hit = [covers(own, drawn.truth_first), covers(better, drawn.truth_gain), equal.p < 0.05]
        if crossed:
            found = crossed_bootstrap(drawn, world.score, trial)
            low, high = np.percentile(found, [2.5, 97.5])
            hit.append(bool(low <= drawn.truth_gain <= high))
        hits.append(hit)
    score, gain, false, *rest = (float(share) for share in 100 * np.mean(hits, axis=0))
    return Coverage(score, gain, false, rest[0] if rest else None)


def worlds() -> list[World]:
    """All layouts with accuracy, and F1 where its own shape matters: with few clusters."""
    found = [
        World("accuracy", clusters, size, seeds, sd, gain=GAIN)
        for clusters, size in LAYOUTS
        for sd in SEED_SDS
        for seeds in (1, 2, 3, 5, 10)
        if seeds > 1 or sd == 2
    ]
    return found + [
        World("F1", clusters, size, seeds, 2.0, gain=GAIN)
        for clusters, size in LAYOUTS[:3]
        for seeds in (1, 2, 3, 5, 10)
    ]


HEAD = """| metric | clusters × size | seed sd | seeds | score | difference | p < 0.05 | crossed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def line(world: World, found: Coverage) -> str:
    sizes = f"{min(world.sizes)} to {max(world.sizes)}" if world.sizes else f"{world.size:g}"
    layout = f"{world.clusters:,} × {sizes}"
    shares = " | ".join(
        "" if share is None else f"{share:.1f}"
        for share in (found.score, found.gain, found.false, found.crossed)
    )
    return f"| {world.metric} | {layout} | {world.seed_sd:g} | {world.seeds} | {shares} |"


def means(lines: Sequence[Coverage]) -> tuple[float, float, float]:
    """Return the means over lines of score, difference and p < 0.05."""
    score, gain, false = np.mean([(each.score, each.gain, each.false) for each in lines], axis=0)
    return float(score), float(gain), float(false)


@pytest.mark.parametrize(
    "world",
    [
        World("accuracy", clusters=20, size=5, seeds=1, seed_sd=3.0, gain=GAIN),
        World("accuracy", clusters=20, size=5, seeds=3, seed_sd=3.0, gain=GAIN),
        World("F1", clusters=15, size=5, seeds=3, seed_sd=0.0, gain=GAIN),
        World("F1", clusters=40, size=5, seeds=5, seed_sd=3.0, gain=GAIN),
    ],
)
def test_intervals_cover_and_chance_is_called_chance(world: World) -> None:
    """Within three standard errors of the aim, for 300 trials."""
    found = coverage(world, trials=300)
    assert 91 < found.score < 99
    assert 91 < found.gain < 99
    assert 1 < found.false < 9


def covered(width: Callable[[Sequence[Part], float], float], seeds: int) -> list[float]:
    """Integrate how often an interval covers, in 100, over normal seeds and many clusters.

    Each number is of other shares of variance; the part that the seeds share has 1 − both.
    """
    spread = chdtri(seeds - 1, (np.arange(400) + 0.5) / 400) / (seeds - 1)
    found = []
    for both, of_seeds in itertools.product((0.02, 0.1, 0.3, 0.5, 1), (0, 0.25, 0.5, 1, 2, 8, 100)):
        shared = Part(1 - both, 1e9)
        parts = [(Part((both + of_seeds) * each, seeds - 1), shared) for each in spread]
        margins = np.array([width(each, 0.05) for each in parts])
        found.append(float(100 * np.mean(2 * ndtr(margins / np.sqrt(1 + of_seeds)) - 1)))
    return found


@pytest.mark.parametrize(
    ("seeds", "least", "most"),
    [(2, 93.0, 98.4), (3, 94.0, 96.8), (5, 94.5, 96.0), (10, 94.8, 95.6)],
)
def test_whatever_the_shares_of_variance_are(seeds: int, least: float, most: float) -> None:
    """The mean of the two half-widths is nearer the aim at its worst than either is at its own."""
    both, narrow, wide = (covered(width, seeds) for width in (half_width, pooled, separate))
    for name, found in (("half_width", both), ("pooled", narrow), ("separate", wide)):
        print(f"{seeds} seeds, {name}: {min(found):.1f} to {max(found):.1f} %")
    assert least < min(both) < 95.1
    assert 94.9 < max(both) < most
    assert min(narrow) < min(both)
    assert max(both) < max(wide)


@pytest.mark.parametrize(("examples", "seeds"), [(100, 2), (500, 2), (100, 3)])
def test_seeds_that_tie_by_luck_prove_nothing(examples: int, seeds: int) -> None:
    """Two systems that are one but for 2 of 100 answers, which each run of each flips as it likes.

    So few flips give seeds the same score in every tenth trial or so.
    """
    random, found = np.random.default_rng(1), []
    for _ in range(200):
        flips = random.random((2, seeds, examples)) < 0.02
        right = (random.random(examples) < 0.7) ^ flips
        first, second = np.stack([right, np.ones_like(right)], axis=-1).astype(float)
        found.append(compare(from_paired_counts(first, second, mean)))
    assert not any(each.half_width < 0.1 for each in found)
    assert np.mean([each.p < 0.05 for each in found]) < 0.05
    assert np.mean([each.p < 0.01 for each in found]) < 0.02


def test_the_crossed_bootstrap_is_too_narrow_for_few_seeds() -> None:
    """What the statistics here are for."""
    world = World("accuracy", clusters=60, size=5, seeds=2, seed_sd=10.0)
    found = coverage(world, trials=150, crossed=True)
    assert found.crossed is not None
    assert found.crossed < 80
    assert found.gain > 86


@pytest.mark.slow
def test_few_texts_of_very_unlike_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print("\n" + HEAD)
        for seed_sd, seeds in itertools.product((0.5, 2.0), (1, 3, 5)):
            layout = (len(ARTICLES), float(np.mean(ARTICLES)))
            world = World("accuracy", *layout, seeds, seed_sd, gain=GAIN, sizes=ARTICLES)
            found = coverage(world, TRIALS)
            print(line(world, found), flush=True)
            assert min(found.score, found.gain) > 90
            assert found.false < 8


@pytest.mark.slow
def test_the_coverage_table(capsys: pytest.CaptureFixture[str]) -> None:
    """A line may be off by chance (400 trials: ± 2), a mean over the lines may not."""
    of_seeds: dict[int, list[Coverage]] = {}
    with capsys.disabled():
        print("\n" + HEAD)
        for world in worlds():
            found = coverage(world, TRIALS, crossed=world.seed_sd > 1)
            of_seeds.setdefault(world.seeds, []).append(found)
            print(line(world, found), flush=True)
        print("\n| seeds | score | difference | p < 0.05 |\n| ---: | ---: | ---: | ---: |")
        for seeds, lines in sorted(of_seeds.items()):
            print(f"| {seeds} | {' | '.join(f'{share:.1f}' for share in means(lines))} |")
    for lines in of_seeds.values():
        score, gain, false = means(lines)
        assert min(min(each.score, each.gain) for each in lines) > 90
        assert 93 < score < 97.5
        assert 93 < gain < 97.5
        assert false < 6
