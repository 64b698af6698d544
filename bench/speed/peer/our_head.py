"""A head of ours in a process of its own, asked over pipes as the peer's is (`head_steps`).

python -m bench.speed.peer.our_head THREADS
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, cast

from torch import Tensor, nn

from bench.overrides import composed
from bench.run.build import placement_of, task_of
from bench.run.optimizer import fuse
from bench.speed.featurizer import uncounted_products
from bench.speed.peer.head_steps import serve
from elmo_core import Encoder, heap


class Shape(NamedTuple):
    """All that a placement asks of an encoder."""

    layers: int
    dim: int


class Head(nn.Module):
    """A task's model, of which the loss is asked alone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: dict[str, Tensor], layers: Tensor) -> Tensor:
        loss: Tensor = self.model(batch, layers)["loss"]
        return loss + cast(Any, self.model).placement.penalty()


def build(parameters: dict[str, nn.Parameter], request: dict[str, Any]) -> Head:
    """Make the model that `heads` made, with its parameters."""
    cfg = composed(request["overrides"])
    task = task_of(cfg)
    task.restore(request["vocabulary"])
    shape = cast(Encoder, Shape(**request["chosen"]["encoder"]))
    model = task.model(placement_of(cfg, shape))
    for name, given in parameters.items():
        parameter = model.get_parameter(name)
        parameter.data = given.data
        parameter.requires_grad_(given.requires_grad)
    return Head(model)


if __name__ == "__main__":
    heap.keep()
    serve(build, int(sys.argv[1]), "ready", uncounted_products(), fuse)
