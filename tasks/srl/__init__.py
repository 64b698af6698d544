"""Semantic role labelling on PropBank annotation with a deep highway LSTM (He et al. 2017)."""

from tasks.srl.task import SRL

__all__ = ["SRL"]
