"""The weights that training begins with, drawn as the published program draws them.

`bilm/training.py` of the original; in the paper, nothing is said.
"""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from elmo_core.bilm.options import Options


@torch.no_grad()
def draw(name: str, weight: Tensor, options: Options, generator: Generator | None) -> None:
    """Fill one parameter of a BiLM, known by its name in the state dict.

    A generator on the CPU makes the numbers repeatable; None takes torch's own.
    """
    outer, inner = options.projection_dim, options.cells
    if name.endswith("carry.bias"):
        weight.fill_(-2.0)  # a gate nearly closed: a highway layer begins close to the identity
    elif name.endswith("bias"):
        weight.zero_()
    elif name.endswith("embedding"):
        weight.uniform_(-1.0, 1.0, generator=generator)
    elif ".banks." in name and options.activation == "relu":
        weight.uniform_(-0.05, 0.05, generator=generator)
    elif name.startswith("char_cnn."):
        weight.normal_(0.0, math.sqrt(1.0 / weight[0].numel()), generator=generator)
    elif name.endswith("projection"):
        _glorot(weight, outer + inner, generator)
    else:  # input and recurrent weights: one matrix of 2D × 4H there, whose size sets the limit
        _glorot(weight, 2 * outer + 4 * inner, generator)


def _glorot(weight: Tensor, size: int, generator: Generator | None) -> None:
    limit = math.sqrt(6.0 / size)
    weight.uniform_(-limit, limit, generator=generator)
