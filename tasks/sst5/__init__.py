"""Five-class sentiment on the Stanford Sentiment Treebank (Socher et al. 2013) with the BCN."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.sst5.task import SST5

__all__ = ["SST5"]
__getattr__ = on_first_use(SST5="tasks.sst5.task")
SCORES = {"SST5": "tasks.scoring.classification"}
TITLES = {"SST5": ("SST-5", "accuracy")}
