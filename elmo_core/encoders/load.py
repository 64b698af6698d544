"""load_encoder: a biLM by name, file or folder, made ready to encode."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from elmo_core.bilm import weights as weight_files
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.downloads.cache import OWN_FILE, kept_step, locate
from elmo_core.downloads.presets import PRESETS, preset
from elmo_core.encoders.elmo import ElmoEncoder
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.products import check_precision


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
) -> ElmoEncoder:
    """Load a frozen ELMo encoder.

    Args:
        source: the name of a preset, such as `"elmo-small"`, which is taken from the cache, or else
            downloaded into it; or a folder with `encoder.safetensors`, or with one
            `…options.json` and one `.hdf5` file; or a `.safetensors` file of ours; or
            `FOLDER@STEP`, a biLM as it was after so many steps of its training (`--keep` of
            `elmo_core.pretraining train`). A `Path` is no name: `Path("elmo-small")` is a folder of
            yours.
        options: instead of `source`, and together with `weights`: the published options, as a path
            or as the JSON structure.
        weights: instead of `source`: a `.safetensors` file, or the published HDF5 with `options`.
        device: where to compute; results arrive on the CPU all the same.
        cache_dir: the folder of downloaded files; by default $ELMO_BENCH_CACHE, or else
            ~/.cache/elmo-bench.
        offline: whether to raise FetchError rather than download anything.
        precision: that of the LSTMs' matrix products, float32 or bfloat16: the second is faster on
            processors that have it, and good for three digits.
        fingerprint: what the encoder's fingerprint must be, or its first digits.

    Returns:
        The encoder, whose `encode` turns lists of tokens into layers.

    Raises:
        OptionsError: a name that is not known, arguments that do not go together, or options that
            make no sense.
        WeightsError: a file that is missing, damaged, does not fit its options, or has another
            fingerprint.
        FetchError: a download that failed or was not allowed. All three are ElmoCoreError.

    Example:
        >>> from elmo_core import load_encoder
        >>> encoder = load_encoder("elmo-mini")
        >>> encoder.layers, encoder.dim
        (3, 256)
        >>> [tuple(layers.shape) for layers in encoder.encode([["The", "bank", "closed"], ["Hi"]])]
        [(3, 3, 256), (3, 1, 256)]
    """
    check_precision(precision)
    if (source is None) == (weights is None):
        raise OptionsError("load_encoder takes either a name or path, or weights (with options)")
    for key, file in (("weights", weights), ("options", options)):
        if file == "":
            raise OptionsError(f"{key} is empty: it must name a file")
    if weights is not None:
        path, name = Path(weights).expanduser(), Path(weights).stem
    elif options is not None:
        raise OptionsError("options go with weights, not with a name or path")
    else:
        given = source if isinstance(source, Path) else str(source)
        path, options, name = _locate(given, cache_dir, offline=offline)
    encoder = ElmoEncoder(_load(path, options), name, precision)
    if fingerprint is not None and not encoder.fingerprint.startswith(str(fingerprint)):
        raise WeightsError(f"{path}: its fingerprint is {encoder.fingerprint}, not {fingerprint}")
    return encoder.to(device)


def _locate(
    source: str | Path, cache_dir: str | Path | None, *, offline: bool
) -> tuple[Path, Path | None, str]:
    """Find the weights, the options if they are a file of their own, and the encoder's name."""
    path = Path(source).expanduser()
    if source not in PRESETS and (path.is_dir() or path.suffix == ".safetensors"):
        name = path.resolve().name.removesuffix(".safetensors")
        return (*(_in_folder(path) if path.is_dir() else (path, None)), name)
    if step := kept_step(str(source)):
        return _kept(step), None, path.name
    if path.is_file():
        raise OptionsError(
            f"{source} is a file of weights alone: give the folder that has it and its "
            f"options.json, or options and weights (encoder=elmo encoder.options=OPTIONS "
            f"encoder.weights={source})"
        )
    if isinstance(source, Path):
        raise WeightsError(f"{source}: no such file or folder")
    chosen = preset(source)
    return (*locate(chosen, cache_dir, offline=offline), chosen.name)


def _kept(path: Path) -> Path:
    """Return the encoder that a training kept after a step, or say which ones it kept."""
    if not path.is_file():
        kept = sorted(int(p.stem) for p in path.parent.glob("*") if p.stem.isdecimal())
        there = ", ".join(map(str, kept)) or "none (python -m elmo_core.pretraining train --keep …)"
        folder = path.parents[1]
        raise WeightsError(f"{folder}: no encoder of step {path.stem}; kept were {there}")
    return path


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
    """Find the weights in a folder, and the options if they are a file of their own."""
    if (folder / OWN_FILE).is_file():
        return folder / OWN_FILE, None
    candidates = sorted(folder.glob("[!.]*.hdf5"))
    if len(candidates) != 1:
        raise WeightsError(
            f"{folder}: expected {OWN_FILE}, or one …options.json and one .hdf5 file; "
            f"found {len(candidates)} .hdf5 files"
        )
    # The published ones have the model's name before it.
    named = [each for each in folder.glob("*options.json") if each.name[0] != "."]
    return candidates[0], named[0] if len(named) == 1 else folder / "options.json"
