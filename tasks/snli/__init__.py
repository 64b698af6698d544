"""Natural language inference on SNLI (Bowman et al. 2015) with ESIM (Chen et al. 2017)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.snli.task import SNLI

__all__ = ["SNLI"]
__getattr__ = on_first_use(SNLI="tasks.snli.task")
SCORES = {"SNLI": "tasks.scoring.classification"}
TITLES = {"SNLI": ("SNLI", "accuracy")}
