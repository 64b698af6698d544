"""The answer without learning: the longest name that the question does not give."""

from __future__ import annotations

from itertools import groupby

from tasks.task import Example


def longest_name(example: Example) -> str:
    """Return the longest run of capitalised words of which none is in the question.

    The first of several equally long ones; the paragraph's first word if there is none.
    """
    asked = {word.lower() for word in example["question"]}
    words = example["tokens"]
    free = [word[0].isupper() and word.lower() not in asked for word in words]
    runs = [[i for i, _ in run] for named, run in groupby(enumerate(free), lambda x: x[1]) if named]
    best = max(runs, key=len, default=[0])
    return str(example["context"][example["starts"][best[0]] : example["ends"][best[-1]]])
