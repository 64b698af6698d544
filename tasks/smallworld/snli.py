"""Sentence pairs in the official SNLI format."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from tasks.smallworld.balance import balanced
from tasks.smallworld.lexicon import Lexicon
from tasks.smallworld.logic import LABELS
from tasks.smallworld.pairs import Pair, candidates
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story

SIZES = {"train": 2000, "dev": 1000, "test": 1000}
UNDECIDED = 0.01  # pairs on which the annotators found no majority, on top of the sizes
# How the five annotators voted: for the gold label, for one other, for the third; and how often.
VOTES = {(5, 0, 0): 58, (4, 1, 0): 26, (3, 2, 0): 10, (3, 1, 1): 6}


def write(folder: Path, parts: Parts) -> None:
    """Write `snli_1.0_{split}.jsonl` for every split; no pair occurs twice, in whatever split."""
    told: set[tuple[str, str]] = set()
    for split, size in SIZES.items():
        rng = random.Random(f"snli {split} {parts.seed}")
        pools = _pools(*parts[split], told, rng)
        chosen = balanced(pools, size + round(size * UNDECIDED), _features, rng)
        marked = [(pair, place >= size) for place, pair in enumerate(chosen)]
        rng.shuffle(marked)
        with open(folder / f"snli_1.0_{split}.jsonl", "w", encoding="utf-8", newline="\n") as file:
            for record in _records(marked, rng):
                file.write(json.dumps(record, sort_keys=True) + "\n")


def _pools(
    stories: Sequence[Story], lexicon: Lexicon, told: set[tuple[str, str]], rng: random.Random
) -> dict[str, list[Pair]]:
    """Collect all candidates by label; those told before are left out."""
    pools: dict[str, list[Pair]] = {label: [] for label in LABELS}
    for story in stories:
        for number, event in enumerate(story.claims):
            caption = f"{story.document.id}#{number}"
            for pair in candidates(caption, event, lexicon, rng):
                key = (pair.premise.text, pair.hypothesis.text)
                if key not in told:
                    told.add(key)
                    pools[pair.label].append(pair)
    return pools


def _features(pair: Pair) -> Iterator[Hashable]:
    """List what must not tell the label: the hypothesis's words, word pairs and length, and the
    edit."""
    words = pair.hypothesis.tokens
    yield from words
    yield from pairwise(words)
    yield len(words)
    yield "edit", pair.phenomenon


def _records(pairs: Sequence[tuple[Pair, bool]], rng: random.Random) -> Iterator[dict[str, object]]:
    """Make rows with the official fields; `phenomenon` is ours."""
    asked: Counter[str] = Counter()
    for pair, undecided in pairs:
        serial = f"{pair.caption}r{asked[pair.caption] + 1}{pair.label[0]}"
        asked[pair.caption] += 1
        yield {
            "annotator_labels": _votes(pair.label, undecided, rng),
            "captionID": pair.caption,
            "gold_label": "-" if undecided else pair.label,
            "pairID": serial,
            "phenomenon": pair.phenomenon,
            "sentence1": pair.premise.text,
            "sentence2": pair.hypothesis.text,
        }


def _votes(label: str, undecided: bool, rng: random.Random) -> list[str]:
    """Draw five annotators' labels; the author's, which is the intended one, comes first."""
    others = [other for other in LABELS if other != label]
    rng.shuffle(others)
    shares = (2, 2, 1) if undecided else rng.choices(list(VOTES), list(VOTES.values()))[0]
    votes = [v for v, n in zip((label, *others), shares, strict=True) for _ in range(n)]
    rest = votes[1:]
    rng.shuffle(rest)
    return [label, *rest]
