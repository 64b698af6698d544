"""Coreference by rule: the same last word, or the nearest mention that a pronoun agrees with.

No parser, no weights. Mentions are pronouns, runs of capitalised words, and what follows a
determiner up to the last word that ends such a mention in training. A name or noun phrase joins the
nearest mention before it that ends in the same word, unless it begins with "a"; a pronoun joins the
nearest that agrees: its own kind, or what pronouns of its kind took up in training.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tasks.coref.decode import clusters
from tasks.task import Example

KINDS = {
    "I": "i me my mine myself",
    "we": "we us our ours ourselves",
    "you": "you your yours yourself yourselves",
    "he": "he him his himself",
    "she": "she her hers herself",
    "it": "it its itself",
    "they": "they them their theirs themselves",
}
PRONOUNS = {word: kind for kind, words in KINDS.items() for word in words.split()}
DETERMINERS, ENDS = (  # what noun phrases begin with, and what they do not contain
    frozenset(words.split())
    for words in (
        "the a an this that these those my our your his her its their",
        "of in on at by to for from with and or but who which is was were are",
    )
)


class Mention(NamedTuple):
    first: int
    last: int
    kind: str  # of a pronoun, else ""
    head: str  # the last word, in lower case
    new: bool  # begins with "a"
    name: bool


class Yardstick:
    """The rule, from an example to clusters of mentions [first token, last token]."""

    def __init__(self, train: Iterable[Example]) -> None:
        self.heads: set[str] = set()
        self.plain: set[str] = set()  # words that occur in lower case, so are no names
        self.kinds: defaultdict[str, set[str]] = defaultdict(set)  # of pronouns, by head
        for example in train:
            words = [word for sentence in example["sentences"] for word in sentence]
            self.plain.update(word for word in words if word.islower())
            for cluster in example["clusters"]:
                ends = {words[last].lower() for _, last in cluster}
                kinds = {PRONOUNS[word] for word in ends & PRONOUNS.keys()}
                for first, last in cluster:
                    if last > first and words[first].lower() in DETERMINERS:
                        self.heads.add(words[last].lower())
                for head in ends - PRONOUNS.keys():
                    self.kinds[head] |= kinds

    def __call__(self, example: Example) -> list[list[list[int]]]:
        before: list[Mention] = []
        links = []
        for mention in self.mentions(example):
            nearest = next((m for m in reversed(before) if self.joins(mention, m)), None)
            if nearest:
                links.append((mention[:2], nearest[:2]))
            before.append(mention)
        return clusters(links)

    def joins(self, mention: Mention, earlier: Mention) -> bool:
        if not mention.kind:
            return mention.head == earlier.head and not mention.new
        if earlier.kind:
            return mention.kind == earlier.kind
        if earlier.head in self.kinds:
            return mention.kind in self.kinds[earlier.head]
        return mention.kind in (("he", "she") if earlier.name else ("it",))

    def mentions(self, example: Example) -> Iterator[Mention]:
        """Find the mentions, from left to right."""
        begin = 0
        for words in example["sentences"]:
            free = 0  # where the last noun phrase or name ended
            for i, word in enumerate(word.lower() for word in words):
                if word in PRONOUNS:
                    yield Mention(begin + i, begin + i, PRONOUNS[word], word, False, False)
                if i < free:
                    continue
                phrase = word in DETERMINERS
                last = self.phrase(words, i) if phrase else self.name(words, i)
                if last is not None:
                    free = last + 1
                    new, head = word in ("a", "an"), words[last].lower()
                    yield Mention(begin + i, begin + last, "", head, new, not phrase)
            begin += len(words)

    def phrase(self, words: list[str], i: int) -> int | None:
        """Return where the noun phrase that begins with the determiner at i ends."""
        last = None
        for k in range(i + 1, len(words)):
            word = words[k].lower()
            if word in ENDS or word in DETERMINERS or word in PRONOUNS or not word[0].isalnum():
                break
            if word in self.heads:
                last = k
        return last

    def name(self, words: list[str], i: int) -> int | None:
        """Return where the capitalised words that begin at i end."""
        last = None
        for k in range(i, len(words)):
            word = words[k]
            common = k == 0 and word.lower() in self.plain
            if not word[0].isupper() or common or word.lower() in PRONOUNS:
                break
            last = k
        return last
