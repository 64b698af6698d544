"""Imports without garbage collection: it is off meanwhile, and as it was behind."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from elmo_core.imports import importing_torch


def failing() -> None:
    with importing_torch():
        assert not gc.isenabled()
        raise ImportError


def test_collecting_goes_on_afterwards_whatever_happens() -> None:
    with pytest.raises(ImportError):
        failing()
    assert gc.isenabled()


def test_who_had_turned_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with importing_torch():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_there_before_is_still_collected_where_nothing_is_imported() -> None:
    frozen = gc.get_freeze_count()
    with importing_torch():
        import elmo_core.imports  # noqa: F401
    assert gc.get_freeze_count() <= frozen  # what dies meanwhile is not counted any more


@pytest.mark.parametrize("triton", [False, True])
def test_what_is_imported_is_passed_by_at_the_end_unless_triton_would_print_it(
    triton: bool,
) -> None:
    """It counts its own objects when the process ends, and takes what is left for leaks."""
    script = f"""
import atexit, gc, sys, types
atexit.register(lambda: print(gc.get_freeze_count() > 0))  # called last
from elmo_core.imports import importing_torch
with importing_torch():
    import colorsys
if {triton}:
    sys.modules["triton"] = types.ModuleType("triton")
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.stdout.split() == [str(not triton)]
