"""Coreference scores against the official scorer's."""

from __future__ import annotations

import json

import pytest

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
