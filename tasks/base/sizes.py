"""A model's hyperparameters: from the keys of a task's YAML to its `Sizes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from elmo_core.errors import did_you_mean

S = TypeVar("S")


@dataclass(frozen=True)
class NoSizes:
    """The hyperparameters of a model that has none."""


def read_sizes(kind: type[S], keys: Mapping[str, Any], others: Iterable[str] = ()) -> S:
    """Fill the dataclass `kind`; lists become tuples, since YAML knows no other sequence.

    Args:
        kind: a frozen dataclass whose fields all have defaults.
        keys: values by the names of its fields.
        others: further names that the user may have meant, for the hint.

    Raises:
        TypeError: one of `keys` is no field; the message, one line, says what may be meant.

    >>> @dataclass(frozen=True)
    ... class Sizes:
    ...     hidden: tuple[int, ...] = (200, 100)
    >>> read_sizes(Sizes, {"hidden": [8, 4]})
    Sizes(hidden=(8, 4))
    >>> read_sizes(Sizes, {"hiden": [8]})
    Traceback (most recent call last):
    TypeError: task.hiden: no such key; did you mean 'hidden'?
    """
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in keys:
        if key not in known:
            raise TypeError(f"task.{key}: no such key{did_you_mean(key, [*known, *others])}")
    return kind(**{key: _hashable(value) for key, value in keys.items()})


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
