"""Matrix products: the one place that decides which library computes them.

`path.py` says which library it is, `learned.py` has the products with matrices that are learned,
`packed.py` those with a matrix that never changes. All products that take time are these.
"""

from elmo_core.products.learned import Linear, linear, outer, times
from elmo_core.products.packed import PRECISIONS, check_precision, product
from elmo_core.products.path import chosen, multiplies_bfloat16

__all__ = [
    "PRECISIONS",
    "Linear",
    "check_precision",
    "chosen",
    "linear",
    "multiplies_bfloat16",
    "outer",
    "product",
    "times",
]
