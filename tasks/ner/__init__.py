"""Named entities: CoNLL-2003 and its kin, with a biLSTM-CRF (Peters et al. 2018, A.7)."""

from tasks.ner.task import NER

__all__ = ["NER"]
