"""Answers to questions in SQuAD 1.1 (Rajpurkar et al. 2016) with BiDAF and self-attention (Clark &
Gardner 2017)."""

from tasks.squad.task import SQuAD

__all__ = ["SQuAD"]
