"""Whose nearest use, elsewhere, is a word used alike? (Peters et al. 2018, section 5.3, Table 4)"""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.neighbours.task import Neighbours

__all__ = ["Neighbours"]
__getattr__ = on_first_use(Neighbours="tasks.neighbours.task")
SCORES = {"Neighbours": "tasks.scoring.tagging"}
TITLES = {"Neighbours": ("nearest uses", "accuracy")}
