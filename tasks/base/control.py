"""Control tasks (Hewitt & Liang 2019): labels that can only be learned word by word, by heart."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import accumulate, chain

from datasets import Dataset

from tasks.task import Example


def control_of_words(
    train: Dataset, seed: int, *, words: str, labels: str
) -> Callable[[Example], Example]:
    """Make the control task of a task that labels every word.

    Each word type, as it is spelled, has one label in all its uses, in every split. It is drawn
    from the labels of training, each as likely as it is frequent there (section 2 of the paper),
    by a hash of seed and word: so it depends on nothing else that was drawn.

    Args:
        train: the training examples.
        seed: another one draws other labels.
        words: the field of an example that has the words.
        labels: the field that has a label for each of them.

    Returns:
        What replaces the labels of an example of any split.

    >>> train = Dataset.from_dict({"words": [["a", "b", "a"]], "tags": [["X", "Y", "Y"]]})
    >>> relabel = control_of_words(train, 3, words="words", labels="tags")
    >>> relabel({"id": "dev-1", "words": ["b", "c", "b"], "tags": ["Y", "X", "X"]})
    {'id': 'dev-1', 'words': ['b', 'c', 'b'], 'tags': ['X', 'Y', 'X']}
    """
    counts = sorted(Counter(chain.from_iterable(train[labels])).items())
    kinds = [label for label, _ in counts]
    ends = list(accumulate(count for _, count in counts))

    def label(word: str) -> str:
        digest = sha256(f"{seed} {word}".encode()).digest()
        share = int.from_bytes(digest[:6], "big") / 2**48
        return kinds[bisect_right(ends, share * ends[-1])]

    def relabelled(example: Example) -> Example:
        return {**example, labels: [label(word) for word in example[words]]}

    return relabelled
