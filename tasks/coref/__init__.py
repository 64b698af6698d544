"""Coreference resolution on CoNLL-2012 files, end to end (Lee et al. 2017)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.coref.task import Coref

__all__ = ["Coref"]
__getattr__ = on_first_use(Coref="tasks.coref.task")
SCORES = {"Coref": "tasks.coref.score"}
TITLES = {"Coref": ("coreference", "CoNLL F1")}
