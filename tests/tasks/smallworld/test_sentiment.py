"""The built-in opinions: new words at test time, composed sentiment, not told by words alone."""

from __future__ import annotations

from collections import Counter

import pytest
from datasets import Dataset
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tasks import smallworld
from tasks.smallworld import sentiment
from tasks.smallworld.sentiment_trees import (
    Tree,
    added,
    flat,
    join,
    outweighed,
    strengthened,
    turned,
)
from tasks.sst5.data import LABELS, read
from tasks.sst5.trees import parse


@pytest.fixture(scope="module")
def opinions() -> dict[str, Dataset]:
    folder = smallworld.ensure("sst5")
    found = {split: read(folder, split) for split in sentiment.SIZES}
    return {split: dataset for split, dataset in found.items() if dataset is not None}


def test_sizes_and_shares(opinions: dict[str, Dataset]) -> None:
    for split, size in sentiment.SIZES.items():
        counts = Counter(opinions[split]["label"])
        assert counts.total() == size
        assert {LABELS.index(k): n / size for k, n in counts.items()} == pytest.approx(
            sentiment.SHARES, abs=0.005
        )


def test_no_sentence_occurs_twice(opinions: dict[str, Dataset]) -> None:
    every = [tuple(words) for dataset in opinions.values() for words in dataset["words"]]
    assert len(set(every)) == len(every)


def test_held_out_words_occur_in_dev_and_test_only(opinions: dict[str, Dataset]) -> None:
    held_out = {"marvellous", "dreary", "loathed", "elegance", "scarcely", "exhibition", "mildly"}
    seen = {split: {w for words in d["words"] for w in words} for split, d in opinions.items()}
    assert not held_out & seen["train"]
    assert len(held_out & (seen["dev"] | seen["test"])) >= 5


def test_trees_are_binary_and_begin_with_a_capital() -> None:
    for line in (smallworld.ensure("sst5") / "train.txt").read_text().splitlines():
        words, found = parse(line)
        assert len(found) == 2 * len(words) - 1
        assert words[0][0].isupper()


def test_sentiment_composes() -> None:
    good, awful = Tree(1, "good"), Tree(-2, "awful")
    assert str(join(flat("was very"), good)) == "(3 (2 (2 was) (2 very)) (3 good))"
    assert [turned(v) for v in (-2, -1, 0, 1, 2)] == [1, 1, 0, -1, -1]
    assert [strengthened(v) for v in (-1, 0, 1)] == [-2, 0, 2]
    assert added(good.value, 2) == 2
    assert added(good.value, awful.value) == 0
    assert outweighed(main=2, side=-1) == 2
    assert outweighed(main=2, side=-2) == 1
    assert outweighed(main=-1, side=2) == -1


def test_words_alone_do_not_tell(opinions: dict[str, Dataset]) -> None:
    """A bag of words (up to three in a row) stays far below the 100 of who follows the grammar."""
    text = {split: [" ".join(words) for words in d["words"]] for split, d in opinions.items()}
    bag = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+"), LogisticRegression(max_iter=1000)
    )
    bag.fit(text["train"], opinions["train"]["label"])
    for split in ("dev", "test"):
        assert 100 * bag.score(text[split], opinions[split]["label"]) < 64
