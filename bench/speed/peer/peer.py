"""The same weights and the same sentences in AllenNLP's `Elmo`, measured side by side.

It needs an environment of its own (docs/performance.md), whose interpreter runs allennlp_elmo.py.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch

from bench.errors import RunError
from bench.speed.clock import Now, seconds
from bench.speed.peer.talking import Ask, talking
from bench.speed.text import Sentences, tokens
from elmo_core import BiLM, Encoder
from elmo_core.bilm import weights

SCRIPT = Path(__file__).with_name("allennlp_elmo.py")
WAYS = ((32, True), (64, True), (32, False))
"""Sentences in a batch, and whether they are sorted by length before."""
COMPARED, PROBE = 32, 64
LEAST = 256
"""Sentences; of fewer, those of a batch differ more in length than a corpus's do."""


@dataclass(frozen=True)
class Compared:
    """One way of making batches; rates are tokens a second."""

    batch: int
    in_order: bool
    sentences: int
    tokens: int
    theirs: float
    ours: dict[str, float]  # by precision; of the two measurements beside theirs


@dataclass(frozen=True)
class Peer:
    """What was measured beside the peer."""

    difference: float  # the largest, in any layer of the first sentences
    compared: list[Compared]


def measured(
    python: Path, encoders: dict[str, Encoder], found: Sentences, limit: float, now: Now
) -> Peer:
    """Measure the peer and our encoders side by side.

    Ours are measured before and after each measurement of theirs, so that both meet the same
    machine.

    Args:
        python: An interpreter that has AllenNLP.
        encoders: Ours, by precision.
        found: The sentences.
        limit: The seconds that one measurement of theirs takes, about.
        now: The clock.

    Returns:
        The comparison.

    Raises:
        RunError: The peer cannot be run, or the encoder is no biLM.
    """
    exact = encoders["float32"]
    bilm = getattr(getattr(exact, "encoder", exact), "bilm", None)
    if not isinstance(bilm, BiLM):
        raise RunError(f"--peer: {exact.name} is no biLM, which is all that AllenNLP's Elmo takes")

    def ours() -> dict[str, float]:
        return {p: seconds(partial(e.encode, chosen), now) for p, e in encoders.items()}

    compared = []
    with _started(python, bilm, found) as ask:
        difference = _difference(ask, exact, found[:COMPARED])
        rate = min(PROBE, len(found)) / ask(sentences=PROBE, batch=32, sorted=True)
        chosen = found[: max(round(rate * limit), LEAST)]
        count, after = tokens(chosen), ours()
        for batch, in_order in WAYS:
            before, theirs = after, ask(sentences=len(chosen), batch=batch, sorted=in_order)
            after = ours()
            rates = {p: 2 * count / (before[p] + after[p]) for p in encoders}
            compared.append(Compared(batch, in_order, len(chosen), count, count / theirs, rates))
    return Peer(difference, compared)


def _difference(ask: Ask, encoder: Encoder, found: Sentences) -> float:
    """Return the largest difference in any layer of these sentences."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layers.pt"
        ask(vectors=len(found), to=str(path))
        theirs = torch.load(path, weights_only=True)
    pairs = zip(encoder.encode(found), theirs, strict=True)
    return max((a - b[:, 1 : a.shape[1] + 1]).abs().max().item() for a, b in pairs)


@contextmanager
def _started(python: Path, bilm: BiLM, found: Sentences) -> Iterator[Ask]:
    """Start the peer; yield a function that asks it and waits for its answer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weights.write_hdf5(bilm, folder / "weights.hdf5")
        (folder / "options.json").write_text(json.dumps(bilm.options.published()))
        (folder / "sentences.json").write_text(json.dumps(found))
        command = [str(python), "-W", "ignore", str(SCRIPT), name, str(torch.get_num_threads())]
        with talking(command, f"--peer {python}") as (_, ask):
            yield ask
