"""Noise of one kind and strength, the same for the same sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from bench.errors import ConfigError
from bench.noise.spelling import KINDS
from elmo_core.errors import did_you_mean


@dataclass(frozen=True)
class Noise:
    """Respells words of a sentence, each by chance; a word becomes one word.

    What is drawn depends on the seed, the kind and the words of the sentence, and on nothing else:
    a sentence that occurs in several examples is the same in all. The words that a small share
    changes are changed by a larger one, too, and in the same way.

    Args:
        kind: One of `bench.noise.spelling.KINDS`.
        share: The chance of each word to be changed, 0 to 1. Words to which the kind does not apply
            stay as they are, so that fewer are changed.
        seed: Another one draws other words and other changes.

    Raises:
        ConfigError: There is no such kind, or `share` is no chance.

    Example:
        >>> Noise("typos", 0.5)(["The", "bank", "closed", "early", "."])
        ['The', 'bank', 'cclosed', 'eqrly', '.']
    """

    kind: str
    share: float
    seed: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            hint = did_you_mean(self.kind, list(KINDS))
            raise ConfigError(f"noise {self.kind}: unknown{hint} (choose {', '.join(KINDS)})")
        if not 0 <= self.share <= 1:
            raise ConfigError(f"noise {self.kind}={self.share}: must be from 0 to 1")

    def __call__(self, words: Sequence[str]) -> list[str]:
        """Return the sentence with some of its words changed."""
        change = KINDS[self.kind]
        drawn = Random("\0".join((str(self.seed), self.kind, *words)))
        changed = []
        for word in words:
            chosen, own = drawn.random() < self.share, Random(drawn.random())
            changed.append(change(word, own) if chosen else word)
        return changed

    def __str__(self) -> str:
        """Return `typos 20 %`."""
        return f"{self.kind} {100 * self.share:g} %"
