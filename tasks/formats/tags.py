"""Chunks of a sentence as one tag a token: IOB1, BIO (IOB2) and BIOES. No torch in here.

A tag is `O`, or a prefix, a hyphen and a type:

- IOB1 (Ramshaw & Marcus 1995; CoNLL-2003's files): I- inside a chunk; B- at the start of a chunk
  that directly follows another of its type, and only there
- BIO: B- at the start of every chunk, I- in the rest of it
- BIOES: B- and E- at a chunk's ends, I- between them, S- for a chunk of one token
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

IOB1, BIO, BIOES = "iob1", "bio", "bioes"
PREFIXES = {IOB1: ("B", "I"), BIO: ("B", "I"), BIOES: ("B", "I", "E", "S")}
OUTSIDE = "O"

Span = tuple[int, int, str]
"""First token, token after the last, type."""


class TagError(ValueError):
    """A tag that may not stand where it stands; `position` is its token's index."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position


# Tags are few, and each is looked at in every epoch.
@lru_cache(1 << 16)
def parse(tag: str) -> tuple[str, str]:
    """Split a tag into prefix and type.

    >>> parse("B-PER"), parse("O")
    (('B', 'PER'), ('O', ''))
    """
    prefix, _, kind = tag.partition("-")
    return prefix, kind


@lru_cache(1 << 16)
def follows(before: str | None, after: str | None, scheme: str) -> bool:
    """Return whether `after` may directly follow `before`; None is a sentence's beginning or end.

    >>> follows("O", "I-PER", BIO)
    False
    """
    (left, left_kind), (right, right_kind) = parse(before or OUTSIDE), parse(after or OUTSIDE)
    same_kind = left != OUTSIDE and left_kind == right_kind
    if scheme == IOB1:
        return right != "B" or same_kind
    if scheme == BIO:
        return right != "I" or same_kind
    continues = right in ("I", "E")
    return continues == (left in ("B", "I")) and (same_kind or not continues)


def check(tags: Sequence[str], scheme: str) -> None:
    """Raise TagError at the first tag that is unknown or may not stand where it stands."""
    before = None
    for i, tag in enumerate(tags):
        prefix, kind = parse(tag)
        if tag != OUTSIDE and not (kind and prefix in PREFIXES[scheme]):
            raise TagError(i, f"unknown tag {tag!r} for {scheme.upper()}")
        if not follows(before, tag, scheme):
            place = f"after {before}" if before else "at the beginning of a sentence"
            raise TagError(i, f"{tag} {place} is malformed {scheme.upper()}")
        before = tag
    if not follows(before, None, scheme):
        end = f"{before} at the end of a sentence"
        raise TagError(len(tags) - 1, f"{end} is malformed {scheme.upper()}")


def types(tags: Iterable[str]) -> set[str]:
    """Return the types that occur in tags.

    >>> sorted(types(["B-PER", "I-PER", "O", "B-LOC"]))
    ['LOC', 'PER']
    """
    return {parse(tag)[1] for tag in tags} - {""}


def renamed(tags: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Give chunks other types; one whose new type is O is no chunk any more.

    >>> renamed(["B-person", "I-person", "O", "B-product"], {"person": "PER", "product": "O"})
    ['B-PER', 'I-PER', 'O', 'O']
    """
    new = []
    for prefix, kind in map(parse, tags):
        name = names.get(kind, kind)
        new.append(OUTSIDE if not kind or name == OUTSIDE else f"{prefix}-{name}")
    return new


def detect(sentences: Iterable[Sequence[str]]) -> str:
    """Tell the scheme in which most of a file's tags are written.

    Where a chunk begins and no chunk of its type stands before it, BIO has B- and IOB1 has I-. In
    BIOES every chunk has one E- or S-.
    """
    begins, ends = Counter[str](), 0
    for tags in sentences:
        kind_before = ""
        for prefix, kind in map(parse, tags):
            begins[prefix] += bool(kind) and kind != kind_before
            ends += prefix in ("E", "S")
            kind_before = kind
    if 2 * ends > begins.total():
        return BIOES
    return IOB1 if begins["I"] > begins["B"] else BIO


def odd(tags: Sequence[str], scheme: str) -> list[int]:
    """Find the positions of tags that may not follow the one before them in this scheme.

    >>> odd(["I-PER", "O", "B-PER"], IOB1)
    [2]
    """
    return [i for i, pair in enumerate(pairwise([None, *tags])) if not follows(*pair, scheme)]


def chunks(tags: Sequence[str]) -> list[Span]:
    """Read the chunks off the tags, in order, well formed or not.

    B- and S- always begin a chunk, I- and E- where no chunk of their type goes on: as conlleval
    does once E- is I- and S- is B-.

    Raises:
        TagError: something is no tag of any scheme.

    >>> chunks(["I-PER", "O", "B-PER", "I-LOC"])
    [(0, 1, 'PER'), (2, 3, 'PER'), (3, 4, 'LOC')]
    """
    found: list[Span] = []
    kind_before = ""
    for i, tag in enumerate(tags):
        prefix, kind = parse(tag)
        if tag != OUTSIDE and not (kind and prefix in PREFIXES[BIOES]):
            raise TagError(i, f"unknown tag {tag!r}: expected O, or one as B-PER")
        if prefix in ("B", "S") or (kind != kind_before and tag != OUTSIDE):
            found.append((i, i + 1, kind))
        elif tag != OUTSIDE:
            found[-1] = (found[-1][0], i + 1, kind)
        kind_before = kind
    return found


def from_spans(chunks: Iterable[Span], length: int, scheme: str) -> list[str]:
    """Write chunks that do not overlap as `length` tags.

    >>> from_spans([(0, 2, "PER")], 3, BIOES)
    ['B-PER', 'E-PER', 'O']
    """
    tags = [OUTSIDE] * length
    for start, end, kind in sorted(chunks):
        touches = start > 0 and parse(tags[start - 1])[1] == kind
        prefixes = ["I"] * (end - start)
        if scheme != IOB1 or touches:
            prefixes[0] = "B"
        if scheme == BIOES:
            prefixes[-1] = "E" if end - start > 1 else "S"
        tags[start:end] = [f"{prefix}-{kind}" for prefix in prefixes]
    return tags


def convert(tags: Sequence[str], source: str, target: str) -> list[str]:
    """Write the same chunks in another scheme.

    Raises:
        TagError: a tag of the `source` scheme is unknown, or may not stand where it stands.

    >>> convert(["I-PER", "I-PER", "O"], IOB1, BIO)
    ['B-PER', 'I-PER', 'O']
    """
    check(tags, source)
    return from_spans(chunks(tags), len(tags), target)


def inventory(kinds: Iterable[str], scheme: str) -> list[str]:
    """List every tag of a scheme: O first, then those of each type.

    >>> inventory(["PER"], BIO)
    ['O', 'B-PER', 'I-PER']
    """
    return [OUTSIDE, *(f"{prefix}-{kind}" for kind in kinds for prefix in PREFIXES[scheme])]


def by_word(examples: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Count how often each word has each tag; an example has as many `tokens` as `tags`.

    >>> by_word([{"tokens": ["We", "can", "can"], "tags": ["PRP", "MD", "VB"]}])["can"]
    Counter({'MD': 1, 'VB': 1})
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        for word, tag in zip(example["tokens"], example["tags"], strict=True):
            counts[word][tag] += 1
    return dict(counts)


def bracketed(tokens: Sequence[str], tags: Sequence[str]) -> str:
    """Write a sentence with its chunks in brackets, the type behind each.

    >>> bracketed(["Anna", "Reed", "sleeps"], ["B-PER", "I-PER", "O"])
    '[Anna Reed]PER sleeps'
    """
    words = list(tokens)
    for start, end, kind in chunks(tags):
        words[start] = f"[{words[start]}"
        words[end - 1] = f"{words[end - 1]}]{kind}"
    return " ".join(words)
