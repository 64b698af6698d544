"""Made-up predictions of two systems whose true scores are known.

A gold item is found where a normal number exceeds 0: the sum of the system's level, its seed's
effect, how hard the item and its cluster are (for both systems, all seeds), what this system, and
what this seed of it, make of the cluster and of the item. So the truth is a normal integral.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from bench.report.statistics import Array
from tasks.scoring.additive_metrics import f1, mean

SPURIOUS = 0.6  # F1: the share of missed items where something wrong is predicted instead

# Variances of what an item's number is made of, but for the seed; they sum to 1.
ITEM, CLUSTER, SYSTEM, SEED_AND_CLUSTER, SEED_AND_ITEM = 0.40, 0.15, 0.10, 0.05, 0.30

NODES, WEIGHTS = hermegauss(60)  # of the integral over a normal seed's effect
WEIGHTS = WEIGHTS / WEIGHTS.sum()


@dataclass(frozen=True)
class World:
    """How the predictions come about."""

    metric: str  # accuracy | F1
    clusters: int
    size: float  # mean number of examples of a cluster; 1 for examples that are independent
    seeds: int
    seed_sd: float  # of accuracy, in points
    accuracy: float = 0.7  # of the first system
    gain: float = 0.0  # of the second system's accuracy
    sizes: tuple[int, ...] = ()  # of the clusters; () for sizes that are drawn

    @property
    def score(self) -> Any:
        return f1 if self.metric == "F1" else mean

    @property
    def spread(self) -> float:
        """Standard deviation of the seeds' effects, for `seed_sd` points at the first system."""
        level = ndtri(self.accuracy)
        return self.seed_sd / (100 * np.exp(-(level**2) / 2) / np.sqrt(2 * np.pi))

    def truth(self, accuracy: float, effects: Array | None = None) -> float:
        """Give the score over all examples, on average over these seeds or by default over all."""
        if effects is None:
            effects, weights = NODES * self.spread, WEIGHTS
        else:
            weights = np.full(len(effects), 1 / len(effects))
        found = ndtr(ndtri(accuracy) + effects)
        wrong = SPURIOUS * (1 - found)
        each = 200 * found / (found + wrong + 1) if self.metric == "F1" else 100 * found
        return float(weights @ each)


@dataclass(frozen=True)
class Draw:
    """Predictions of the first system, and of the second without and with its gain."""

    first: Array  # counts (seeds, examples, numbers)
    equal: Array
    better: Array
    clusters: NDArray[np.int64]  # of every example
    truth_first: float
    truth_gain: float


def draw(world: World, random: np.random.Generator) -> Draw:
    """Draw examples, and seeds of both systems. With one seed the truth is that of this seed."""
    sizes = np.ones(world.clusters, dtype=int)
    if world.sizes:
        sizes = np.array(world.sizes)
    elif world.size > 1:  # unequal, as documents are
        sizes = 1 + random.poisson((world.size - 1) * random.gamma(4, 1 / 4, world.clusters))
    cluster = np.repeat(np.arange(world.clusters, dtype=np.int64), sizes)

    def normal(variance: float, *shape: int) -> NDArray[np.float32]:
        return np.float32(np.sqrt(variance)) * random.standard_normal(shape, dtype=np.float32)

    seeds, size = world.seeds, len(cluster)
    effects = world.spread * random.standard_normal((2, seeds))
    if seeds == 1:
        effects[1] = effects[0]  # the truth of these models; without a gain they are equally good
    latent = normal(ITEM, size) + normal(CLUSTER, world.clusters)[cluster]
    latent = latent + normal(SYSTEM, 2, 1, world.clusters)[..., cluster]
    latent = latent + normal(SEED_AND_CLUSTER, 2, seeds, world.clusters)[..., cluster]
    latent += normal(SEED_AND_ITEM, 2, seeds, size) + effects[..., None]
    spurious = random.random((2, seeds, size)) < SPURIOUS

    def counts(side: int, accuracy: float) -> Array:
        found = latent[side] + ndtri(accuracy) > 0
        ones = np.ones(found.shape)
        if world.metric == "F1":
            return np.stack([found, found | spurious[side], ones], axis=-1).astype(float)
        return np.stack([found, ones], axis=-1)

    better = world.accuracy + world.gain / 100
    of_seed = effects[0] if seeds == 1 else None
    first = world.truth(world.accuracy, of_seed)
    return Draw(
        first=counts(0, world.accuracy),
        equal=counts(1, world.accuracy),
        better=counts(1, better),
        clusters=cluster,
        truth_first=first,
        truth_gain=world.truth(better, of_seed) - first,
    )
