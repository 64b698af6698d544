"""A biLM that has learned nothing: the full architecture with seeded random weights.

Useful as a control – how much of a gain comes from the vectors, how much from the added
parameters? – and wherever a real encoder's shape is needed without its file.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from typing import Any

import torch
from torch import Generator

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.chars import word_ids
from elmo_core.downloads.presets import preset
from elmo_core.encoders.elmo import ElmoEncoder
from elmo_core.precision import exact_float32
from elmo_core.products import check_precision

VERSION = "random 1"
"""Of how weights are drawn. It stands in the fingerprint with all that decides them: the weights
themselves differ in their last bits, as processors round differently."""

SAMPLE = 1000  # random words from which the token layer's mean is taken


def random_elmo(
    shape: str | Mapping[str, Any] = "elmo-small", seed: int = 0, precision: str = "float32"
) -> ElmoEncoder:
    """Make an encoder of a preset's shape, or of these options; the same seed, the same weights.

    On another processor they may differ in their last bits; the fingerprint is the same.

    Raises OptionsError for an unknown preset or precision, or for options that make no sense.
    """
    check_precision(precision)
    options = preset(shape).options if isinstance(shape, str) else shape
    name = shape if isinstance(shape, str) else "elmo"
    with torch.device("meta"):
        bilm = BiLM(options)
    bilm = bilm.to_empty(device="cpu").requires_grad_(False)
    with exact_float32(torch.device("cpu")):
        _draw(bilm, Generator().manual_seed(seed))
    drawn = f"{VERSION}\n{bilm.options.canonical()}\n{seed}"
    identity = hashlib.sha256(drawn.encode()).hexdigest()
    return ElmoEncoder(bilm, f"random-{name}-{seed}", precision, identity)


def _draw(bilm: BiLM, generator: Generator) -> None:
    """Draw weights that keep the variance from layer to layer (LeCun et al. 1998), tokens centred.

    The weights with which training begins would be a weaker control than they look: small as they
    are, and behind ReLU and maximum, they give all words nearly the same vector.
    """
    bilm.initialise(generator)
    for name, weight in bilm.named_parameters():
        if weight.dim() > 1 and not name.endswith("embedding"):
            weight.normal_(0.0, weight[0].numel() ** -0.5, generator=generator)
    lengths = torch.randint(1, 12, (SAMPLE,), generator=generator).tolist()
    letters = torch.randint(26, (SAMPLE, 12), generator=generator).tolist()
    words = ["".join(string.ascii_lowercase[i] for i in row) for row in letters]
    width = bilm.options.characters
    ids = [word_ids(word[:n], width) for word, n in zip(words, lengths, strict=True)]
    bilm.char_cnn.projection.bias.sub_(bilm.char_cnn(torch.tensor(ids)).mean(dim=0))
