"""The other programs of bench, called in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest


def said(
    capsys: pytest.CaptureFixture[str],
    program: Callable[[list[str]], object],
    words: Iterable[object],
) -> tuple[int, str, str]:
    """Return a program's exit status on these words, what it says, and what of errors."""
    capsys.readouterr()
    return status(program, words), *capsys.readouterr()


def status(program: Callable[[list[str]], object], words: Iterable[object]) -> int:
    """Return a program's exit status on these words."""
    try:
        program([str(word) for word in words])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
