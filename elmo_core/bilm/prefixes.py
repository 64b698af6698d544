"""Sentences as the tree of their beginnings, so that what begins alike is read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class PrefixTree(NamedTuple):
    """The beginnings of sentences: nodes, numbered level by level; a level is a time step."""

    words: list[int]  # of each node
    sizes: list[int]  # nodes of each level
    parents: list[list[int] | None]
    """Of each level: its nodes' places in the level before; None where these are 0, 1, 2, …"""
    paths: list[list[int]]  # of each sentence: its nodes


def prefix_tree(sentences: Sequence[Sequence[int]]) -> PrefixTree:
    """Make the tree of these sentences, which must be given the longest first.

    Then a level's nodes stand in the order of the longest sentence through each, and those that go
    on come first: where nothing branches, a level is the beginning of the one before.
    """
    tree = PrefixTree([], [], [], [[] for _ in sentences])
    above = [0] * len(sentences)
    for step in range(max(map(len, sentences), default=0)):
        level: dict[tuple[int, int], int] = {}
        start = len(tree.words)
        for i, words in enumerate(sentences):
            if step >= len(words):
                break
            above[i] = level.setdefault((above[i], words[step]), len(level))
            tree.paths[i].append(start + above[i])
        parents = [parent for parent, _ in level]
        tree.words.extend(word for _, word in level)
        tree.sizes.append(len(level))
        tree.parents.append(None if parents == list(range(len(level))) else parents)
    return tree
