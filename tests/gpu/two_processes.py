"""Two processes that train one head on one device: `python -m tests.gpu.two_processes cpu`.

NCCL wants a GPU for each process; gloo does not.
"""

from __future__ import annotations

import sys
import tempfile

import torch
import torch.multiprocessing
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from bench.overrides import composed
from tests.devices.heads import Head


class Losing(nn.Module):
    """A model of which the loss alone is wanted."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: object) -> torch.Tensor:
        loss: torch.Tensor = self.model(*inputs)["loss"]
        return loss


def train(rank: int, file: str, kind: str) -> None:
    """Compare the gradient of both processes with the mean of each one's own."""
    torch.distributed.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    device = torch.device(kind)
    it = Head(composed(["task=snli", "data=mini", "task.hidden=8"]))
    examples = it.examples
    halves = []
    for part in range(2):
        it.examples = examples[part::2]
        halves.append(it.on(device, it.batch()))
    alone = [losing(it, device) for _ in range(2)]
    for model, half in zip(alone, halves, strict=True):
        model(half["tensors"], half["layers"]).backward()
    together = losing(it, device)
    parallel = DistributedDataParallel(together)
    parallel(halves[rank]["tensors"], halves[rank]["layers"]).backward()
    for mine, *others in zip(together.parameters(), *(m.parameters() for m in alone), strict=True):
        if mine.grad is not None:
            mean = torch.stack([other.grad for other in others]).mean(0)
            torch.testing.assert_close(mine.grad, mean, rtol=1e-4, atol=1e-5)
    print("the gradients agree", flush=True)
    torch.distributed.destroy_process_group()


def losing(it: Head, device: torch.device) -> Losing:
    """Make the model, with the same weights each time."""
    return Losing(it.module(dropout=False).model).to(device)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, (f"{folder}/meeting", sys.argv[1]), nprocs=2)
