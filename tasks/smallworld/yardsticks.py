"""Scores on the pairs without understanding: the figures that a model must pass."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

Pair = dict[str, str]


def read(folder: Path, split: str) -> list[Pair]:
    """Read the labelled pairs of a split."""
    with open(folder / "snli" / f"snli_1.0_{split}.jsonl", encoding="utf-8") as file:
        return [pair for pair in map(json.loads, file) if pair["gold_label"] != "-"]


def yardsticks(folder: Path, split: str = "dev") -> dict[str, float]:
    """Score classifiers fitted to the training pairs: accuracies on the split, in percent."""
    train, test = read(folder, "train"), read(folder, split)
    gold = Counter(pair["gold_label"] for pair in test)
    hypothesis_only = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), _classifier())
    bags = make_pipeline(DictVectorizer(), _classifier())
    return {
        "majority": 100 * max(gold.values()) / len(test),
        "hypothesis only": _accuracy(hypothesis_only, lambda p: p["sentence2"], train, test),
        "bags of words": _accuracy(bags, _bags, train, test),
        "bags, compared": _accuracy(bags, _compared, train, test),
    }


def unseen(train: list[Pair], pairs: list[Pair]) -> tuple[float, float]:
    """Return how many pairs, in percent, have a word that training lacks: at all; on one side."""
    known = set[str]().union(*(side for pair in train for side in _words(pair)))
    new = [[side - known for side in _words(pair)] for pair in pairs]
    somewhere = sum(bool(premise | hypothesis) for premise, hypothesis in new)
    on_one_side = sum(premise != hypothesis for premise, hypothesis in new)
    return 100 * somewhere / len(pairs), 100 * on_one_side / len(pairs)


def _classifier() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)


def _accuracy(
    model: Pipeline, features: Callable[[Pair], object], train: list[Pair], test: list[Pair]
) -> float:
    model.fit([features(p) for p in train], [p["gold_label"] for p in train])
    return 100 * float(model.score([features(p) for p in test], [p["gold_label"] for p in test]))


def _bags(pair: Pair) -> dict[str, float]:
    """Count the words of each side, and how much of the hypothesis the premise has too."""
    premise, hypothesis = _words(pair)
    return {
        **{f"premise {word}": 1.0 for word in premise},
        **{f"hypothesis {word}": 1.0 for word in hypothesis},
        "shared": len(premise & hypothesis) / len(hypothesis),
        "unshared": float(len(hypothesis - premise)),
    }


def _compared(pair: Pair) -> dict[str, float]:
    """Add which words only one side has: the most that can be had without order."""
    premise, hypothesis = _words(pair)
    return {
        **_bags(pair),
        **{f"lost {word}": 1.0 for word in premise - hypothesis},
        **{f"new {word}": 1.0 for word in hypothesis - premise},
    }


def _words(pair: Pair) -> list[set[str]]:
    return [{*re.findall(r"\w+", pair[side].lower())} for side in ("sentence1", "sentence2")]
