"""How the built-in coreference speaks of what it has mentioned before."""

from __future__ import annotations

from collections.abc import Iterator

from tasks import smallworld
from tasks.coref.columns import read_columns

PRONOUNS = {"she", "her", "he", "him", "it", "they", "them"}


def anaphors(split: str) -> Iterator[tuple[str, str, set[str]]]:
    """Yield, of what is mentioned again, how, the last word, and the words used of it before."""
    for document in read_columns(smallworld.ensure("coref") / f"{split}.conll"):
        tokens = [token.lower() for sentence in document.sentences for token in sentence]
        for cluster in document.clusters:
            before: set[str] = set()
            for first, last in sorted(cluster):
                words = tokens[first : last + 1]
                if before and words[0] in PRONOUNS:
                    yield "pronoun", words[-1], before
                elif before and words[0] == "the":
                    yield "same" if words[-1] in before else "other", words[-1], before
                elif before:
                    yield "name", words[-1], before
                before = before | {*words}
