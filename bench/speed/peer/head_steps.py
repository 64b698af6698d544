"""The training steps of one network, taken when asked for: the same code for ours and the peer's.

One request a line, one answer a line, both JSON:

- {"build": FILE, ...}: makes the network of the parameters in FILE, and its optimiser; answers with
  the number of parameters that are trained;
- {"loss": FILE}: answers with the loss of the batch in FILE, nothing dropped out;
- {"count": FILE}: takes a step, and answers with the operations of its matrix products;
- {"step": FILE}: takes a step, and answers with the seconds that it took;
- {"memory": true}: answers with the bytes by which the process has grown since it was built.

Nothing of ours is imported here: the peer's interpreter runs this, too.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

Build = Callable[[dict[str, nn.Parameter], dict[str, Any]], nn.Module]
"""Makes a network, whose `forward(batch, layers)` returns the loss, of our parameters and of the
request to build it."""

Tune = Callable[[Any], object]
"""Makes an optimiser quicker than it is by itself."""

Counting = dict[Any, Callable[..., int]]
"""The operations of products that torch does not count, as FlopCounterMode takes it."""


def _lstm(times: int) -> Callable[..., int]:
    """Count an LSTM's products `times` over."""

    def count(x: Any, of_input: Any, of_state: Any, *_: Any, **__: Any) -> int:
        return times * 2 * x[0] * x[1] * of_input[0] * (of_input[1] + of_state[1])

    return count


def _cudnn(times: int) -> Callable[..., int]:
    """Count cuDNN's products `times` over: each token meets each matrix once."""

    def count(x: Any, weights: Any, *_: Any, **__: Any) -> int:
        matrices = sum(torch.Size(shape).numel() for shape in weights if len(shape) == 2)
        return times * 2 * torch.Size(x[:-1]).numel() * matrices

    return count


RECURRENT: Counting = {
    torch.ops.aten.mkldnn_rnn_layer: _lstm(1),
    torch.ops.aten.mkldnn_rnn_layer_backward: _lstm(2),
    torch.ops.aten._cudnn_rnn: _cudnn(1),
    torch.ops.aten._cudnn_rnn_backward: _cudnn(2),
}
"""What torch calls for recurrent layers and does not count: on a CPU for an LSTM in one direction
over sequences that are equally long, on a GPU for all layers and directions of an LSTM or a GRU."""


class Steps:
    """A network, and the steps that it takes."""

    def __init__(
        self, build: Build, request: dict[str, Any], counting: Counting, tune: Tune
    ) -> None:
        self.request, self.counting = request, counting
        self.network = build(torch.load(request["build"], weights_only=True), request).train()
        self.trained = [each for each in self.network.parameters() if each.requires_grad]
        given = dict(request["optimizer"])
        module, _, name = given.pop("_target_").rpartition(".")
        self.optimizer = getattr(import_module(module), name)(self.trained, **given)
        tune(self.optimizer)
        # At one thread, CPU time: what else the machine does shall not count.
        self.now = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
        self.before = peak()

    def loss(self, path: str) -> float:
        """Compute the loss of a batch as it is in evaluation."""
        with torch.no_grad():
            loss = self.network.eval()(*_batch(path))
        self.network.train()
        return float(loss)

    def step(self, path: str) -> float:
        """Take a step; return the seconds."""
        batch = _batch(path)
        started = self.now()
        self._step(*batch)
        return self.now() - started

    def count(self, path: str) -> int:
        """Take a step; return its operations."""
        with FlopCounterMode(
            display=False, custom_mapping={**RECURRENT, **self.counting}
        ) as counter:
            self._step(*_batch(path))
        return int(counter.get_total_flops())

    def _step(self, batch: dict[str, Tensor], layers: Tensor) -> None:
        self.optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.request["bfloat16"]):
            loss = self.network(batch, layers)
        loss.backward()
        if (most := self.request["clip_norm"]) is not None:
            nn.utils.clip_grad_norm_(self.trained, most)
        elif (most := self.request["clip_value"]) is not None:
            nn.utils.clip_grad_value_(self.trained, most)
        self.optimizer.step()


def serve(
    build: Build, threads: int, ready: Any, counting: Counting, tune: Tune = lambda _: None
) -> None:
    """Answer requests until there are no more.

    Args:
        build: Makes the network.
        threads: Of the CPU.
        ready: What is answered before the first request.
        counting: What else counts as a product.
        tune: Is called with each optimiser that is made.
    """
    torch.set_num_threads(threads)
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        answer: Any
        if "build" in request:
            steps = Steps(build, request, counting, tune)
            answer = sum(each.numel() for each in steps.trained)
        elif "memory" in request:
            answer = peak() - steps.before
        else:
            ((kind, path),) = request.items()
            answer = {"loss": steps.loss, "count": steps.count, "step": steps.step}[kind](path)
        print(json.dumps(answer), flush=True)


def peak() -> int:
    """Return the most bytes of memory that this process has held at once.

    Linux hands the parent's peak down to `ru_maxrss`, but not to VmHWM.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on a Mac


def _batch(path: str) -> tuple[dict[str, Tensor], Tensor]:
    """Load a batch; what is then drawn at random is the same whenever and wherever it is read."""
    torch.manual_seed(0)
    batch, layers = torch.load(path, weights_only=True)
    return batch, layers
