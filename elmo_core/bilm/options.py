"""The shape of a biLM, read from the published `options.json`. Free of torch.

Every key that changes a number must be there, and no unknown key may be: a default that is silently
assumed would load the weights and compute something else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_core import strict_json
from elmo_core.errors import OptionsError, did_you_mean

# Far above what was published (4096 cells, 2 layers, 50 characters), far below what fills memory.
WIDEST, DEEPEST, LONGEST = 1 << 16, 100, 1000

Json = Mapping[str, Any]

_KEYS = {
    "": {"char_cnn", "lstm"},
    "lstm": {
        "cell_clip",
        "dim",
        "n_layers",
        "proj_clip",
        "projection_dim",
        "use_skip_connections",
    },
    "char_cnn": {
        "activation",
        "embedding",
        "filters",
        "max_characters_per_token",
        "n_characters",
        "n_highway",
    },
    "char_cnn.embedding": {"dim"},
}
_TRAINING_KEYS = {
    "all_clip_norm_val",
    "batch_size",
    "bidirectional",
    "clip_norm",
    "dropout",
    "learning_rate",
    "n_epochs",
    "n_negative_samples_batch",
    "n_tokens_vocab",
    "n_train_tokens",
    "sample_softmax",
    "share_embedding_softmax",
    "training",
    "unroll_steps",
}
"""What the training program adds on the top level; of no consequence for reading the weights."""


def read_json(path: str | Path) -> Any:
    """Read a JSON file of settings. Raises OptionsError where it is missing or not JSON."""
    try:
        return strict_json.loads(Path(path).expanduser().read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise OptionsError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise OptionsError(f"{path}: not a JSON file ({error})") from error


@dataclass(frozen=True)
class Options:
    """A biLM's shape: everything, besides the weights, that its numbers depend on."""

    char_dim: int
    filters: tuple[tuple[int, int], ...]  # (width, number) of each bank
    highways: int
    activation: str  # "relu" or "tanh"
    characters: int  # positions in a word, boundaries and padding included
    projection_dim: int  # D: size of a token vector and of an LSTM's output
    cells: int  # H: size of an LSTM's memory
    depth: int  # LSTM layers per direction
    cell_clip: float | None
    proj_clip: float | None
    skip: bool

    @property
    def filters_total(self) -> int:
        return sum(number for _, number in self.filters)

    @classmethod
    def parse(cls, raw: Options | Json, origin: str = "options") -> Options:
        """Read the published JSON structure; `origin` names it in messages.

        Raises OptionsError for an unknown, missing or nonsensical entry.
        """
        if isinstance(raw, Options):
            return raw
        _check_keys(raw, origin)
        reader = _Reader(raw, origin)
        if raw.get("bidirectional", True) is not True:
            raise OptionsError(f"{origin}: a language model of one direction is not an ELMo biLM")
        if reader.integer("char_cnn.n_characters") not in (261, 262):
            # 261 when training; 262 when predicting, where 0 is set aside for the mask.
            raise OptionsError(f"{origin}: char_cnn.n_characters must be 261 or 262")
        return cls(
            char_dim=reader.integer("char_cnn.embedding.dim"),
            filters=reader.filters("char_cnn.filters"),
            highways=reader.integer("char_cnn.n_highway", least=0, most=DEEPEST),
            activation=reader.word("char_cnn.activation", ("relu", "tanh")),
            characters=reader.integer("char_cnn.max_characters_per_token", least=3, most=LONGEST),
            projection_dim=reader.integer("lstm.projection_dim"),
            cells=reader.integer("lstm.dim"),
            depth=reader.integer("lstm.n_layers", most=DEEPEST),
            cell_clip=reader.clip("lstm.cell_clip"),
            proj_clip=reader.clip("lstm.proj_clip"),
            skip=reader.boolean("lstm.use_skip_connections"),
        )

    @classmethod
    def read(cls, path: str | Path) -> Options:
        """Parse a file. Raises OptionsError where it is missing, not JSON, or not understood."""
        return cls.parse(read_json(path), str(path))

    def published(self) -> dict[str, Any]:
        """Return the published JSON structure, in the form used for prediction."""
        return {
            "lstm": {
                "dim": self.cells,
                "projection_dim": self.projection_dim,
                "n_layers": self.depth,
                "cell_clip": self.cell_clip,
                "proj_clip": self.proj_clip,
                "use_skip_connections": self.skip,
            },
            "char_cnn": {
                "activation": self.activation,
                "embedding": {"dim": self.char_dim},
                "filters": [list(bank) for bank in self.filters],
                "max_characters_per_token": self.characters,
                "n_characters": 262,
                "n_highway": self.highways,
            },
        }

    def canonical(self) -> str:
        """Return one line of JSON, equal for equal options whatever file they came from."""
        return json.dumps(self.published(), sort_keys=True)


def _check_keys(raw: Json, origin: str) -> None:
    for section, known in _KEYS.items():
        entry: Any = raw
        for name in filter(None, section.split(".")):
            entry = entry[name]
        place = f"{section}." if section else ""
        if not isinstance(entry, Mapping):
            raise OptionsError(f"{origin}: {section or 'the file'} must be a JSON object")
        ignored = set() if section else _TRAINING_KEYS
        for key in entry:
            if key not in known | ignored:
                raise OptionsError(f"{origin}: unknown key {place}{key}{did_you_mean(key, known)}")
        for key in sorted(known):
            if key not in entry:
                raise OptionsError(f"{origin}: missing key {place}{key}")


class _Reader:
    """Typed access by dotted name, with errors that say which entry of which file is wrong."""

    def __init__(self, raw: Json, origin: str) -> None:
        self.raw, self.origin = raw, origin

    def _get(self, name: str) -> Any:
        value: Any = self.raw
        for key in name.split("."):
            value = value[key]
        return value

    def _refuse(self, name: str, expected: str) -> OptionsError:
        return OptionsError(f"{self.origin}: {name} must be {expected}, got {self._get(name)!r}")

    def integer(self, name: str, least: int = 1, most: int = WIDEST) -> int:
        value = self._get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self._refuse(name, f"a whole number of at least {least}")
        if value > most:  # before anything of this size is made
            raise self._refuse(name, f"{most} at most")
        return value

    def boolean(self, name: str) -> bool:
        value = self._get(name)
        if not isinstance(value, bool):
            raise self._refuse(name, "true or false")
        return value

    def clip(self, name: str) -> float | None:
        value = self._get(name)
        if value is None:
            return None
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 < value < math.inf:
            raise self._refuse(name, "a positive number or null")
        return float(value)

    def word(self, name: str, known: tuple[str, ...]) -> str:
        value = self._get(name)
        if value not in known:
            raise self._refuse(name, " or ".join(known))
        return value

    def filters(self, name: str) -> tuple[tuple[int, int], ...]:
        banks = self._get(name)
        expected = "a list of [width, number] pairs of whole numbers"
        try:
            pairs = tuple((width, number) for width, number in banks)
        except (TypeError, ValueError):
            raise self._refuse(name, expected) from None
        if any(type(number) is not int for pair in pairs for number in pair):
            raise self._refuse(name, expected)
        longest = self.integer("char_cnn.max_characters_per_token", most=LONGEST)
        if not pairs or any(not (1 <= w <= longest and 1 <= n <= WIDEST) for w, n in pairs):
            raise self._refuse(
                name, f"pairs of a width from 1 to {longest} and a number from 1 to {WIDEST}"
            )
        return pairs
