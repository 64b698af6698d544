"""Coreference resolution on CoNLL-2012 files, end to end (Lee et al. 2017)."""

from tasks.coref.task import Coref

__all__ = ["Coref"]
