"""What an encoder is, and how one is loaded."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from elmo_core.bilm import weights as weight_files
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.downloads.cache import OWN_FILE, locate
from elmo_core.downloads.presets import PRESETS, preset
from elmo_core.encoders.elmo import ElmoEncoder
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.products import PRECISIONS


class Encoder(Protocol):
    """A frozen featurizer: the same sentence gives the same numbers in any company."""

    name: str
    layers: int
    dim: int

    @property
    def fingerprint(self) -> str:
        """Equal for two encoders only if they give equal numbers."""

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Float32 (layers, tokens, dim) for each sentence, on the CPU, without gradient."""

    def to(self, device: torch.device | str) -> "Encoder":
        """Compute on another device from now on."""


@runtime_checkable
class KeepsWords(Protocol):
    """What an encoder may offer besides: to remember what it computes from a word alone."""

    def keep_words(self, words: Iterable[str]) -> None:
        """Compute that part of these words now, for good: `encode` only looks it up."""


def load_encoder(
    source: str | Path | None = None,
    *,
    options: str | Path | Mapping[str, Any] | None = None,
    weights: str | Path | None = None,
    device: torch.device | str = "cpu",
    cache_dir: str | Path | None = None,
    offline: bool = False,
    precision: str = "float32",
    fingerprint: str | None = None,
) -> Encoder:
    """Load a frozen encoder from one of:

    - a preset's name, such as `"elmo-small"`: from the cache, or else downloaded into it;
    - a folder with `encoder.safetensors`, or with `options.json` and one `.hdf5`;
    - a `.safetensors` file of ours;
    - `options` (a path, or the JSON structure) and `weights` (the published HDF5).

    `offline` forbids downloads; `precision` is that of the LSTMs' products (float32 | bfloat16:
    faster on processors that have it, good for three digits). `fingerprint` (its first digits will
    do) is what the encoder's must be: a run that names it is another run with another file.

    Raises OptionsError, WeightsError or FetchError, all of them ElmoCoreError.
    """
    if precision not in PRECISIONS:
        raise OptionsError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if (source is None) == (weights is None):
        raise OptionsError("load_encoder takes either a name or path, or weights (with options)")
    if weights is not None:
        path, name = Path(weights), Path(weights).stem
    elif options is not None:
        raise OptionsError("options go with weights, not with a name or path")
    else:
        path, options, name = _locate(str(source), cache_dir, offline=offline)
    encoder = ElmoEncoder(_load(path, options), name, precision)
    if fingerprint is not None and not encoder.fingerprint.startswith(str(fingerprint)):
        raise WeightsError(f"{path}: its fingerprint is {encoder.fingerprint}, not {fingerprint}")
    return encoder.to(device)


def _locate(
    source: str, cache_dir: str | Path | None, *, offline: bool
) -> tuple[Path, Path | None, str]:
    """The weights of a path or preset, the options if they are a file of their own, the name."""
    path = Path(source).expanduser()
    if source not in PRESETS and (path.is_dir() or path.suffix == ".safetensors"):
        name = path.resolve().name.removesuffix(".safetensors")
        return (*(_in_folder(path) if path.is_dir() else (path, None)), name)
    chosen = preset(source)
    return (*locate(chosen, cache_dir, offline=offline), chosen.name)


def _load(path: Path, options: str | Path | Mapping[str, Any] | None) -> BiLM:
    if path.suffix == ".safetensors":
        if options is not None:
            raise OptionsError(f"{path} carries its own options: leave `options` out")
        return weight_files.load(path)
    if options is None:
        raise OptionsError(f"{path} needs its options: give options=… beside weights=…")
    parsed = Options.parse(options) if isinstance(options, Mapping) else Options.read(options)
    return weight_files.load_hdf5(parsed, path)


def _in_folder(folder: Path) -> tuple[Path, Path | None]:
    """The weights in a folder, and the options if they are a file of their own."""
    if (folder / OWN_FILE).is_file():
        return folder / OWN_FILE, None
    candidates = sorted(folder.glob("*.hdf5"))
    if len(candidates) != 1:
        raise WeightsError(
            f"{folder}: expected {OWN_FILE}, or options.json and one .hdf5 file; "
            f"found {len(candidates)} .hdf5 files"
        )
    return candidates[0], folder / "options.json"
