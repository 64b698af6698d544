"""The tokens a second that an encoder turns into layers, and what bounds them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from hydra.utils import get_object
from omegaconf import DictConfig
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from bench.run.build import device_of, instantiate
from bench.speed.clock import Now, seconds, typical
from bench.speed.peer.head_steps import RECURRENT
from bench.speed.text import Sentences, tokens
from elmo_core import Encoder
from elmo_core.encoders.checked import Checked
from elmo_core.products import PRECISIONS

PROBE = 32


@dataclass(frozen=True)
class Featurizer:
    """The speed of an encoder in one precision; rates are tokens a second."""

    precision: str
    sentences: int
    tokens: int
    cold: float  # the first call, with all that is prepared only once
    warm: float
    operations: float  # floating-point, of matrix products, a token
    limit: float | None  # if the machine did nothing but these products, at its best rate


@dataclass(frozen=True)
class Difference:
    """The absolute difference of a layer from float32."""

    largest: float
    mean: float


def precisions(cfg: DictConfig) -> list[str]:
    """Return the precisions that the encoder offers."""
    target = get_object(cfg.encoder["_target_"])
    return list(PRECISIONS) if "precision" in inspect.signature(target).parameters else ["float32"]


def encoder_in(cfg: DictConfig, precision: str) -> Encoder:
    """Load the encoder in one of them."""
    given = {"precision": precision} if len(precisions(cfg)) > 1 else {}
    encoder: Encoder = Checked(instantiate(cfg.encoder, **given))
    return encoder.to(device_of(cfg))


def sample(encoder: Encoder, found: Sentences, limit: float, now: Now) -> Sentences:
    """Return as many of the sentences as are encoded in about `limit` seconds."""
    probe = found[:PROBE]
    encoder.encode(probe[:1])  # what is only done once
    rate = len(probe) / seconds(lambda: encoder.encode(probe), now)
    return found[: max(round(rate * limit), PROBE)]


def measured(
    encoder: Encoder, precision: str, found: Sentences, best: float, now: Now
) -> tuple[Featurizer, list[Tensor]]:
    """Measure an encoder that has not encoded anything yet.

    Args:
        encoder: The encoder, in `precision`.
        precision: One of `precisions`.
        found: The sentences.
        best: The machine's rate of matrix products in this precision, operations a second.
        now: The clock.

    Returns:
        The figures, and the layers of each sentence.
    """
    layers: list[Tensor] = []
    cold = seconds(lambda: layers.extend(encoder.encode(found)), now)
    warm = typical(lambda: encoder.encode(found), now)
    count = tokens(found)
    each = operations(encoder, found) / count
    rates = (count / cold, count / warm, each, best / each if each else None)
    return Featurizer(precision, len(found), count, *rates), layers


def differences(found: Sequence[Tensor], exact: Sequence[Tensor]) -> list[Difference]:
    """Return the difference of each layer, over all sentences."""
    off = (torch.cat(list(found), dim=1) - torch.cat(list(exact), dim=1)).abs()
    return [Difference(layer.max().item(), layer.mean().item()) for layer in off]


def operations(encoder: Encoder, found: Sentences) -> int:
    """Count the multiplications and additions of all matrix products."""
    with FlopCounterMode(display=False, custom_mapping=uncounted_products()) as counter:
        encoder.encode(found)
    return int(counter.get_total_flops())


def uncounted_products() -> dict[object, Callable[..., int]]:
    """Count what torch does not: oneDNN's product, and recurrent layers."""

    def count(x: Sequence[int], weight: Sequence[int], *_: object, **__: object) -> int:
        return 2 * torch.Size(x).numel() * weight[0]

    operator = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    return {**RECURRENT, operator: count} if operator else dict(RECURRENT)
