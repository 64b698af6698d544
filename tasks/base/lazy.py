"""Task packages that import torch only when their task is asked for.

A report reads thousands of predictions and needs no model. It finds a task's `counts` through the
package that a record names, `tasks.ner` for `tasks.ner.NER`: if this package has a dict `SCORES`
with the class's name, `counts` and `from_counts` are taken from the module given there; if not,
from the class itself, whose import may bring torch.

What papers call the task and its metric stands in a dict `TITLES` of the package, by the
class's name: `TITLES = {"SST5": ("SST-5", "accuracy")}`. Without it, a report shows the keys.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def on_first_use(**home: str) -> Callable[[str], Any]:
    """Make a package's `__getattr__` (PEP 562), which imports names when they are first used.

    Args:
        home: for each name the module that has it.

    >>> get = on_first_use(sqrt="math")
    >>> get("sqrt")(9.0)
    3.0
    """

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"no attribute {name!r}: there is {', '.join(home)}")
        return getattr(import_module(home[name]), name)

    return get
