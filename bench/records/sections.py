"""The parts of a result: who trained, what was learned, what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.records.typed_json import Part


@dataclass(frozen=True, kw_only=True)
class Elmo(Part):
    """Where ELMo entered the model and how its layers were mixed.

    A field is None where it did not count, or where the runs of an ensemble differ in it.
    """

    placement: str
    layers: str | None = None
    l2: float | None = None  # λ
    dropout: float | None = None
    layer_norm: bool | None = None


@dataclass(frozen=True, kw_only=True)
class EncoderFacts(Part):
    """The encoder of a run. Of an ensemble with several encoders, their names alone are known."""

    name: str
    fingerprint: str | None = None
    layers: int | None = None
    dim: int | None = None
    parameters: int | None = None


@dataclass(frozen=True, kw_only=True)
class Primary(Part):
    """The one number that stands for a run: the task's metric on test, or on dev without a test."""

    name: str
    split: str
    value: float

    @classmethod
    def of(cls, name: str, metrics: Mapping[str, Mapping[str, float]]) -> Primary:
        """Take the metric `name` from a run's metrics, by split and metric."""
        split = "test" if "test" in metrics else "dev"
        return cls(name=name, split=split, value=metrics[split][name])


@dataclass(frozen=True, kw_only=True)
class Mix(Part):
    """The layer mix of one place: the weights s after the softmax, and the scale γ."""

    weights: Sequence[float]
    gamma: float


@dataclass(frozen=True, kw_only=True)
class Epoch(Part):
    """One epoch of training, counted from 1; no loss where nothing is learned by gradient."""

    epoch: int
    steps: int | None = None  # of the optimizer, since training began
    train_loss: float | None = None
    lr: float | None = None
    dev: Mapping[str, float]  # every metric of the task
    seconds: float


@dataclass(frozen=True, kw_only=True)
class CodedLabels(Part):
    """A block of an online code: the labels that come next, to whoever has learned those before."""

    known: int  # examples before; of none, all labels are equally likely
    labels: int  # in the block
    bits: float


@dataclass(frozen=True, kw_only=True)
class OnlineCode(Part):
    """The online code of a training set's labels, given the vectors (Voita & Titov 2020)."""

    choices: int  # labels that there are to choose from
    blocks: Sequence[CodedLabels]

    @property
    def bits(self) -> float:
        """The code length."""
        return sum(block.bits for block in self.blocks)

    @property
    def compression(self) -> float:
        """How many times as long the code is in which all labels are equally likely."""
        return math.log2(self.choices) * sum(block.labels for block in self.blocks) / self.bits


@dataclass(frozen=True, kw_only=True)
class MemberScore(Part):
    """A run of an ensemble, and its own score on each split that the ensemble was scored on."""

    run_id: str
    seed: int
    head: str | None = None  # as Evaluation's; older records lack it
    dev: float | None = None
    test: float | None = None


@dataclass(frozen=True, kw_only=True)
class Evaluation(Part):
    """Which finished run is scored on other examples, and how these are read and spelled."""

    run_id: str
    head: str  # SHA-256 of the run's head.safetensors: the run may have been repeated since
    trained_on: Mapping[str, Any]  # the run's `data`
    names: Mapping[str, str] = field(default_factory=dict)  # labels that were given other names
    noise: Mapping[str, Any] | None = None
    """Its `kind`, `share` and `seed`, and `changed`, the share of words that it did change."""


@dataclass(frozen=True, kw_only=True)
class Sitting(Part):
    """One process's work on a run. A run that was interrupted has several."""

    date: str  # when it began: UTC, ISO 8601
    command: str
    commit: str | None = None  # of the suite, where it is a git checkout
    dirty: bool | None = None  # whether that checkout had changes of its own
    platform: str
    processor: str  # the GPU, or else the CPU
    threads: int
    world_size: int  # processes that trained together
    precision: str
    torch: str
    products: str | None = None  # the library of float32 matrix products; older records lack it
    first_epoch: int | None = None  # that it trained; None where it trained none
