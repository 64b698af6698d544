"""Whose nearest use, elsewhere, is a word used alike? (Peters et al. 2018, section 5.3, Table 4)"""

from tasks.neighbours.task import Neighbours

__all__ = ["Neighbours"]
