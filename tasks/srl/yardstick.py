"""Semantic roles by counting: no weights, each tag from the tag and the word before one's eyes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable

from tasks.task import Example

FAR = 6  # distances from here on are one

Counts = defaultdict[Hashable, Counter[str]]


class Yardstick:
    """The rule that takes, from left to right, the tag commonest in training in the same
    circumstances.

    These are the tag before, the word, and its distance from the predicate; where training never
    saw them together, only the side instead of the distance; then no word at all.
    """

    def __init__(self, train: Iterable[Example]) -> None:
        seen: Counts = defaultdict(Counter)
        for example in train:
            before = "O"
            for i, tag in enumerate(example["tags"]):
                for key in _circumstances(example, i, before):
                    seen[key][tag] += 1
                before = tag
        self.commonest = {key: counts.most_common(1)[0][0] for key, counts in seen.items()}

    def __call__(self, example: Example) -> list[str]:
        """Choose one BIO tag for each word."""
        tags: list[str] = []
        for i in range(len(example["words"])):
            keys = _circumstances(example, i, tags[-1] if tags else "O")
            tags.append(next((self.commonest[key] for key in keys if key in self.commonest), "O"))
        return tags


def _circumstances(example: Example, i: int, before: str) -> tuple[Hashable, ...]:
    """List the circumstances, the most telling first."""
    word = example["words"][i].lower()
    distance = max(-FAR, min(FAR, i - example["predicate"]))
    side = "left" if distance < 0 else "right" if distance > 0 else "here"
    return (before, word, distance), (before, word, side), (before, distance)
