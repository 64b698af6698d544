"""Arrays in files of results."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from bench.records.arrays import packed, unpacked


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([[0, 1], [255, 3]], "u1"),
        ([[0, 1], [256, 3]], "u2"),
        ([[70_000.0, 1]], "u4"),
        ([[0.5, 1]], "f8"),
        ([[-1, 1]], "f8"),
        (np.zeros((0, 3)), "u1"),
    ],
)
def test_arrays_come_back_to_the_bit(values: Any, kind: str) -> None:
    written = json.loads(json.dumps(packed(np.array(values))))
    assert written["type"] == kind
    assert np.array_equal(unpacked(written), np.array(values, dtype=float))


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "O"},
        {"shape": [3]},
        {"shape": [-2, 2]},
        {"shape": [10**9, 10**9]},
        {"zlib": "AAAA"},
        {"zlib": "!"},
    ],
)
def test_an_array_of_nobody_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpacked({**packed(np.ones((2, 2))), **changes})
