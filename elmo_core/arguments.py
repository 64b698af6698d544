"""Values on a command line: types for argparse, which names the option that one was given to."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from pathlib import Path


def path(text: str) -> Path:
    """Read a path; `~` is one's home, also in `--option=~/folder`, where shells leave it as it is.

    >>> path("runs/snli").as_posix()
    'runs/snli'
    """
    return Path(os.path.expanduser(text))


def whole_number(text: str) -> int:
    """Read a whole number from 1. Raises ArgumentTypeError.

    >>> whole_number("32")
    32
    """
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def days(text: str) -> float:
    """Read a number of days above 0. Raises ArgumentTypeError.

    >>> days("0.5")
    0.5
    """
    number = _number(text)
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number of days above 0")
    return number


def share(text: str) -> float:
    """Read a share that leaves something on both sides. Raises ArgumentTypeError.

    >>> share("0.01")
    0.01
    """
    number = _number(text)
    if not 0 < number < 1:
        raise ArgumentTypeError(f"{text!r} is not a number above 0 and below 1")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
