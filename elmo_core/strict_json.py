"""JSON from files that anyone may have written: parsed, or refused with one kind of error."""

from __future__ import annotations

import json
import math
import re
from typing import Any

DIGITS = 300  # more than any integer has that means something; int() takes the square of their time
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str) -> Any:
    r"""Parse JSON that can be written again as UTF-8.

    Raises:
        ValueError: the text is not JSON, or holds what has no place in it: NaN, an infinity, half
            of a surrogate pair, a number of hundreds of digits, brackets nested a thousand deep.

    >>> loads('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> loads('[NaN]')
    Traceback (most recent call last):
    ValueError: NaN is no number
    """
    try:
        value = json.loads(text, parse_constant=_constant, parse_int=_integer, parse_float=_finite)
        if _SURROGATE.search(text):  # whole pairs are one character by now
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("brackets are nested too deep") from None
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair") from None
    return value


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _integer(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is too large a number")
    return value
