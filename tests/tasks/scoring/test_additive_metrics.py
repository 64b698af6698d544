"""A task's counts, added up, give its official score."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tasks
from tests.conftest import shared

Rows = list[dict[str, Any]]


def cases(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, shared(f"scorers/{name}.jsonl").read_text().splitlines())


def classification() -> Iterator[tuple[Rows, float]]:
    for case in cases("classification"):
        pairs = zip(case["gold"], case["pred"], strict=True)
        rows = [{"gold": gold, "prediction": pred} for gold, pred in pairs]
        yield rows, case["official"]["accuracy"]


def ner() -> Iterator[tuple[Rows, float]]:
    for case in cases("ner"):
        pairs = zip(case["gold"], case["pred"], strict=True)
        yield [{"gold": g, "prediction": p} for g, p in pairs], case["official"]["f1"]


def srl() -> Iterator[tuple[Rows, float]]:
    for case in cases("srl"):
        rows = [
            {"gold": proposition["gold"] or (), "prediction": proposition["pred"] or ()}
            for sentence in case["sentences"]
            for proposition in sentence["propositions"]
        ]
        if rows:
            yield rows, case["official"]["f1"]


def squad() -> Iterator[tuple[Rows, float]]:
    for case in cases("squad"):
        answered = case["predictions"].keys() & case["references"].keys()
        if len(answered) == len(case["references"]):
            rows = [
                {"prediction": case["predictions"][key], "answers": answers}
                for key, answers in case["references"].items()
            ]
            yield rows, case["official"]["f1"]


def coref() -> Iterator[tuple[Rows, float]]:
    for case in cases("coref"):
        rows = [{"gold": d["key"], "prediction": d["response"]} for d in case["documents"]]
        yield rows, case["official"]["conll_average"]


OFFICIAL = {
    "snli": classification,
    "sst5": classification,
    "ner": ner,
    "srl": srl,
    "squad": squad,
    "coref": coref,
}


@pytest.mark.parametrize("name", [name for name in OFFICIAL if name in tasks.names()])
def test_sums_of_counts_give_the_official_score(name: str) -> None:
    (module,) = importlib.import_module(f"tasks.{name}").SCORES.values()
    score = importlib.import_module(module)
    found = list(OFFICIAL[name]())
    assert len(found) >= 10
    for rows, official in found:
        sums = np.array([score.counts(row) for row in rows], dtype=float).sum(axis=0)
        assert float(score.from_counts(sums)) == pytest.approx(official, abs=1e-4)
