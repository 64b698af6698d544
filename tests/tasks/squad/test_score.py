"""EM and F1 as the official script counts them."""

from __future__ import annotations

import json

import pytest

from tasks.squad.score import counts, f1, normalise, score
from tests.conftest import shared


def test_scores_equal_the_official_ones() -> None:
    cases = shared("scorers/squad.jsonl").read_text(encoding="utf-8").splitlines()
    assert cases
    for line in cases:
        case = json.loads(line)
        ours = score(case["predictions"], case["references"])
        assert ours == pytest.approx(case["official"], abs=1e-4), case["id"]


def test_empty_answers_match_exactly_but_share_no_words() -> None:
    assert score({"q": "The"}, {"q": ["a"]}) == {"exact_match": 100, "f1": 0}


def test_an_article_between_dashes_leaves_a_gap() -> None:
    assert normalise("x–the–y") == ["x–", "–y"]


def test_both_maxima_are_taken_on_their_own() -> None:
    assert score({"q": "x y"}, {"q": ["x", "y x"]}) == {"exact_match": 0, "f1": 100}
    assert f1("x y y", "y z") == pytest.approx(2 * 1 / 5)
    assert counts({"prediction": "x", "answers": ["z", "x y"]}) == (pytest.approx(2 / 3), 1)
