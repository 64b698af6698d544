"""Dataclasses to and from JSON: unknown keys are ignored, and a missing one is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

P = TypeVar("P", bound="Part")
_types = cache(get_type_hints)


class Part:
    """A part of a record: a dataclass that is written without those fields that are None."""

    def to_json(self) -> dict[str, Any]:
        """Return the plain values, by key."""
        return {key: value for key, value in written(self).items() if value is not None}

    @classmethod
    def from_json(cls: type[P], content: Mapping[str, Any]) -> P:
        """Make the part from what was written. Raises KeyError where a key is missing."""
        return cls(**arguments(cls, content))


def arguments(cls: Any, content: Mapping[str, Any], **made: Any) -> dict[str, Any]:
    """Return what dataclass `cls` is made of: what is `made` already, the rest from `content`.

    Raises KeyError for a field that neither has and that has no default, and TypeError for a value
    of `content` that is of another type than its field's.
    """
    found, types = dict(made), _types(cls)
    for each in fields(cls):
        optional = each.default is not MISSING or each.default_factory is not MISSING
        if each.name not in found and (each.name in content or not optional):
            if not _fits(content[each.name], types[each.name]):
                raise TypeError(f"{each.name}: {str(content[each.name])[:40]!r}")
            found[each.name] = content[each.name]
    return found


def _fits(value: Any, wanted: Any) -> bool:
    """Return whether a value that JSON has is of a field's type."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if origin is Mapping:
        return isinstance(value, dict) and all(_fits(each, inner[1]) for each in value.values())
    if origin is Sequence:
        return isinstance(value, list | tuple) and all(_fits(each, inner[0]) for each in value)
    if wanted in (int, float):
        number = int if wanted is int else int | float
        return isinstance(value, number) and not isinstance(value, bool)
    return wanted is Any or isinstance(value, wanted)


def written(record: Any) -> dict[str, Any]:
    """Return a dataclass's fields, in order, as values that JSON has."""
    return {each.name: _plain(getattr(record, each.name)) for each in fields(record)}


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.to_json()
    if is_dataclass(value):
        return written(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
