"""ELMo's layers in a torch model of one's own.

>>> from elmo_core import ScalarMix, load_encoder, pad
>>> encoder = load_encoder("elmo-mini")  # frozen: outside the model, no part of its parameters
>>> mix = ScalarMix(encoder.layers, encoder.dim)  # in the model's __init__: w and γ are learned
>>> sentences = [["The", "bank", "closed", "."], ["Hi"]]
>>> layers, mask = pad(encoder.encode(sentences))  # all as one tensor, and what of it is real
>>> elmo = mix(layers, mask)  # in the model's forward: (sentences, tokens, dim)
>>> elmo.shape
torch.Size([2, 4, 256])

To encode takes torch, numpy, h5py and safetensors; what takes more says what to install:

- `load_encoder`: a frozen encoder by name, file or folder; `Encoder`: what one of any kind offers;
- `pad`: the layers of sentences as one tensor; `ScalarMix`: their weighted sum, learned;
- `Placement`: a ScalarMix at the input and the output of a model (`PLACEMENTS`);
- `FeatureStore`: layers kept on disk, computed once for all runs;
- `BiLM`: the language model inside, which `elmo_core.pretraining` trains;
- `ElmoCoreError`: the root of all errors that say what the user can mend.

Names are imported on first use, so that a command line may read the modules without torch
(`choices`, `downloads.presets`, `errors`) without paying for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from elmo_core.choices import PLACEMENTS
from elmo_core.errors import ElmoCoreError

if TYPE_CHECKING:
    from elmo_core.bilm.bilm import BiLM
    from elmo_core.encoder import Encoder
    from elmo_core.encoders.load import load_encoder
    from elmo_core.mix import ScalarMix
    from elmo_core.padding import pad
    from elmo_core.placement import Placement
    from elmo_core.store.feature_store import FeatureStore

__all__ = [
    "PLACEMENTS",
    "BiLM",
    "ElmoCoreError",
    "Encoder",
    "FeatureStore",
    "Placement",
    "ScalarMix",
    "load_encoder",
    "pad",
]

_HOME = {
    "BiLM": "elmo_core.bilm.bilm",
    "Encoder": "elmo_core.encoder",
    "FeatureStore": "elmo_core.store.feature_store",
    "Placement": "elmo_core.placement",
    "ScalarMix": "elmo_core.mix",
    "load_encoder": "elmo_core.encoders.load",
    "pad": "elmo_core.padding",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
