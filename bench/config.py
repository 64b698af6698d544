"""The typed schema of a run's configuration, and what of it decides the result. No torch here."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import omegaconf
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from elmo_core.errors import did_you_mean
from elmo_core.names import LAYER_CHOICES, PLACEMENTS

CONF = Path(__file__).resolve().parent.parent / "conf"


class ConfigError(ValueError):
    """A key or value that its owner can mend; one line."""


@dataclass
class Data:
    name: str = omegaconf.MISSING
    version: int | None = None  # of built-in data: another world is another run
    dir: str | None = None  # read this folder instead


@dataclass
class Elmo:
    placement: str = omegaconf.MISSING
    layers: str = "all"  # all | top | mean | an index
    l2: float = 0.0  # λ
    dropout: float = 0.5
    layer_norm: bool = False


@dataclass
class Training:
    batch_size: int = omegaconf.MISSING
    max_epochs: int = omegaconf.MISSING
    patience: int = omegaconf.MISSING  # epochs without a better dev score before stopping
    clip_norm: float | None = None  # of the whole gradient
    clip_value: float | None = None  # of each element instead
    optimizer: dict[str, Any] = field(default_factory=dict)
    scheduler: dict[str, Any] | None = None  # stepped with the dev score, once an epoch


@dataclass
class Trainer:
    accelerator: str = "auto"
    devices: str = "1"
    strategy: str = "auto"
    precision: str = "32-true"
    limit_batches: int | None = None  # batches a split, for a trial


@dataclass
class Paths:
    runs: str = "runs"


@dataclass
class Config:
    task: dict[str, Any] = field(default_factory=dict)
    data: Data = field(default_factory=Data)
    encoder: dict[str, Any] = field(default_factory=dict)
    elmo: Elmo = field(default_factory=Elmo)
    training: Training = field(default_factory=Training)
    trainer: Trainer = field(default_factory=Trainer)
    logger: dict[str, Any] = field(default_factory=dict)
    paths: Paths = field(default_factory=Paths)
    word_vectors: str | None = None  # a GloVe text file; without it, words are learned
    seed: int = 1
    force: bool = False  # repeat a finished run
    debug: bool = False  # tracebacks, NaN tracing


def register() -> None:
    """Make the schema known to Hydra as `schema`, the first entry of conf/config.yaml."""
    ConfigStore.instance().store(name="schema", node=Config)


def check(cfg: DictConfig) -> None:
    """Raise ConfigError for keys added with `+` and for values that types alone do not catch."""
    elmo, training = cfg.elmo, cfg.training
    for node, schema in (("data", Data), ("elmo", Elmo), ("training", Training), ("paths", Paths)):
        known = [key.name for key in fields(schema)]
        for key in cfg[node]:
            if key not in known:
                raise ConfigError(f"{node}.{key}: no such key{did_you_mean(key, known)}")
    _among("elmo.placement", elmo.placement, PLACEMENTS)
    if not elmo.layers.isdecimal():
        _among("elmo.layers", elmo.layers, LAYER_CHOICES, " or a layer's index")
    _require("elmo.l2", elmo.l2, elmo.l2 >= 0, "0 or more")
    _require("elmo.dropout", elmo.dropout, 0 <= elmo.dropout < 1, "from 0 to below 1")
    for key in ("batch_size", "max_epochs", "patience"):
        _require(f"training.{key}", training[key], training[key] >= 1, "1 or more")
    both = training.clip_norm is not None and training.clip_value is not None
    _require("training.clip_value", training.clip_value, not both, "null beside training.clip_norm")
    _require("seed", cfg.seed, 0 <= cfg.seed < 2**31, "from 0 to 2147483647")


def _among(key: str, value: str, known: tuple[str, ...], more: str = "") -> None:
    if value not in known:
        hint = did_you_mean(value, known)
        raise ConfigError(f"{key}={value}: unknown{hint} (choose {', '.join(known)}{more})")


def _require(key: str, value: Any, holds: bool, wanted: str) -> None:
    if not holds:
        raise ConfigError(f"{key}={value}: must be {wanted}")


def choice(cfg: DictConfig) -> dict[str, Any]:
    """What decides a run's numbers: no paths, no logging, no device.

    Without ELMo neither the encoder nor the mix counts, so that one baseline serves a whole sweep;
    λ counts only where there are weights to learn.
    """
    chosen = OmegaConf.to_container(cfg, resolve=True)
    assert isinstance(chosen, dict)
    for key in ("paths", "logger", "force", "debug"):
        del chosen[key]
    trainer = chosen.pop("trainer")
    chosen["trainer"] = {key: trainer[key] for key in ("precision", "limit_batches")}
    if cfg.elmo.placement == "none":
        del chosen["encoder"]
        chosen["elmo"] = {"placement": "none"}
    elif cfg.elmo.layers != "all":
        del chosen["elmo"]["l2"]
    return chosen


def run_id(cfg: DictConfig) -> str:
    """A name that is the same for the same choice: the placement and a hash."""
    text = json.dumps(_canonical(choice(cfg)), sort_keys=True)
    return f"{cfg.elmo.placement}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _canonical(value: Any) -> Any:
    """1 and 1.0 are one choice."""
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
