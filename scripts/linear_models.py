#!/usr/bin/env python
"""What logistic regression on words scores, to judge the level of the neural models by.

    python scripts/linear_models.py ner FOLDER      # or srl, sst5, snli

Trained on the training file of FOLDER, scored on its dev file by the task's own score. Nothing is
tuned: one vector of hashed features a token or sentence, SGD for five passes. Of a pair of SNLI it
reads the hypothesis alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

from bench.errors import exit_status
from tasks.formats.tags import BIO, follows
from tasks.ner import NER
from tasks.nn.viterbi import viterbi
from tasks.snli import SNLI
from tasks.srl import SRL
from tasks.sst5 import SST5
from tasks.task import Example

TASKS = {"ner": NER, "srl": SRL, "sst5": SST5, "snli": SNLI}


def token_features(example: Example) -> Iterator[list[str]]:
    """Of each token: itself and two neighbours on either side, its ends, where the predicate is."""
    words = example.get("tokens") or example["words"]
    lower = [word.lower() for word in words]
    shapes = ["".join("Xx"[c.islower()] if c.isalpha() else c for c in w)[:5] for w in words]
    for i, word in enumerate(lower):
        near = [k for k in range(-2, 3) if 0 <= i + k < len(words)]
        found = [f"word{k}={lower[i + k]}" for k in near]
        found += [f"shape{k}={shapes[i + k]}" for k in near] + [f"places={near}"]
        found += [f"start={word[:n]}" for n in (1, 2, 3)] + [f"end={word[-n:]}" for n in (1, 2, 3)]
        if "predicate" in example:
            found += _to_predicate(lower, i, example["predicate"])
        yield found


def _to_predicate(words: Sequence[str], i: int, predicate: int) -> list[str]:
    word, verb, away = words[i], words[predicate], int(np.clip(i - predicate, -10, 10))
    between = " ".join(words[min(i, predicate) + 1 : max(i, predicate)]) if abs(away) < 5 else "far"
    found = [f"verb={verb}", f"away={away}", f"verb, away={verb} {away}", f"between={between}"]
    found += [f"verb, word={verb} {word}", f"away, word={away} {word}"]
    return [*found, f"side, end={away > 0} {word[-2:]}", f"side, word={away > 0} {word}"]


def sentence_features(example: Example) -> list[str]:
    """Words and pairs of neighbours."""
    words = [word.lower() for word in example.get("hypothesis") or example["words"]]
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]


def train(features: Iterator[list[str]], gold: Sequence[Any]) -> tuple[FeatureHasher, Any]:
    hasher = FeatureHasher(2**20, input_type="string", alternate_sign=False)
    model = SGDClassifier(
        "log_loss", alpha=1e-6, max_iter=5, tol=None, random_state=1, average=True
    )
    return hasher, model.fit(hasher.transform(features), gold)


def tag(hasher: FeatureHasher, model: Any, examples: Sequence[Example]) -> Iterator[list[str]]:
    """The most probable well-formed tags of each, tokens taken for independent."""
    tags = list(model.classes_)
    rows = [list(token_features(example)) for example in examples]
    found = model.predict_log_proba(hasher.transform(row for of_one in rows for row in of_one))
    allowed = torch.tensor([[follows(before, after, BIO) for after in tags] for before in tags])
    first = torch.tensor([follows(None, after, BIO) for after in tags])
    steps, start = (torch.zeros(a.shape).masked_fill(~a, -torch.inf) for a in (allowed, first))
    for scores in torch.tensor(found).clamp(min=-50).split([len(of_one) for of_one in rows]):
        mask = torch.ones(1, len(scores), dtype=torch.bool)
        (path,) = viterbi(scores[None], mask, steps, start)
        yield [tags[i] for i in path]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("folder")
    given = parser.parse_args()
    task = TASKS[given.task](folder=given.folder)
    training, dev = task.load("train"), task.load("dev")
    tagging = "tags" in training.column_names
    if tagging:
        gold = [tag for tags in training["tags"] for tag in tags]
        fitted = train((row for example in training for row in token_features(example)), gold)
        found = tag(*fitted, list(dev))
        rows = [{"gold": e["tags"], "prediction": p} for e, p in zip(dev, found, strict=True)]
    else:
        hasher, model = train(map(sentence_features, training), training["label"])
        found = model.predict(hasher.transform(map(sentence_features, dev))).tolist()
        rows = [{"gold": e["label"], "prediction": p} for e, p in zip(dev, found, strict=True)]
    print(given.task, {name: round(value, 2) for name, value in task.score(rows).items()})


if __name__ == "__main__":
    with exit_status(debug=False):
        main()
