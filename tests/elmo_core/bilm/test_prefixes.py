"""The prefix tree holds every distinct beginning once, and every sentence's way through it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from elmo_core.bilm.prefixes import prefix_tree


@pytest.mark.parametrize("seed", range(5))
def test_a_node_for_every_distinct_beginning(seed: int) -> None:
    draw = random.Random(seed)
    sentences = [[draw.randrange(3) for _ in range(draw.randrange(1, 8))] for _ in range(30)]
    sentences.sort(key=len, reverse=True)
    tree = prefix_tree(sentences)
    beginnings = {tuple(words[:end]) for words in sentences for end in range(1, len(words) + 1)}
    assert len(tree.words) == sum(tree.sizes) == len(beginnings)

    starts = [sum(tree.sizes[:level]) for level in range(len(tree.sizes))]
    for words, path in zip(sentences, tree.paths, strict=True):
        assert [tree.words[node] for node in path] == words
        places = [node - start for node, start in zip(path, starts, strict=False)]
        assert all(0 <= place < size for place, size in zip(places, tree.sizes, strict=False))
        for level, (above, here) in enumerate(pairwise(places), start=1):
            parents = tree.parents[level]
            assert above == (here if parents is None else parents[here])


def test_where_nothing_branches_a_level_is_the_beginning_of_the_one_before() -> None:
    tree = prefix_tree([[4, 1, 2], [5, 1, 2], [6, 1]])
    assert tree.sizes == [3, 3, 2]
    assert tree.parents == [[0, 0, 0], None, None]
