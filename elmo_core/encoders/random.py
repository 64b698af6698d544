"""A biLM that has learned nothing: the full architecture with seeded random weights.

Useful as a control – how much of a gain comes from the vectors, how much from the added
parameters? – and wherever a real encoder's shape is needed without its file.
"""

from collections.abc import Mapping
from typing import Any

import torch

from elmo_core.bilm import BiLM
from elmo_core.encoders.elmo import ElmoEncoder
from elmo_core.presets import preset


def random_elmo(shape: str | Mapping[str, Any] = "elmo-small", seed: int = 0) -> ElmoEncoder:
    """The architecture of a preset, or of the given options; the same seed, the same weights.

    Raises OptionsError for an unknown preset or for options that make no sense.
    """
    options = preset(shape).options if isinstance(shape, str) else shape
    name = shape if isinstance(shape, str) else "elmo"
    with torch.device("meta"):
        bilm = BiLM(options)
    bilm.to_empty(device="cpu").initialise(torch.Generator().manual_seed(seed))
    return ElmoEncoder(bilm, f"random-{name}-{seed}")
