"""CoNLL-2012's scores, as the official scorer (v8.01) counts them. No torch in here.

Sums over documents are divided once, at the end. A singleton is a cluster like any other, in the
key as in the response; a mention in no cluster does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tasks.coref.metrics import METRICS, overlap
from tasks.scoring.additive_metrics import Sums, ratio

AVERAGED = ("muc", "b_cubed", "ceaf_e")  # "the" coreference F1 is their mean

Figures = dict[str, float]


def score(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compute precision, recall and F1 of each metric, and `conll_average`, all in percent.

    Args:
        documents: each has `key` and `response`: clusters of mentions [first token, last token],
            both inclusive. One without a response counts as one whose response is empty.

    Returns:
        `muc`, `b_cubed`, `ceaf_e`, `ceaf_m`, `mentions`, `blanc`, each with `precision`, `recall`
        and `f1`; `conll_average`, the mean F1 of the first three.

    >>> pair = [[[0, 0], [3, 4]]]
    >>> score([{"key": pair, "response": pair}])["conll_average"]
    100.0
    """
    sums = np.zeros((len(METRICS), 4))
    for document in documents:
        found = overlap(document["key"], document.get("response") or ())
        sums += [metric(found) for metric in METRICS.values()]
    totals = dict(zip(METRICS, sums, strict=True))
    links = [totals.pop("coreferent"), totals.pop("not_coreferent")]
    figures: dict[str, Any] = {name: _figures(parts) for name, parts in totals.items()}
    average = sum(figures[name]["f1"] for name in AVERAGED) / len(AVERAGED)
    return {**figures, "blanc": _blanc(links), "conll_average": average}


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count what the averaged metrics add up of a document.

    See tasks/scoring/additive_metrics.py.
    """
    found = overlap(row["gold"], row["prediction"])
    return tuple(float(part) for name in AVERAGED for part in METRICS[name](found))


def from_counts(sums: Sums) -> Sums:
    """Compute the average F1, in percent: see tasks/scoring/additive_metrics.py."""
    recalled, key, precise, response = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, 4), -1, 0)
    recall, precision = ratio(recalled, key), ratio(precise, response)
    f1: Sums = ratio(2 * precision * recall, precision + recall)
    return 100 * f1.mean(-1)


def _figures(parts: Sums) -> Figures:
    recalled, key, precise, response = parts
    recall, precision = ratio(recalled, key), ratio(precise, response)
    f1 = ratio(2 * precision * recall, precision + recall)
    named = {"precision": precision, "recall": recall, "f1": f1}
    return {name: 100 * float(value) for name, value in named.items()}


def _blanc(links: Sequence[Sums]) -> Figures:
    """Take the mean over both kinds of links; one kind alone where the key has only that."""
    kinds = [_figures(parts) for parts in links if parts[1]]
    names = ("precision", "recall", "f1")
    return {name: sum(kind[name] for kind in kinds) / max(len(kinds), 1) for name in names}
