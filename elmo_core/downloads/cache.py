"""Where a preset's files are: in the package, in the cache, or out there."""

from __future__ import annotations

import os
import re
from pathlib import Path

from elmo_core.downloads.fetch import download
from elmo_core.downloads.presets import Preset
from elmo_core.errors import FetchError

OWN_FILE = "encoder.safetensors"
"""The name of our one-file format inside a folder."""
STEPS = "steps"
"""A folder beside it of more such files, by their step: what a training kept on its way."""
_KEPT = re.compile(r"(?P<folder>.+)@(?P<step>[0-9]+)")
_PACKAGED = Path(__file__).parents[1] / "data"


def cache_folder(cache_dir: str | Path | None = None) -> Path:
    """Return `cache_dir`, else $ELMO_BENCH_CACHE, else ~/.cache/elmo-bench.

    Raises FetchError where nobody knows whose home ~ is.
    """
    chosen = cache_dir or os.environ.get("ELMO_BENCH_CACHE") or "~/.cache/elmo-bench"
    try:
        return Path(chosen).expanduser()
    except RuntimeError:  # neither HOME nor a user of a name
        raise FetchError(f"{chosen}: whose home? Set ELMO_BENCH_CACHE=FOLDER, or HOME") from None


def kept_step(source: str) -> Path | None:
    """Return the file, there or not, that `FOLDER@STEP` names; None for what is named otherwise."""
    if (found := _KEPT.fullmatch(source)) is None:
        return None
    return Path(found["folder"]).expanduser() / STEPS / f"{found['step']}.safetensors"


def locate(
    preset: Preset, cache_dir: str | Path | None = None, *, offline: bool = False
) -> tuple[Path, Path | None]:
    """Return a preset's weights, and its options if they are a file of their own.

    A local file is used first: one that comes with the package, then one in the cache; a preset
    that is nowhere is downloaded into the cache. Raises FetchError where that is impossible.
    """
    folder = cache_folder(cache_dir) / preset.name
    for own in (_PACKAGED / f"{preset.name}.safetensors", folder / OWN_FILE):
        if own.is_file():
            return own, None
    if preset.url is None:
        raise FetchError(
            f"{preset.name} is not published yet and does not come with this installation: "
            f"put its file at {folder / OWN_FILE}"
        )
    options, weights = folder / "options.json", folder / "weights.hdf5"
    download(f"{preset.url}options.json", options, offline=offline)
    download(f"{preset.url}weights.hdf5", weights, offline=offline)
    return weights, options
