"""Frozen contextual word vectors: words → layers → mix.

Names are imported on first use, so that a command line may read the torch-free modules
(`names`, `presets`, `errors`) without paying for torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from elmo_core.choices import PLACEMENTS
from elmo_core.errors import ElmoCoreError

if TYPE_CHECKING:
    from elmo_core.bilm.bilm import BiLM
    from elmo_core.encoder import Encoder, load_encoder
    from elmo_core.mix import ScalarMix
    from elmo_core.placement import Placement

__all__ = [
    "PLACEMENTS",
    "BiLM",
    "ElmoCoreError",
    "Encoder",
    "Placement",
    "ScalarMix",
    "load_encoder",
]

_HOME = {
    "BiLM": "elmo_core.bilm.bilm",
    "Encoder": "elmo_core.encoder",
    "load_encoder": "elmo_core.encoder",
    "ScalarMix": "elmo_core.mix",
    "Placement": "elmo_core.placement",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
