"""The scores of every task that chooses one of a few labels."""

from __future__ import annotations

import json

import pytest

from tasks.scoring.classification import score
from tests.conftest import shared


def test_scores_equal_the_official_ones() -> None:
    cases = shared("scorers/classification.jsonl").read_text(encoding="utf-8").splitlines()
    assert cases
    for case in map(json.loads, cases):
        ours = score(case["gold"], case["pred"], case["labels"])
        for name in ("accuracy", "macro_f1", "macro_f1_all_labels"):
            assert ours[name] == pytest.approx(case["official"][name], abs=1e-4), case["id"]
