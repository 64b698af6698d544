"""The typed schema of a run's configuration, and what its values may be. No torch here."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import omegaconf
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bench.errors import ConfigError
from bench.experiment import Experiment
from elmo_core.choices import FEATURE_MODES, LAYER_CHOICES, PLACEMENTS, STORED_PRECISIONS
from elmo_core.errors import did_you_mean

CONF = Path(__file__).resolve().parent.parent / "conf"
ACCELERATORS = ("auto", "cpu", "gpu", "cuda", "mps")


@dataclass
class Data:
    """What is read, and how much of it is trained on."""

    name: str = omegaconf.MISSING
    version: int | None = None  # of built-in data: another world is another run
    set: str | None = None  # a published set by its name, where a task has several
    dir: str | None = None  # read this folder instead
    train_share: float = 1.0  # part of the training set; a smaller one lies within a larger one
    control: bool = False  # a control task's random labels instead, drawn by the seed


@dataclass
class Elmo:
    """Where the layers enter the model, and how they are mixed."""

    placement: str = omegaconf.MISSING
    layers: str = "all"  # all | top | mean | an index
    l2: float = 0.0  # λ
    dropout: float = 0.5
    layer_norm: bool = False


@dataclass
class Training:
    """How the task's model is trained; the defaults are in conf/task."""

    batch_size: int = omegaconf.MISSING
    max_epochs: int = omegaconf.MISSING
    patience: int = omegaconf.MISSING  # epochs without a better dev score before stopping
    clip_norm: float | None = None  # of the whole gradient
    clip_value: float | None = None  # of each element instead
    ema: float | None = None  # decay of the weights' moving average, which is scored and kept
    optimizer: dict[str, Any] = field(default_factory=dict)
    scheduler: Any = None  # or a mapping, which OmegaConf cannot put in an optional dict's place
    scheduler_interval: str = "epoch"  # or "step": a batch; ReduceLROnPlateau takes dev scores
    online_code: bool = False  # afterwards, the code length of the training labels


@dataclass
class Trainer:
    """What Lightning's Trainer is given: device, processes, precision."""

    accelerator: str = "auto"
    devices: str = "1"
    strategy: str = "auto"
    precision: str = "32-true"
    deterministic: bool = False  # a GPU repeats its bits, more slowly
    limit_batches: int | None = None  # batches a split, for a trial


@dataclass
class Features:
    """Whether the encoder's layers are stored, and where."""

    mode: str = omegaconf.MISSING  # auto | store | live | gpu
    precision: str = "float32"  # float32 | float16
    dir: str | None = None  # by default, features in the user's cache
    overlay: str | None = None  # for what dir lacks; else dir, or the cache if dir is read-only
    max_gb: float | None = None  # for all encoders together; by default, what the disk has


@dataclass
class Paths:
    """Where runs are recorded."""

    runs: str = "runs"


@dataclass
class Config:
    """The configuration of one run, or of the experiment that it belongs to."""

    task: dict[str, Any] = field(default_factory=dict)
    data: Data = field(default_factory=Data)
    encoder: dict[str, Any] = field(default_factory=dict)
    elmo: Elmo = field(default_factory=Elmo)
    training: Training = field(default_factory=Training)
    trainer: Trainer = field(default_factory=Trainer)
    features: Features = field(default_factory=Features)
    logger: dict[str, Any] = field(default_factory=dict)
    paths: Paths = field(default_factory=Paths)
    word_vectors: str | None = None  # a GloVe text file; without it, words are learned
    word_dropout: float = 0.0  # how often a learned word is read as unknown in training
    seed: int = 1
    experiment: Experiment | None = None  # many runs: bench/sweep/sweeper.py
    plan: Any = False  # true: say what would be run, and stop; slurm: print a script for it
    force: bool = False  # repeat a finished run
    debug: bool = False  # tracebacks, NaN tracing


SCHEMAS = {
    "data": Data,
    "elmo": Elmo,
    "training": Training,
    "trainer": Trainer,
    "features": Features,
    "paths": Paths,
}


def _own_recipe(pair: str, *, _root_: DictConfig) -> str:
    """Return the recipe of `pair`, a task and its data; where one is chosen, the empty one."""
    return pair if _root_.get("recipe", "paper") is None else "paper"


def _built_in_version(task: str) -> int:
    """Return the version of a task's built-in data."""
    from tasks.smallworld import version  # which takes a moment

    return version(task)


# Here and not in `register`: workers of Hydra's launchers compose, too, and only import this.
OmegaConf.register_new_resolver("own_recipe", _own_recipe, replace=True)
OmegaConf.register_new_resolver("built_in_version", _built_in_version, replace=True)


def register() -> None:
    """Make the schema known to Hydra as `schema`, the first entry of conf/config.yaml."""
    ConfigStore.instance().store(name="schema", node=Config)


SHORT_PRECISIONS = {"16": "16-mixed", "bf16": "bf16-mixed", "32": "32-true", "64": "64-true"}
"""What Lightning also takes for a precision, and its name."""
PRECISIONS = tuple(SHORT_PRECISIONS.values())
"""Those in which weights are exact enough to be summed up and averaged over a whole training."""


FOLDER = re.compile(r"[^./\\\0][^/\\\0]*")
"""What a task and a run may be called: their folders have these names."""


def check(cfg: DictConfig) -> None:
    """Raise ConfigError for what cannot be run: as `check_recorded`, an empty path, the short name
    of a precision, one that is too coarse, a task that no folder can be named after, or data that
    are not made."""
    check_recorded(cfg)
    name = cfg.task.name
    named = isinstance(name, str) and FOLDER.fullmatch(name) is not None
    _require("task.name", name, named, "a name that a folder may have")
    for key in ("data.dir", "word_vectors"):  # of a shell variable that is not set
        _require(key, "", OmegaConf.select(cfg, key) != "", "a path, or left out")
    precision = str(cfg.trainer.precision)  # its short names would be other runs
    whole = SHORT_PRECISIONS.get(precision, precision)
    _require("trainer.precision", precision, precision == whole, whole)
    _among("trainer.precision", precision, PRECISIONS)
    if cfg.data.name == "mini":
        latest = _built_in_version(cfg.task.name)
        made = cfg.data.version == latest
        _require("data.version", cfg.data.version, made, f"{latest}: no other is made any more")
    else:
        version = cfg.data.version
        _require("data.version", version, version is None, "left out: built-in data alone has one")


def check_recorded(cfg: DictConfig) -> None:
    """Raise ConfigError for a key added with `+`, or a value that types alone do not catch.

    Built-in data may be of any version, since older ones were once made.
    """
    _check_references(cfg)
    for key in sorted(OmegaConf.missing_keys(cfg)):
        raise ConfigError(f"{key}=…: a value is needed, there is no default")
    _check_keys("", cfg, Config)
    for node, schema in SCHEMAS.items():
        _check_keys(f"{node}.", cfg[node], schema)
    for key in ("data.dir", "features.dir", "features.overlay", "paths.runs", "word_vectors"):
        path = OmegaConf.select(cfg, key) or ""
        _require(key, ascii(path), not re.search("[\ud800-\udfff]", path), "a path in UTF-8")
    _require("paths.runs", "", bool(cfg.paths.runs), "a folder, such as runs")
    _check_data(cfg.data)
    _check_elmo(cfg.elmo)
    _check_training(cfg.training)
    _check_trainer(cfg.trainer)
    _check_features(cfg.features)
    dropout = cfg.word_dropout
    _require("word_dropout", dropout, 0 <= dropout < 1, "from 0 to below 1")
    check_seed(cfg.seed)


def check_seed(seed: int) -> None:
    """Raise ConfigError for a seed that not every generator of random numbers takes."""
    _require("seed", seed, 0 <= seed < 2**31, "from 0 to 2147483647")


def check_plan(plan: object) -> None:
    """Raise ConfigError for a `plan=` that nobody knows."""
    _require("plan", plan, plan in (True, False, "slurm"), "true, false or slurm")


def _check_references(cfg: DictConfig) -> None:
    try:
        OmegaConf.to_container(cfg, resolve=True)
    except OmegaConfBaseException as error:
        reason = str(error).splitlines()[0]
        hint = r"(where it is no reference but a name, write \${…} for ${…})"
        raise ConfigError(f"{error.full_key}: {reason} {hint}") from None


def _check_keys(prefix: str, node: DictConfig, schema: type) -> None:
    known = [key.name for key in fields(schema)]
    for key in map(str, node):
        if key not in known:
            raise ConfigError(f"{prefix}{key}: no such key{did_you_mean(key, known)}")


def _check_data(data: DictConfig) -> None:
    built_in = data.set is not None and data.name == "mini"
    _require("data.set", data.set, not built_in, "left out with data=mini, which is built in")
    share = data.train_share
    _require("data.train_share", share, 0 < share <= 1, "above 0, at most 1")


def _check_elmo(elmo: DictConfig) -> None:
    _among("elmo.placement", elmo.placement, PLACEMENTS)
    if not re.fullmatch("0|[1-9][0-9]*", elmo.layers):  # "00" would be another run of layer 0
        _among("elmo.layers", elmo.layers, LAYER_CHOICES, " or a layer's index")
    _require("elmo.l2", elmo.l2, 0 <= elmo.l2 < math.inf, "0 or more")
    _require("elmo.dropout", elmo.dropout, 0 <= elmo.dropout < 1, "from 0 to below 1")


def _check_training(training: DictConfig) -> None:
    for key in ("batch_size", "max_epochs", "patience"):
        _require(f"training.{key}", training[key], training[key] >= 1, "1 or more")
    for key in ("clip_norm", "clip_value"):
        bound = training[key]
        _require(f"training.{key}", bound, bound is None or 0 <= bound < math.inf, "0 or more")
    both = training.clip_norm is not None and training.clip_value is not None
    _require("training.clip_value", training.clip_value, not both, "null beside training.clip_norm")
    rate = training.optimizer.get("lr", 0.0)
    _require("training.optimizer.lr", rate, _is_rate(rate), "a number from 0 to 1000000")
    schedule = training.scheduler
    known = schedule is None or isinstance(schedule, DictConfig)
    _require("training.scheduler", schedule, known, "null, or a mapping with a _target_")
    _among("training.scheduler_interval", training.scheduler_interval, ("epoch", "step"))
    averages = training.ema is None or 0 < training.ema < 1
    _require("training.ema", training.ema, averages, "between 0 and 1, or null")


def _check_trainer(trainer: DictConfig) -> None:
    _among("trainer.accelerator", trainer.accelerator, ACCELERATORS)
    counted = re.fullmatch(r"auto|-1|[1-9]\d*|\d+(,\d+)+,?|\d+,", str(trainer.devices))
    wanted = "a number of devices from 1, their numbers (0,1), -1 or auto"
    _require("trainer.devices", trainer.devices, counted is not None, wanted)
    apart = not re.search("spawn|fork|notebook", trainer.strategy)
    wanted = "one of separate processes: ddp, fsdp or auto"
    _require("trainer.strategy", trainer.strategy, apart, wanted)
    limit = trainer.limit_batches
    _require("trainer.limit_batches", limit, limit is None or limit >= 1, "1 or more, or null")


def _check_features(features: DictConfig) -> None:
    _among("features.mode", features.mode, FEATURE_MODES)
    _among("features.precision", features.precision, STORED_PRECISIONS)
    limit = features.max_gb
    _require("features.max_gb", limit, limit is None or limit > 0, "above 0, or null")


def _is_rate(rate: object) -> bool:
    return isinstance(rate, int | float) and 0 <= rate <= 1e6  # a step of 1e38 overflows


def _among(key: str, value: str, known: tuple[str, ...], more: str = "") -> None:
    if value not in known:
        hint = did_you_mean(value, known)
        raise ConfigError(f"{key}={value}: unknown{hint} (choose {', '.join(known)}{more})")


def _require(key: str, value: object, holds: bool, wanted: str) -> None:
    if not holds:
        raise ConfigError(f"{key}={value}: must be {wanted}")
