"""Word senses: the nearest of the lemma's averages (Peters et al. 2018, section 5.3)."""

from tasks.wsd.task import WSD

__all__ = ["WSD"]
