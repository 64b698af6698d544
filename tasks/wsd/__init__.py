"""Word senses: the nearest of the lemma's averages (Peters et al. 2018, section 5.3)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.wsd.task import WSD

__all__ = ["WSD"]
__getattr__ = on_first_use(WSD="tasks.wsd.task")
SCORES = {"WSD": "tasks.wsd.score"}
TITLES = {"WSD": ("WSD", "F1")}
