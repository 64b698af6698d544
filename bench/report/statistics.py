"""Is the difference between two systems more than chance? Pure numpy.

Two systems have predicted the same examples, once for each of the same seeds. The statistic is the
mean over the seeds of the difference of the official metric, computed over the whole split. The
examples are what is drawn: a resample takes an example with all its seeds and with both systems,
since a hard example is hard for all of them. So interval and p-value speak of other examples for
these trained models; what another training would change is `seed_sd`, and neither contains the
other.

- The interval is the paired bootstrap's (Efron & Tibshirani 1993, chapter 13, percentiles; Koehn
  2004): examples drawn with replacement.
- The p-value is two-sided approximate randomisation's (Noreen 1989; Yeh 2000): under the null
  hypothesis the systems are exchangeable, so that each example's two predictions may be swapped.
- Several p-values of one table are corrected by Holm's (1979) step-down procedure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEVEL = 0.95
RESAMPLES = 9_999
SLOW_RESAMPLES = 199  # where every resample is scored anew
_CELLS = 200_000  # numbers held at once: what a processor's cache holds


@dataclass(frozen=True)
class Comparison:
    """The second system against the first, in points of the metric."""

    difference: float
    low: float  # of the LEVEL interval
    high: float
    p: float
    seeds: int
    seed_sd: float | None  # sample standard deviation of the seeds' differences; None for one seed
    examples: int
    resamples: int


class Pair(Protocol):
    """Two systems on the same examples; each method gives differences, second minus first."""

    examples: int
    resamples: int

    def observed(self) -> Array:
        """(seeds,)"""

    def bootstrapped(self, random: np.random.Generator) -> Array:
        """(resamples,) means over the seeds, each over examples drawn with replacement."""

    def swapped(self, random: np.random.Generator) -> Array:
        """(resamples,) means over the seeds, with the systems swapped in half of the examples."""


def compare(pair: Pair) -> Comparison:
    """Interval and p-value; the same for the same predictions, whenever it is called."""
    observed = pair.observed()
    difference = float(observed.mean())
    tail = 50 * (1 - LEVEL)
    drawn = pair.bootstrapped(np.random.default_rng(1))
    low, high = np.percentile(drawn, [tail, 100 - tail])
    null = pair.swapped(np.random.default_rng(2))
    extreme = int((np.abs(null) >= abs(difference) - 1e-9).sum())
    return Comparison(
        difference=difference,
        low=float(low),
        high=float(high),
        p=(1 + extreme) / (1 + len(null)),  # the observed assignment is one of the possible ones
        seeds=len(observed),
        seed_sd=float(observed.std(ddof=1)) if len(observed) > 1 else None,
        examples=pair.examples,
        resamples=pair.resamples,
    )


class Summed:
    """A metric that is a function of sums over examples.

    `first` and `second` are (seeds, examples, numbers); `metric` maps (…, numbers) to (…).

    Where few kinds of examples differ in these numbers (for accuracy, four a seed), a kind is drawn
    at once: how often it comes is multinomial, how many of it are swapped is binomial, and both are
    exact. Otherwise every example is a kind of its own.
    """

    def __init__(
        self,
        first: Array,
        second: Array,
        metric: Callable[[Array], Array],
        resamples: int = RESAMPLES,
    ) -> None:
        if first.shape != second.shape:
            raise ValueError(f"unlike shapes: {first.shape} and {second.shape}")
        rows = np.stack([first, second]).transpose(2, 0, 1, 3).astype(np.float64)
        self.metric, self.resamples = metric, resamples
        self.examples, self.shape = len(rows), rows.shape[1:]
        rows = rows.reshape(self.examples, -1)  # (examples, 2 · seeds · numbers)
        self.kinds, self.times = np.unique(rows, axis=0, return_counts=True)
        self.few = 20 * len(self.kinds) < self.examples
        if not self.few:
            self.kinds, self.times = rows, np.ones(self.examples, dtype=np.int64)

    def observed(self) -> Array:
        observed: Array = self._differences((self.times @ self.kinds)[None])[0]
        return observed

    def bootstrapped(self, random: np.random.Generator) -> Array:
        def draw(size: int) -> Array:
            if self.few:
                shares = self.times / self.examples
                return random.multinomial(self.examples, shares, size).astype(np.float64)
            chosen = random.integers(self.examples, size=(size, self.examples))
            times = [np.bincount(row, minlength=self.examples) for row in chosen]
            return np.array(times, dtype=np.float64)

        return self._means(draw(size) @ self.kinds for size in self._portions())

    def swapped(self, random: np.random.Generator) -> Array:
        def draw(size: int) -> Array:
            shape = (size, len(self.times))
            if self.few:
                return random.binomial(self.times, 0.5, shape).astype(np.float64)
            return random.integers(2, size=shape, dtype=np.int8).astype(np.float64)

        systems = self.kinds.reshape(-1, *self.shape)
        change = systems[:, ::-1].reshape(self.kinds.shape) - self.kinds
        total = self.times @ self.kinds
        return self._means(total + draw(size) @ change for size in self._portions())

    def _means(self, sums: Iterable[Array]) -> Array:
        return np.concatenate([self._differences(each).mean(axis=1) for each in sums])

    def _differences(self, sums: Array) -> Array:
        """(draws, 2 · seeds · numbers) → (draws, seeds)."""
        scores = self.metric(sums.reshape(len(sums), *self.shape))
        return scores[:, 1] - scores[:, 0]

    def _portions(self) -> Iterator[int]:
        """Numbers of draws, so that never more than _CELLS counts are held."""
        most = max(1, _CELLS // len(self.times))
        for start in range(0, self.resamples, most):
            yield min(most, self.resamples - start)


class Rescored:
    """Any metric: every resample is scored anew. Slow, hence fewer resamples.

    `first` and `second` hold each seed's predictions, in the same order of examples.
    """

    def __init__(
        self,
        first: Sequence[Sequence[Mapping[str, Any]]],
        second: Sequence[Sequence[Mapping[str, Any]]],
        score: Callable[[list[Mapping[str, Any]]], float],
        resamples: int = SLOW_RESAMPLES,
    ) -> None:
        self.pairs = list(zip(first, second, strict=True))
        self.score, self.resamples, self.examples = score, resamples, len(first[0])

    def observed(self) -> Array:
        return np.array([self.score(list(b)) - self.score(list(a)) for a, b in self.pairs])

    def bootstrapped(self, random: np.random.Generator) -> Array:
        draws = random.integers(self.examples, size=(self.resamples, self.examples))
        return self._means(
            [([a[i] for i in draw], [b[i] for i in draw]) for a, b in self.pairs] for draw in draws
        )

    def swapped(self, random: np.random.Generator) -> Array:
        draws = random.random((self.resamples, self.examples)) < 0.5
        return self._means([_exchange(a, b, draw) for a, b in self.pairs] for draw in draws)

    def _means(self, draws: Iterable[list[tuple[list[Any], list[Any]]]]) -> Array:
        return np.array(
            [np.mean([self.score(b) - self.score(a) for a, b in pairs]) for pairs in draws]
        )


def _exchange(
    first: Sequence[Any], second: Sequence[Any], swap: NDArray[np.bool_]
) -> tuple[list[Any], list[Any]]:
    """Both lists, with the two items of a position swapped where `swap` says so."""
    pairs = [(b, a) if s else (a, b) for a, b, s in zip(first, second, swap, strict=True)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p-values of one family, in the order given (Holm 1979)."""
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = highest
    return adjusted


def from_uniform(shares: Sequence[float]) -> float:
    """How far weights that sum to 1 are from uniform: KL(s ‖ uniform) / log L.

    0 where all L layers count alike, 1 where one layer counts alone; 0 for a single layer.
    """
    if len(shares) < 2:
        return 0.0
    entropy = -sum(share * np.log(share) for share in shares if share > 0)
    return float(max(0.0, 1 - entropy / np.log(len(shares))))
