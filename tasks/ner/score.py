"""conlleval's scores of named entities, through seqeval. No torch in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.formats.tags import types
from tasks.scoring.additive_metrics import f1 as from_counts

__all__ = ["counts", "from_counts", "score"]

Tags = Sequence[Sequence[str]]
FIGURES = ("precision", "recall", "f1")
SIMPLER = {"S": "B", "E": "I"}


def score(gold: Tags, pred: Tags) -> dict[str, float]:
    """Compute precision, recall and F1 of whole entities, in percent.

    Tags are BIO or IOB1, well-formed or not, which seqeval's default mode reads as conlleval
    does; BIOES is turned into BIO tag by tag first. A ratio with denominator 0 is 0.

    Args:
        gold, pred: the tags of each sentence, in the same order and of the same lengths.

    Returns:
        `precision`, `recall`, `f1`, and `precision/TYPE` … for each type that gold or pred have.

    Raises:
        ValueError: a sentence has unlike numbers of tags in gold and pred.

    >>> score([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "O", "B-LOC"]])["f1"]
    50.0
    """
    # Here, since it is slow to import.
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    gold, pred = _simple(gold), _simple(pred)
    kinds = sorted(types(tag for tags in (*gold, *pred) for tag in tags))
    if not kinds:
        return dict.fromkeys(FIGURES, 0.0)
    of_all, of_each = (
        precision_recall_fscore_support(gold, pred, average=average, zero_division=0)
        for average in ("micro", None)
    )
    scores = {name: 100 * float(of_all[i]) for i, name in enumerate(FIGURES)}
    for number, kind in enumerate(kinds):
        for i, name in enumerate(FIGURES):
            scores[f"{name}/{kind}"] = 100 * float(of_each[i][number])
    return scores


def _simple(sentences: Tags) -> list[list[str]]:
    return [[SIMPLER.get(tag[0], tag[0]) + tag[1:] for tag in tags] for tags in sentences]


def counts(row: Mapping[str, Any]) -> tuple[float, ...]:
    """Count (right, predicted, gold) entities of a sentence.

    See tasks/scoring/additive_metrics.py.

    >>> counts({"gold": ["B-PER", "O"], "prediction": ["B-PER", "B-LOC"]})
    (1, 2, 1)
    """
    from seqeval.metrics.sequence_labeling import get_entities

    gold, pred = (set(get_entities(_simple([row[side]])[0])) for side in ("gold", "prediction"))
    return (len(gold & pred), len(pred), len(gold))
