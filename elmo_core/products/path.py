"""Which library computes matrix products on this machine's CPU, and in which precisions.

PyTorch hands float32's to MKL, which does not use AVX-512 on AMD's processors; oneDNN, which every
build of PyTorch for x86 brings along, does (docs/performance.md). The choice depends on the machine
and the environment alone, never on a measurement, so that all processes on one machine compute the
same bits.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import torch

from elmo_core.errors import OptionsError

VARIABLE = "ELMO_BENCH_PRODUCTS"
"""The environment variable that overrules the choice: `onednn` or `torch`."""

PATHS = ("onednn", "torch")

_overruled: list[str] = []


@contextmanager
def using(library: str) -> Iterator[None]:
    """Overrule the choice for learned products within the block, so that two can be compared."""
    _overruled.append(library)
    try:
        yield
    finally:
        _overruled.pop()


def chosen() -> str:
    """Name the library of float32 products on the CPU.

    Returns:
        `onednn` where it is quicker and present, else `torch`: PyTorch's own choice.

    Raises:
        OptionsError: The variable holds another word, or asks for oneDNN where PyTorch lacks it.
    """
    return _overruled[-1] if _overruled else _decided()


@cache
def _decided() -> str:
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return "onednn" if has_onednn() and _mkl_is_slow() else "torch"
    if wanted not in PATHS:
        raise OptionsError(f"{VARIABLE}={wanted}: choose {' or '.join(PATHS)}")
    if wanted == "onednn" and not has_onednn():
        raise OptionsError(f"{VARIABLE}=onednn: this PyTorch has no oneDNN; unset the variable")
    return wanted


@cache
def packs() -> bool:
    """Tell whether matrices that never change are laid out for oneDNN.

    This saves what MKL does anew in every call, so it pays on processors of any maker.
    """
    if os.environ.get(VARIABLE):
        return _decided() == "onednn"
    return has_onednn() and torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")


def has_onednn() -> bool:
    """Tell whether this PyTorch has the operators that `torch.compile` uses for oneDNN."""
    names = ("_linear_pointwise", "_reorder_linear_weight")
    return torch.backends.mkldnn.is_available() and all(
        hasattr(torch.ops.mkldnn, name) for name in names
    )


@cache
def multiplies_bfloat16() -> bool:
    """Tell whether oneDNN multiplies bfloat16 on this processor.

    Without AVX-512, AMX or the like, as in most laptops, PyTorch does it number by number: seventy
    times as slowly as float32 (docs/performance.md).
    """
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return torch.backends.mkldnn.is_available() and supported is not None and supported()


def _mkl_is_slow() -> bool:
    """MKL does not use AVX-512 on AMD's processors."""
    wide = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch.backends.mkl.is_available() and wide and "AuthenticAMD" in _processor()


def _processor() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return platform.processor()
