"""A model's hyperparameters: from the keys of a task's YAML to its `Sizes`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from elmo_core.errors import did_you_mean

S = TypeVar("S")


@dataclass(frozen=True)
class NoSizes:
    """The hyperparameters of a model that has none."""


def read_sizes(kind: type[S], keys: Mapping[str, Any], others: Iterable[str] = ()) -> S:
    """Fill the dataclass `kind`; lists become tuples, since YAML knows no other sequence.

    Whole numbers are counts, from 1; others are from 0, and below 1 where the name says dropout.

    Args:
        kind: a frozen dataclass whose fields all have defaults.
        keys: values by the names of its fields.
        others: further names that the user may have meant, for the hint.

    Raises:
        TypeError: one of `keys` is no field; the message, one line, says what may be meant.
        ValueError: a value is of another type than its field's, or out of range.

    >>> @dataclass(frozen=True)
    ... class Sizes:
    ...     hidden: tuple[int, ...] = (200, 100)
    >>> read_sizes(Sizes, {"hidden": [8, 4]})
    Sizes(hidden=(8, 4))
    >>> read_sizes(Sizes, {"hiden": [8]})
    Traceback (most recent call last):
    TypeError: task.hiden: no such key; did you mean 'hidden'?
    >>> read_sizes(Sizes, {"hidden": [8, -4]})
    Traceback (most recent call last):
    ValueError: task.hidden=[8, -4]: must be a list of whole numbers from 1
    """
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in keys:
        if key not in known:
            raise TypeError(f"task.{key}: no such key{did_you_mean(key, [*known, *others])}")
    types, given = get_type_hints(kind), {key: _hashable(value) for key, value in keys.items()}
    for key, value in given.items():
        check(key, value, types[key])
    return kind(**given)


def check(name: str, value: Any, wanted: Any) -> None:
    """Raise ValueError unless `value` of `task.name` is of the type `wanted`, and in the range of
    its kind, as `read_sizes` has them; other types than these are the dataclass's own to check."""
    if get_origin(wanted) in (Union, UnionType):
        kinds = [kind for kind in get_args(wanted) if kind is not NoneType]
        if value is None or len(kinds) > 1:
            return
        (wanted,) = kinds
    members = get_args(wanted)  # of a tuple: its types, or one type and an ellipsis
    types = {*members} - {...} or {wanted}
    if get_origin(wanted) not in (None, tuple) or len(types) > 1 or not types <= _WANTED.keys():
        return
    each, values = (members[0], value) if members else (wanted, (value,))
    good = isinstance(values, tuple) and len(values) > 0
    if members and members[-1] is not ...:
        good = good and len(values) == len(members)
    if good and all(_fits(name, one, each) for one in values):
        return
    what = _WANTED[each] if each is not float or "dropout" not in name else _SHARE
    if members:
        count = "" if members[-1] is ... else f"{len(members)} "
        what = f"a list of {count}{what.replace('a ', '', 1).replace('number', 'numbers')}"
    shown = list(value) if isinstance(value, tuple) else value
    raise ValueError(f"task.{name}={shown}: must be {what}")


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


_SHARE = "a number from 0 to below 1"
_WANTED = {
    int: "a whole number from 1",
    float: "a number from 0",
    bool: "true or false",
    str: "a word",
}


def _fits(name: str, value: Any, wanted: Any) -> bool:
    if wanted in (bool, str):
        return isinstance(value, wanted)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if wanted is int:
        return isinstance(value, int) and value >= 1
    return 0 <= value < (1 if "dropout" in name else math.inf)
