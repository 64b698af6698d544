"""Named entities: CoNLL-2003 and its kin, with a biLSTM-CRF (Peters et al. 2018, A.7)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.ner.task import NER

__all__ = ["NER"]
__getattr__ = on_first_use(NER="tasks.ner.task")
SCORES = {"NER": "tasks.ner.score"}
TITLES = {"NER": ("NER", "F1")}
