"""Semantic role labelling on PropBank annotation with a deep highway LSTM (He et al. 2017)."""

from typing import TYPE_CHECKING

from tasks.base.lazy import on_first_use

if TYPE_CHECKING:
    from tasks.srl.task import SRL

__all__ = ["SRL"]
__getattr__ = on_first_use(SRL="tasks.srl.task")
SCORES = {"SRL": "tasks.srl.score"}
TITLES = {"SRL": ("SRL", "F1")}
