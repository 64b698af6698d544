"""Training steps of a task's head beside those of the same network made of AllenNLP's modules.

A task takes part whose folder has a `peer.py` (tasks/base/peer.py says what is in it). Ours and
theirs are processes of their own, which start from the same weights and take steps in turns, on the
same batches, with the same optimiser and clipping, on the CPU.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import torch
from omegaconf import DictConfig, OmegaConf
from torch import Tensor

from bench.overrides import composed
from bench.run.build import placement_of, task_of
from bench.run.datamodule import BenchData
from bench.run.optimizer import without_nulls
from bench.speed.peer.talking import Ask, talking
from elmo_core import Encoder, pad
from elmo_core.products import multiplies_bfloat16
from tasks.task import Batch, Task

SCRIPT = Path(__file__).with_name("allennlp_head.py")
OURS = (sys.executable, "-m", "bench.speed.peer.our_head")


@dataclass(frozen=True)
class Side:
    """One network."""

    parameters: int  # that are trained
    loss: float  # of the first batch before any step, nothing dropped out
    seconds: float  # the median step
    operations: float  # floating-point, of the matrix products of the median step
    rate: float  # the median of operations a second
    memory: int  # bytes by which the process has grown at most


@dataclass(frozen=True)
class Beside:
    """Ours and theirs."""

    task: str
    batch_size: int
    overrides: list[str]  # of our configuration, which make both one function
    difference: str  # what is not the same all the same
    theirs: Side
    ours: dict[str, Side]  # by precision


def file_of(words: Sequence[str], name: str) -> Path | None:
    """Return the task's peer.py, which lies beside its class; None where there is none."""
    task = task_of(composed([*words, f"task={name}"]))
    path = Path(inspect.getfile(type(task))).with_name("peer.py")
    return path if path.is_file() else None


def measured(
    words: Sequence[str], name: str, file: Path, python: Path, encoder: Encoder, steps: int
) -> Beside:
    """Measure the steps of a task's head beside the peer's.

    Args:
        words: The words of the command line that compose a run.
        name: The task.
        file: Its peer.py.
        python: An interpreter that has AllenNLP.
        encoder: Whose layers both read.
        steps: How many are measured.

    Returns:
        The comparison.

    Raises:
        RunError: One of them cannot be run.
    """
    words = [*words, f"task={name}"]
    threads = str(torch.get_num_threads())
    command = [str(python), "-W", "ignore", str(SCRIPT), str(file), threads]
    with ExitStack() as stack:
        said, theirs = stack.enter_context(talking(command, f"--peer {python}"))
        sides = {"theirs": theirs}
        for precision in precisions():
            ours = talking([*OURS, threads], f"--peer: our {name}")
            _, sides[precision] = stack.enter_context(ours)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cfg = composed([*words, *said["overrides"]])
        data = BenchData.of(cfg, task_of(cfg))
        data.task.prepare(data.examples("train"))
        request = _request(cfg, data.task, encoder, folder)
        request["overrides"] = [*words, *said["overrides"]]
        found = _taken(sides, request, _batches(data, encoder), folder / "batch.pt", steps)
    theirs_found = found.pop("theirs")
    size = cfg.training.batch_size
    return Beside(name, size, said["overrides"], said["difference"], theirs_found, found)


def precisions() -> tuple[str, ...]:
    """Name those that our products can be in: `trainer.precision=32-true` and `bf16-mixed`."""
    return ("float32", "bfloat16") if multiplies_bfloat16() else ("float32",)


def _request(cfg: DictConfig, task: Task, encoder: Encoder, folder: Path) -> dict[str, Any]:
    """Make the head, save its parameters, and return the request that builds it elsewhere."""
    torch.manual_seed(cfg.seed)
    model = task.model(placement_of(cfg, encoder))
    torch.save(dict(model.named_parameters()), folder / "parameters.pt")
    chosen: Any = OmegaConf.to_container(cfg, resolve=True)
    training = chosen["training"]
    return {
        "build": str(folder / "parameters.pt"),
        "vocabulary": task.vocabulary(),
        "chosen": {
            **{part: chosen[part] for part in ("task", "elmo")},
            "encoder": {"layers": encoder.layers, "dim": encoder.dim},
            "labels": list(task.labels),
        },
        "optimizer": without_nulls(training["optimizer"]),
        **{key: training[key] for key in ("clip_norm", "clip_value")},
    }


def _batches(data: BenchData, encoder: Encoder) -> Iterator[tuple[Batch, Tensor]]:
    """Yield batches of training, with the layers of their sentences, without end."""
    train, task = data.examples("train"), data.task
    epoch: Any = data.train_dataloader().batch_sampler
    for indices in cycle(epoch):
        examples = [train[i] for i in indices]
        layers, _ = pad(encoder.encode([s for e in examples for s in task.sentences(e)]))
        yield task.collate(examples), layers


def _taken(
    sides: dict[str, Ask],
    request: dict[str, Any],
    batches: Iterator[tuple[Batch, Tensor]],
    path: Path,
    steps: int,
) -> dict[str, Side]:
    """Build the networks and take steps with them in turns, each batch saved at `path`.

    A batch is gone through twice: what is done for its shape the first time, and the counting of
    operations, takes no part in the time.
    """
    laps: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    begun: dict[str, tuple[int, float]] = {}
    for i in range(steps):
        torch.save(next(batches), path)
        if i == 0:
            for name, ask in sides.items():
                parameters = ask(**request, bfloat16=name == "bfloat16")
                begun[name] = parameters, ask(loss=str(path))
        counts = [ask(count=str(path)) for ask in sides.values()]
        for (name, ask), operations in zip(sides.items(), counts, strict=True):
            laps[name].append((ask(step=str(path)), operations))
    return {
        name: Side(
            *begun[name],
            seconds=median(seconds for seconds, _ in laps[name]),
            operations=median(operations for _, operations in laps[name]),
            rate=median(operations / seconds for seconds, operations in laps[name]),
            memory=ask(memory=True),
        )
        for name, ask in sides.items()
    }
