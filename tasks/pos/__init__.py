"""Parts of speech, read off the encoder's vectors by a linear probe (Peters et al. 2018, 5.3)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.pos.task import POS

__all__ = ["POS"]
__getattr__ = on_first_use(POS="tasks.pos.task")
SCORES = {"POS": "tasks.scoring.tagging"}
TITLES = {"POS": ("POS tagging", "accuracy")}
