"""JSON that json.loads takes, or stumbles over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elmo_core import strict_json
from tasks.snli import data as snli
from tasks.squad import data as squad
from tasks.task import DataError

ABSURD = {
    "nested too deep": "[" * 100_000,
    "a number of 5000 digits": "9" * 5000,
    "a number of 5001 digits": "-" + "9" * 5000,
    "half of a surrogate pair": r'"\ud83d"',
    "NaN is no number": "NaN",
    "-Infinity is no number": "[-Infinity]",
    "1e999 is too large": "1e999",
}


@pytest.mark.parametrize(("says", "text"), ABSURD.items(), ids=ABSURD)
def test_absurd_json_is_refused(says: str, text: str) -> None:
    with pytest.raises(ValueError, match=says):
        strict_json.loads(text)


def test_other_json_is_read_as_ever() -> None:
    text = r'{"a": [1, -2.5e3, true, null, "\ud83d\ude00", "\\ud83d", "\u00e9"], "b": {"c": 0}}'
    assert strict_json.loads(text) == json.loads(text)


def of_snli(value: str) -> str:
    return '{"sentence1": "A", "sentence2": "B", "gold_label": "neutral", "x": ' + value + "}\n"


def of_squad(value: str) -> str:
    return '{"data": [], "x": ' + value + "}"


@pytest.mark.parametrize(
    ("name", "read", "text"),
    [
        ("snli_1.0_dev.jsonl", snli.read, of_snli),
        ("dev-v1.1.json", squad.read, of_squad),
    ],
)
@pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD)
def test_readers_refuse_it_with_its_place(
    value: str,
    name: str,
    read: Callable[[Path, str], Any],
    text: Callable[[str], str],
    tmp_path: Path,
) -> None:
    (tmp_path / name).write_text(text(value))
    with pytest.raises(DataError, match=rf"{name}(, line 1)?: not JSON \("):
        read(tmp_path, "dev")
