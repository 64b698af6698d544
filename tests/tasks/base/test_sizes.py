"""The values that a model's hyperparameters may have, and those just beyond."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from tasks.base.sizes import read_sizes


@dataclass(frozen=True)
class Sizes:
    units: int = 1
    rate: float = 0.5
    dropout: float = 0.5
    pair: tuple[int, int] = (1, 1)
    each: tuple[float, ...] = (0.5,)
    plain: bool = False
    kind: str = "lstm"


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("units", 1, 1),
        ("rate", 0, 0),
        ("rate", 7.5, 7.5),
        ("dropout", 0, 0),
        ("dropout", 0.99, 0.99),
        ("pair", [3, 4], (3, 4)),
        ("each", [0, 1, 2], (0, 1, 2)),
        ("plain", True, True),
        ("kind", "gru", "gru"),
    ],
)
def test_values_that_are_taken(key: str, value: Any, read: Any) -> None:
    assert getattr(read_sizes(Sizes, {key: value}), key) == read


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("units", 0, "a whole number from 1"),
        ("units", 1.0, "a whole number from 1"),
        ("units", True, "a whole number from 1"),
        ("rate", -0.1, "a number from 0"),
        ("rate", math.inf, "a number from 0"),
        ("rate", False, "a number from 0"),
        ("dropout", 1, "a number from 0 to below 1"),
        ("pair", [1], "a list of 2 whole numbers from 1"),
        ("pair", [1, 2, 3], "a list of 2 whole numbers from 1"),
        ("each", [], "a list of numbers from 0"),
        ("each", 0.5, "a list of numbers from 0"),
        ("plain", 1, "true or false"),
        ("kind", 1, "a word"),
    ],
)
def test_values_that_are_refused(key: str, value: Any, wanted: str) -> None:
    with pytest.raises(ValueError, match=rf"^task\.{key}=.*: must be {wanted}$"):
        read_sizes(Sizes, {key: value})


@dataclass(frozen=True)
class OtherTypes:
    hidden: int | None = None
    pool: Literal["mean", "max"] = "mean"
    rate: int | float | None = None
    window: tuple[int, float] = (3, 0.5)


@pytest.mark.parametrize(
    "keys",
    [
        {"hidden": 100},
        {"hidden": None},
        {"pool": "max"},
        {"rate": 0.5},
        {"window": (4, 0.25)},
    ],
)
def test_a_size_may_be_of_another_type(keys: dict[str, Any]) -> None:
    assert vars(read_sizes(OtherTypes, keys)) == {**vars(OtherTypes()), **keys}


def test_a_size_that_may_be_left_out_is_checked() -> None:
    with pytest.raises(ValueError, match=r"task\.hidden=-1: must be a whole number from 1"):
        read_sizes(OtherTypes, {"hidden": -1})
