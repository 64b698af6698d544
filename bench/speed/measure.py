"""All measurements, one after the other."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

import tasks
from bench.errors import RunError, explain
from bench.overrides import composed
from bench.run.build import device_of
from bench.run.trainer import check_device
from bench.speed import featurizer, machine, reading, steps, text
from bench.speed.clock import Now, clock
from bench.speed.featurizer import Difference, Featurizer
from bench.speed.machine import Machine
from bench.speed.peer import heads, peer
from bench.speed.peer.heads import Beside
from bench.speed.peer.peer import Peer
from bench.speed.reading import Reading
from bench.speed.steps import Step
from elmo_core import Encoder
from elmo_core.errors import did_you_mean

Say = Callable[[str], object]


@dataclass(frozen=True)
class Measured:
    """All that was measured."""

    clock: str
    machine: Machine
    encoder: str
    featurizers: list[Featurizer]
    errors: dict[str, list[Difference]]  # of each layer against float32, by precision
    peer: Peer | None
    reading: list[Reading]
    steps: list[Step]
    heads: list[Beside]  # of tasks that have a peer
    without: dict[str, str]  # tasks that could not be measured, and why


def measure(given: Namespace, say: Say) -> Measured:
    """Take all measurements that the parsed command line asks for.

    `say` is called with what is measured next. Raises RunError for what cannot be measured.
    """
    names = _chosen(given.tasks)
    found = text.sentences(given.text, given.sentences)
    if given.peer is not None and not given.peer.is_file():
        raise RunError(f"--peer {given.peer}: no such file")
    if given.threads is not None:
        torch.set_num_threads(given.threads)
    cfg = composed(given.overrides)
    check_device(cfg)
    device = device_of(cfg)
    if given.peer is not None and device != "cpu":
        raise RunError("--peer compares on the CPU, where AllenNLP runs: trainer=cpu")
    now, kind = clock(device)
    say("the machine's products")
    at_hand = machine.measured(device, now)
    say("the featurizer")
    encoders = {"float32": featurizer.encoder_in(cfg, "float32")}
    chosen = featurizer.sample(encoders["float32"], found, given.seconds, now)
    featurizers, errors = [], {}
    for precision in featurizer.precisions(cfg):
        say(f"the featurizer, {precision}")
        encoders[precision] = featurizer.encoder_in(cfg, precision)
        rate = at_hand.rates[precision]
        figures, layers = featurizer.measured(encoders[precision], precision, chosen, rate, now)
        featurizers.append(figures)
        if precision == "float32":
            exact = layers
        else:
            errors[precision] = featurizer.differences(layers, exact)
    beside = None
    if given.peer is not None:
        say("the peer")
        beside = peer.measured(given.peer, encoders, found, given.seconds, now)
    say("the store")
    encoder = encoders["float32"]
    read = reading.measured(encoder, cfg.features.dir, cfg.features.precision, chosen)
    of_tasks = _of_tasks(given, names, encoder, now, say)
    return Measured(kind, at_hand, encoder.name, featurizers, errors, beside, read, *of_tasks)


def _of_tasks(
    given: Namespace, names: list[str], encoder: Encoder, now: Now, say: Say
) -> tuple[list[Step], list[Beside], dict[str, str]]:
    """Measure the training steps of these tasks, also beside the peer's where they have one, and
    say why some could not be measured."""
    words = as_in_the_paper(given.overrides)
    taken: list[Step] = []
    together: list[Beside] = []
    without: dict[str, str] = {}
    for name in names:
        say(f"training steps, {name}")
        with _reasons(without, name):
            taken += steps.measured(words, name, encoder, given.steps, now)
            if given.peer is not None and (file := heads.file_of(words, name)):
                say(f"training steps beside the peer's, {name}")
                where = (name, file, given.peer)
                together.append(heads.measured(words, *where, encoder, given.steps))
    return taken, together, without


def as_in_the_paper(words: list[str]) -> list[str]:
    """Take the paper's training, unless a recipe is named: steps of every data are of one size.

    >>> as_in_the_paper(["task=squad"])
    ['recipe=paper', 'task=squad']
    """
    named = any(word.startswith("recipe=") for word in words)
    return words if named else ["recipe=paper", *words]


@contextmanager
def _reasons(without: dict[str, str], name: str) -> Iterator[None]:
    """Note why a task cannot be measured, where the user can mend it."""
    try:
        yield
    except Exception as error:
        if (reason := explain(error)) is None:
            raise
        without[name] = reason


def _chosen(names: list[str] | None) -> list[str]:
    """Return the tasks that are named, by default all. Raises RunError for an unknown one."""
    known = tasks.names()
    for name in names or ():
        if name not in known:
            hint = did_you_mean(name, known)
            raise RunError(f"--tasks {name}: no such task{hint} (choose {', '.join(known)})")
    return known if names is None else names
