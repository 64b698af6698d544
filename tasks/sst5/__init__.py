"""Five-class sentiment on the Stanford Sentiment Treebank (Socher et al. 2013) with the BCN."""

from tasks.sst5.task import SST5

__all__ = ["SST5"]
