"""Parts of speech, read off the encoder's vectors by a linear probe (Peters et al. 2018, 5.3)."""

from tasks.pos.task import POS

__all__ = ["POS"]
