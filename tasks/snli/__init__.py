"""Natural language inference on SNLI (Bowman et al. 2015) with ESIM (Chen et al. 2017)."""

from tasks.snli.task import SNLI

__all__ = ["SNLI"]
