"""Tagging schemes: reading, writing, converting, and refusing what is malformed."""

from __future__ import annotations

import itertools

import pytest

from tasks.formats.tags import (
    BIO,
    BIOES,
    IOB1,
    TagError,
    check,
    chunks,
    convert,
    detect,
    follows,
    from_spans,
    inventory,
    odd,
)

CHUNKS = [(0, 2, "PER"), (2, 3, "PER"), (3, 4, "LOC"), (5, 8, "PER")]
WRITTEN = {
    IOB1: "I-PER I-PER B-PER I-LOC O I-PER I-PER I-PER",
    BIO: "B-PER I-PER B-PER B-LOC O B-PER I-PER I-PER",
    BIOES: "B-PER E-PER S-PER S-LOC O B-PER I-PER E-PER",
}


@pytest.mark.parametrize("scheme", WRITTEN)
def test_tags_and_chunks_say_the_same(scheme: str) -> None:
    tags = WRITTEN[scheme].split()
    assert from_spans(reversed(CHUNKS), 8, scheme) == tags
    assert chunks(tags) == CHUNKS
    assert detect([["O"], tags]) == scheme
    for other, written in WRITTEN.items():
        assert convert(tags, scheme, other) == written.split()


@pytest.mark.parametrize("scheme", WRITTEN)
def test_valid_tags_are_those_that_chunks_can_give(scheme: str) -> None:
    """Over all sequences of four tags: `check`, `follows` and the writer agree."""
    valid = set()
    for tags in itertools.product(inventory("AB", scheme), repeat=4):
        bounded = [None, *tags, None]
        chained = all(follows(a, b, scheme) for a, b in itertools.pairwise(bounded))
        try:
            check(tags, scheme)
        except TagError:
            assert not chained
        else:
            assert chained
            assert from_spans(chunks(tags), 4, scheme) == list(tags)
            valid.add(tags)
    in_bio = {tuple(convert(tags, scheme, BIO)) for tags in valid}
    assert len(in_bio) == len(valid) == 153  # ways to lay chunks of two types over four tokens


@pytest.mark.parametrize(
    ("scheme", "tags", "position", "says"),
    [
        (BIO, "O I-PER", 1, "I-PER after O"),
        (BIO, "I-PER O", 0, "I-PER at the beginning"),
        (BIO, "B-PER I-LOC", 1, "I-LOC after B-PER"),
        (BIO, "O S-PER", 1, "unknown tag 'S-PER'"),
        (BIO, "O B", 1, "unknown tag 'B'"),
        (BIO, "B- O", 0, "unknown tag 'B-'"),
        (BIO, "BI-PER", 0, "unknown tag 'BI-PER'"),
        (IOB1, "I-PER O B-PER", 2, "B-PER after O"),
        (BIOES, "B-PER O", 1, "O after B-PER"),
        (BIOES, "S-PER B-PER", 1, "B-PER at the end"),
        (BIOES, "E-PER", 0, "E-PER at the beginning"),
    ],
)
def test_malformed_tags_are_refused(scheme: str, tags: str, position: int, says: str) -> None:
    with pytest.raises(TagError, match=says) as caught:
        check(tags.split(), scheme)
    assert caught.value.position == position


MOSTLY = {
    IOB1: ["I-PER I-PER O I-LOC", "O B-PER O", "I-ORG"],
    BIO: ["B-PER I-PER O B-LOC", "O I-PER O", "B-ORG"],
    BIOES: ["B-PER E-PER O S-LOC", "O B-PER O", "S-ORG", "I-LOC"],
}


@pytest.mark.parametrize("scheme", MOSTLY)
def test_what_most_tags_say_is_the_scheme(scheme: str) -> None:
    sentences = [tags.split() for tags in MOSTLY[scheme]]
    assert detect(sentences) == scheme
    assert [odd(tags, scheme) for tags in sentences][:3] == [
        [],
        [2] if scheme == BIOES else [1],
        [],
    ]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("O B-PER O", [(1, 2, "PER")]),
        ("I-PER B-PER I-LOC", [(0, 1, "PER"), (1, 2, "PER"), (2, 3, "LOC")]),
        ("E-PER O S-PER I-PER", [(0, 1, "PER"), (2, 4, "PER")]),
    ],
)
def test_malformed_chunks_are_read_as_conlleval_reads_them(
    tags: str, expected: list[tuple[int, int, str]]
) -> None:
    assert chunks(tags.split()) == expected


def test_chunks_are_those_that_the_score_counts() -> None:
    """Over all sequences of four tags, well formed or not."""
    from seqeval.metrics.sequence_labeling import get_entities

    for tags in itertools.product(inventory("AB", BIO), repeat=4):
        entities = [(start, end + 1, kind) for kind, start, end in get_entities(list(tags))]
        assert chunks(tags) == entities
