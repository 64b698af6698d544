#!/usr/bin/env python
"""Whether an encoder tells good words from bad ones: other words than it was told of.

    python scripts/opinions.py FOLDER encoder=elmo-mini   # or another, as for python -m bench

FOLDER holds {train,dev}.txt of SST-5: trees, in which single words are labelled, too. A logistic
regression learns from the vectors of train's words which are good and which are bad, and is asked
for those of dev's words that train does not have. Neutral words do not count. A vector is the
word's mean over the first five sentences of its split. In brackets: Wilson's 95 % interval.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bench.errors import exit_status
from bench.overrides import composed
from bench.run.build import encoder_of
from elmo_core import Encoder
from tasks.base.text_files import read_lines
from tasks.sst5.trees import parse

NEUTRAL = 2
SENTENCES = 5  # that a word is read in, at most

Words = dict[str, tuple[bool, list[tuple[int, int]]]]
"""A word in small letters: whether it is good, and where it stands (sentence, token)."""


def evaluative(path: Path) -> tuple[list[list[str]], Words]:
    """Read a split's sentences, and their words that are good or bad. Exits at a line that is no
    tree."""
    sentences, places, worth = [], defaultdict(list), defaultdict(int)
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            words, constituents = parse(line)
        except ValueError as error:
            sys.exit(f"error: {path}, line {number}: {error}")
        for label, start, end in constituents:
            if end - start == 1 and label != NEUTRAL:
                worth[words[start].lower()] += label - NEUTRAL
                places[words[start].lower()].append((len(sentences), start))
        sentences.append(words)
    return sentences, {w: (worth[w] > 0, places[w][:SENTENCES]) for w in places if worth[w]}


def vectors(encoder: Encoder, sentences: list[list[str]], words: Words) -> np.ndarray:
    """Return the words' means in every layer: (layers, words, dim)."""
    needed = sorted({sentence for _, places in words.values() for sentence, _ in places})
    layers = dict(zip(needed, encoder.encode([sentences[i] for i in needed]), strict=True))
    means = [
        np.mean([np.asarray(layers[i][:, token], dtype=np.float64) for i, token in places], axis=0)
        for _, places in words.values()
    ]
    return np.stack(means, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("words", nargs="+", metavar="WORD", help="of python -m bench: encoder=…")
    args = parser.parse_args()
    for split in ("train", "dev"):
        if not (args.folder / f"{split}.txt").is_file():
            parser.error(f"{args.folder} has no {split}.txt: trees of SST-5 are needed")
    encoder = encoder_of(composed(["task=sst5", *args.words]))
    if encoder is None:
        parser.error("without ELMo there is no encoder: elmo.placement=none")
    shown, known = evaluative(args.folder / "train.txt")
    asked, met = evaluative(args.folder / "dev.txt")
    new = {word: what for word, what in met.items() if word not in known}
    told, good = ([is_good for is_good, _ in words.values()] for words in (known, new))
    share = 100 * sum(good) / len(good)
    print(
        f"{encoder.name}: {len(known):,} words learned from, {len(new):,} asked, {share:.1f} % good"
    )
    layers = zip(vectors(encoder, shown, known), vectors(encoder, asked, new), strict=True)
    for number, (train, dev) in enumerate(layers):
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
        right = int((model.fit(train, told).predict(dev) == good).sum())
        low, high = binomtest(right, len(good)).proportion_ci(method="wilson")
        accuracy = f"{100 * right / len(good):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        print(f"  layer {number}: {accuracy} right")


if __name__ == "__main__":
    with exit_status(debug=False):
        main()
