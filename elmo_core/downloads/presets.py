"""The biLMs known by name: shape, place and size. Free of torch.

Parameters and shapes as on https://allennlp.org/elmo; the files lie where the authors put them. No
checksums were published, so none are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elmo_core.errors import OptionsError, did_you_mean

_PUBLISHED = "https://allennlp.s3.amazonaws.com/models/elmo"
_BANKS = [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]]


@dataclass(frozen=True)
class Preset:
    """A biLM known by name; without a `url` it has not been published yet."""

    name: str
    options: Mapping[str, Any]
    parameters: int
    url: str | None = None  # of both files, up to `options.json` and `weights.hdf5`

    @property
    def megabytes(self) -> int:
        """The size of the weights, 4 bytes a parameter."""
        return round(self.parameters * 4 / 1e6)


def _options(cells: int, size: int, highways: int, banks: list[list[int]]) -> dict[str, Any]:
    """Fill the options that all presets share with the four in which they differ."""
    return {
        "lstm": {
            "dim": cells,
            "projection_dim": size,
            "n_layers": 2,
            "cell_clip": 3,
            "proj_clip": 3,
            "use_skip_connections": True,
        },
        "char_cnn": {
            "activation": "relu",
            "embedding": {"dim": 16},
            "filters": banks,
            "max_characters_per_token": 50,
            "n_characters": 262,
            "n_highway": highways,
        },
    }


def _published(
    name: str, stem: str, parameters: int, cells: int, size: int, highways: int
) -> Preset:
    options = _options(cells, size, highways, _BANKS)
    return Preset(name, options, parameters, url=f"{_PUBLISHED}/{stem}/elmo_{stem}_")


PRESETS: dict[str, Preset] = {
    entry.name: entry
    for entry in (
        Preset("elmo-mini", _options(640, 128, 1, _BANKS[:5]), 3_588_304),
        Preset("elmo-base", _options(1024, 128, 1, _BANKS), 13_593_296),
        _published("elmo-small", "2x1024_128_2048cnn_1xhighway", 13_593_296, 1024, 128, 1),
        _published("elmo-medium", "2x2048_256_2048cnn_1xhighway", 28_027_728, 2048, 256, 1),
        _published("elmo-original", "2x4096_512_2048cnn_2xhighway", 93_600_848, 4096, 512, 2),
        _published("elmo-5.5b", "2x4096_512_2048cnn_2xhighway_5.5B", 93_600_848, 4096, 512, 2),
    )
}


def preset(name: str) -> Preset:
    """Look a preset up. Raises OptionsError, naming the known ones, where there is none."""
    if name not in PRESETS:
        known = ", ".join(PRESETS)
        hint = did_you_mean(name, PRESETS)
        raise OptionsError(f"no encoder or file is called {name!r}: choose {known}{hint}")
    return PRESETS[name]
