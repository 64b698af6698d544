"""srl-eval.pl's scores (CoNLL-2005). No torch in here.

A proposition's arguments are its spans, with C-X joined to X: `A1 … C-A1` is one argument of two
pieces. A predicted argument is right if role and all pieces are. R-X is a role of its own, V is
scored apart. A proposition that the prediction lacks counts with all its arguments as missed; one
that gold lacks is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.formats.tags import chunks
from tasks.scoring.additive_metrics import f1 as from_counts

__all__ = ["arguments", "counts", "from_counts", "score"]

EXCLUDED = frozenset({"V"})  # given, not predicted: left out of the overall figures

Argument = tuple[str, tuple[tuple[int, int], ...]]  # role, pieces from left to right


def arguments(tags: Sequence[str]) -> list[Argument]:
    """Read arguments off BIO tags, in order of their first piece.

    I-X that does not continue an X opens a span. C-X continues the X before it, whatever stands
    between; where there is none, it is itself an X.

    >>> arguments(["B-A1", "I-A1", "B-V", "B-C-A1"])
    [('A1', ((0, 2), (3, 4))), ('V', ((2, 3),))]
    """
    pieces: dict[str, list[list[tuple[int, int]]]] = {}
    for start, end, role in chunks(tags):
        head = role.removeprefix("C-")
        if head != role and head in pieces:
            pieces[head][-1].append((start, end))
        else:
            pieces.setdefault(head, []).append([(start, end)])
    found = [(role, tuple(spans)) for role, heads in pieces.items() for spans in heads]
    return sorted(found, key=lambda argument: argument[1])


def score(sentences: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compute precision, recall and F1, in percent, from counts over all propositions.

    Args:
        sentences: each has `propositions`, each of them `gold` and `pred`: BIO tags, or None where
            that side has no such proposition.

    Returns:
        `precision`, `recall`, `f1` over all roles but V; the same for each role in `per_label`, for
        V in `excluded`.

    >>> tags = ["B-A0", "B-V", "B-A1"]
    >>> score([{"propositions": [{"gold": tags, "pred": ["B-A0", "B-V", "O"]}]}])["recall"]
    50.0
    """
    gold, pred, right = Counter[str](), Counter[str](), Counter[str]()
    for proposition in (p for sentence in sentences for p in sentence["propositions"]):
        if proposition["gold"] is None:
            continue
        wanted = Counter(arguments(proposition["gold"]))
        found = Counter(arguments(proposition["pred"] or ()))
        gold.update(role for role, _ in wanted.elements())
        pred.update(role for role, _ in found.elements())
        right.update(role for role, _ in (wanted & found).elements())
    roles = sorted(gold.keys() | pred.keys())
    each = {role: _figures(right[role], pred[role], gold[role]) for role in roles}
    totals = (sum(n for role, n in c.items() if role not in EXCLUDED) for c in (right, pred, gold))
    return {
        **_figures(*totals),
        "per_label": {role: row for role, row in each.items() if role not in EXCLUDED},
        "excluded": {role: row for role, row in each.items() if role in EXCLUDED},
    }


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count (right, predicted, gold) arguments of a proposition, V left out.

    See tasks/scoring/additive_metrics.py.

    >>> counts({"gold": ["B-A0", "B-V", "B-A1"], "prediction": ["B-A0", "B-V", "O"]})
    (1, 1, 2)
    """
    gold, pred = (
        Counter(argument for argument in arguments(row[side]) if argument[0] not in EXCLUDED)
        for side in ("gold", "prediction")
    )
    return ((gold & pred).total(), pred.total(), gold.total())


def _figures(right: int, pred: int, gold: int) -> dict[str, float]:
    """Compute precision, recall and F1; a ratio with denominator 0 counts as 0."""
    return {
        "precision": 100 * right / pred if pred else 0.0,
        "recall": 100 * right / gold if gold else 0.0,
        "f1": 200 * right / (pred + gold) if right else 0.0,
    }
