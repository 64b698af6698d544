"""Coreference scores against the official scorer's."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from tasks.coref.metrics import b_cubed, ceaf_e, coreferent, links, muc, not_coreferent, overlap
from tasks.coref.score import score
from tests.conftest import shared


def test_all_reference_cases() -> None:
    cases = shared("scorers/coref.jsonl").read_text(encoding="utf-8").splitlines()
    assert cases
    for line in cases:
        case = json.loads(line)
        ours, official = score(case["documents"]), case["official"]
        blanc, cut_off = ours["blanc"].pop("f1"), official["blanc"].pop("f1")
        assert blanc == pytest.approx(cut_off, abs=0.0101), case["id"]  # it prints two decimals
        for name, expected in official.items():
            assert ours[name] == pytest.approx(expected, abs=1e-4), (case["id"], name)


def test_a_repeated_mention_that_the_key_lacks_counts_once_as_a_mention() -> None:
    """The scorer counts distinct mentions and, in BLANC, distinct links; in the sizes of clusters,
    which the other metrics go by, each time counts."""
    key = [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    response = [[[0, 0], [1, 1], [9, 9]], [[2, 2], [9, 9]]]
    found = score([{"key": key, "response": response}])
    assert found["mentions"]["precision"] == pytest.approx(100 * 3 / 4)
    # together: 0-1, 0-9, 1-9, 2-9, one of them right; apart: 0-2, 1-2, 0-9, 1-9, 2-9, 9-9, two
    assert found["blanc"]["precision"] == pytest.approx(100 * (1 / 4 + 2 / 6) / 2)
    assert found["b_cubed"]["precision"] == pytest.approx(100 * (2 * 2 / 3 + 1 / 2) / 5)


def test_links_against_sets_of_pairs() -> None:
    """As BLANC_Internal of the official scorer makes them: one set entry a pair of mentions."""
    random.seed(1)
    for _ in range(300):
        clusters = [
            [(random.randrange(6),) * 2 for _ in range(random.randint(1, 4))]
            for _ in range(random.randint(0, 4))
        ]
        together = {tuple(sorted(pair)) for c in clusters for pair in itertools.combinations(c, 2)}
        apart = {
            tuple(sorted(pair))
            for c, d in itertools.combinations(clusters, 2)
            for pair in itertools.product(c, d)
        }
        distinct = {mention for cluster in clusters for mention in cluster}
        assert links(clusters) == (len(distinct), len(together), len(apart))


@pytest.mark.parametrize("nothing", [{}, {"response": None}, {"response": []}])
def test_a_document_without_a_response_counts_as_an_empty_one(nothing: dict[str, object]) -> None:
    whole = {"key": [[[0, 0], [1, 1]]], "response": [[[0, 0], [1, 1]]]}
    found = score([whole, {"key": [[[4, 4], [5, 5]]], **nothing}])
    assert found["muc"] == {"precision": 100, "recall": 50, "f1": pytest.approx(200 / 3)}


def test_a_mention_of_two_key_clusters_against_a_count_by_hand() -> None:
    """The official scorer (CorScorer.pm) gives such a mention one number, which stands in both
    clusters; what asks for *the* cluster of a mention gets the last one."""
    random.seed(2)
    for _ in range(200):
        key = [random.sample(range(8), random.randint(1, 4)) for _ in range(3)]
        mentions = random.sample(range(10), 10)
        response = [mentions[:3], mentions[3:5], mentions[5 : random.randint(6, 10)]]
        last = {mention: cluster for cluster in key for mention in cluster}

        overlaps = [len({*last.get(m, ())} & {*ours}) for ours in response for m in ours]
        sizes = [len(ours) for ours in response for _ in ours]
        key_sizes = [len(last.get(m, ())) or 1 for ours in response for m in ours]
        precise = sum(n / size for n, size in zip(overlaps, sizes, strict=True))
        recalled = sum(n / size for n, size in zip(overlaps, key_sizes, strict=True))
        aligned = max(
            sum(
                2 * len({*theirs} & {*ours}) / (len(theirs) + len(ours))
                for theirs, ours in zip(key, order, strict=True)
            )
            for order in itertools.permutations(response)
        )
        chained = sum(
            any(a in last and last[a] is last.get(b) for b in ours[i + 1 :])
            for ours in response
            for i, a in enumerate(ours)
        )
        together = [
            {frozenset(p) for c in x for p in itertools.combinations(c, 2)} for x in (key, response)
        ]
        apart = [
            {frozenset((a, b)) for c, d in itertools.combinations(x, 2) for a in c for b in d}
            for x in (key, response)
        ]

        found = overlap(*([[(m, m) for m in c] for c in x] for x in (key, response)))
        assert b_cubed(found)[:3:2] == pytest.approx((recalled, precise))
        assert ceaf_e(found).recalled == pytest.approx(aligned)
        assert muc(found).recalled == chained
        assert coreferent(found).recalled == len(set.intersection(*together))
        assert not_coreferent(found).recalled == len(set.intersection(*apart))
