"""Answers to questions in SQuAD 1.1 (Rajpurkar et al. 2016) with BiDAF and self-attention (Clark &
Gardner 2017)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.squad.task import SQuAD

__all__ = ["SQuAD"]
__getattr__ = on_first_use(SQuAD="tasks.squad.task")
SCORES = {"SQuAD": "tasks.squad.score"}
TITLES = {"SQuAD": ("SQuAD", "F1")}
