"""The machine's rate of matrix products, in the featurizer's precisions."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from bench.run.provenance import device_name
from bench.speed.clock import Now, seconds
from elmo_core.precision import exact_float32
from elmo_core.products import PRECISIONS, multiplies_bfloat16, product

ROWS, SIZE = {"cpu": (32, 256), "gpu": (4096, 8192)}, {"cpu": 2048, "gpu": 8192}
TIMES = 50  # the best of them: a thread that has just begun may still share a core


@dataclass(frozen=True)
class Machine:
    """What the measurements are taken on."""

    name: str
    cores: int
    threads: int
    torch: str
    rates: dict[str, float]  # by precision: floating-point operations a second


def measured(device: str, now: Now) -> Machine:
    """Measure the machine."""
    rates = {precision: _rate(precision, device, now) for precision in PRECISIONS}
    return Machine(
        device_name(device), os.cpu_count() or 1, torch.get_num_threads(), torch.__version__, rates
    )


@torch.no_grad()
def _rate(precision: str, device: str, now: Now) -> float:
    """Return the best rate of several products, packed and not, in operations a second."""
    kind = "cpu" if device == "cpu" else "gpu"
    size, dtype, best = SIZE[kind], PRECISIONS[precision], 0.0
    weight = torch.randn(size, size, device=device)
    works: list[Callable[[Tensor], Tensor]] = [product(weight, precision)]
    if device != "cpu" or dtype == torch.float32 or multiplies_bfloat16():
        works.append(partial(F.linear, weight=weight.to(dtype)))
    with exact_float32(torch.device(device)):
        for work, rows in itertools.product(works, ROWS[kind]):
            x = torch.randn(rows, size, device=device, dtype=dtype)
            work(x)
            took = min(seconds(partial(work, x), now) for _ in range(TIMES))
            best = max(best, 2 * rows * size * size / took)
    return best
