"""How a biLM is trained: the `"training"` part of an options file. Free of torch."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from elmo_core.bilm.options import Options, read_json
from elmo_core.downloads.presets import PRESETS
from elmo_core.errors import OptionsError, did_you_mean

PART = "training"


@dataclass(frozen=True)
class Training:
    """How to train; the defaults are those of the published training program."""

    batch_size: int = 128  # streams on each device
    unroll_steps: int = 20  # tokens a stream advances in one step
    epochs: float = 10.0
    dropout: float = 0.1
    n_negative_samples_batch: int = 8192  # 0: the full softmax
    optimizer: str = "adagrad"  # learning_rate throughout, accumulators begin at 1
    learning_rate: float = 0.2
    warmup_steps: int = 0  # "adam" only: a linear rise, then half a cosine down to 0
    all_clip_norm_val: float = 10.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise OptionsError for a value that makes no sense."""
        for name in ("epochs", "dropout", "learning_rate", "all_clip_norm_val"):
            self._check(name, math.isfinite(getattr(self, name)), "finite")
        for name in ("batch_size", "unroll_steps", "epochs", "learning_rate", "all_clip_norm_val"):
            self._check(name, getattr(self, name) > 0, "above 0")
        self._check("warmup_steps", self.warmup_steps >= 0, "0 or above")
        self._check("seed", 0 <= self.seed < 2**63, "from 0 to below 2^63")
        samples = self.n_negative_samples_batch
        self._check("n_negative_samples_batch", samples == 0 or samples > 1, "0, or 2 or above")
        self._check("dropout", 0 <= self.dropout < 1, "from 0 to below 1")
        self._check("optimizer", self.optimizer in ("adagrad", "adam"), "adagrad or adam")

    def _check(self, name: str, good: bool, expected: str) -> None:
        if not good:
            raise OptionsError(f"{PART}.{name} must be {expected}, got {getattr(self, name)!r}")

    @classmethod
    def parse(cls, raw: Mapping[str, Any], origin: str = "options") -> Training:
        """Take settings, others by default. Raises OptionsError for an unknown key or type."""
        known = {field.name: type(getattr(cls, field.name)) for field in fields(cls)}
        taken = {}
        for key, value in raw.items():
            if key not in known:
                hint = did_you_mean(key, known)
                raise OptionsError(f"{origin}: unknown key {PART}.{key}{hint}")
            accepted = (int, float) if known[key] is float else known[key]
            if not isinstance(value, accepted) or isinstance(value, bool):
                wanted = known[key].__name__
                raise OptionsError(f"{origin}: {PART}.{key} must be of type {wanted}: {value!r}")
            try:
                taken[key] = known[key](value)
            except OverflowError:
                raise OptionsError(f"{origin}: {PART}.{key} must be below 1e308") from None
        return cls(**taken)


_PRESETS = {
    "elmo-mini": Training(
        epochs=2,
        dropout=0.0,  # nothing is read often enough to be learned by heart
        n_negative_samples_batch=4096,
        optimizer="adam",
        learning_rate=0.004,
        warmup_steps=500,
    ),
    "elmo-base": Training(
        epochs=2,
        dropout=0.0,
        optimizer="adam",
        learning_rate=0.003,
        warmup_steps=500,
    ),
}
"""Those that are not trained as the published ones were."""


def read(source: str, changes: Sequence[str] = ()) -> tuple[Options, Training]:
    """Read a preset by name (`mini`, `small`, …, `elmo-mini`, …), or an options file.

    `changes` are `KEY=VALUE` for the training part. Raises OptionsError.
    """
    name = source if source.startswith("elmo-") else f"elmo-{source}"
    if name in PRESETS:
        options = Options.parse(PRESETS[name].options)
        training = asdict(_PRESETS.get(name, Training()))
    else:
        options, training = _read_file(Path(source).expanduser())
    return options, changed(Training.parse(training, source), changes)


def changed(training: Training, changes: Sequence[str]) -> Training:
    """Change settings, each given as `KEY=VALUE`. Raises OptionsError."""
    return Training.parse({**asdict(training), **_parse_changes(changes)}, "--set")


def _read_file(path: Path) -> tuple[Options, dict[str, Any]]:
    if not path.is_file():
        names = ", ".join(PRESETS)
        raise OptionsError(f"{path}: neither an options file nor one of {names}")
    raw = read_json(path)
    if not isinstance(raw, dict) or not isinstance(raw.get(PART, {}), dict):
        raise OptionsError(f"{path}: the file and its {PART} part must be JSON objects")
    training = _published(raw) | raw.pop(PART, {})
    return Options.parse(raw, str(path)), training


def _published(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the published program's own file says of the training, on its top level."""
    names = {"epochs": "n_epochs"}
    given = {field.name: names.get(field.name, field.name) for field in fields(Training)}
    training = {name: raw[theirs] for name, theirs in given.items() if theirs in raw}
    if raw.get("sample_softmax") is False:
        training["n_negative_samples_batch"] = 0
    return training


def _parse_changes(changes: Sequence[str]) -> dict[str, Any]:
    parsed = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise OptionsError(f"{change!r}: expected KEY=VALUE")
        try:
            parsed[key] = json.loads(value)
        except ValueError:
            parsed[key] = value
    return parsed


def as_json(options: Options, training: Training) -> dict[str, Any]:
    """Return what an options file holds."""
    return {**options.published(), PART: asdict(training)}
