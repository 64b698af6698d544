"""Where a run's layers come from: the `features` keys of its configuration and the store."""

from __future__ import annotations

import shlex
from functools import partial

import torch
from omegaconf import DictConfig

from bench.console import progress
from bench.errors import RunError
from bench.run.build import device_of, encoder_of
from bench.run.contents import arguments, own_classes
from bench.run.datamodule import BenchData
from elmo_core import Encoder
from elmo_core.errors import StoreError
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.files import root_folder
from elmo_core.store.prepare import hold, prepare
from elmo_core.store.spot_check import require_alone, require_same

WAY_OUT = (
    "features.dir=FOLDER (or features.overlay=FOLDER) on another disk, features.precision=float16 "
    "(half the size), a larger features.max_gb or `python -m bench.features prune` make room; "
    "features=auto needs none"
)


def store_of(cfg: DictConfig, encoder: Encoder) -> FeatureStore:
    """Open the store of an encoder's layers, where the configuration has it."""
    where = cfg.features
    return FeatureStore(encoder, where.dir, where.precision, where.overlay, arguments(cfg))


def shared_store(cfg: DictConfig, stores: dict[str, FeatureStore]) -> FeatureStore | None:
    """Return the store of a run's encoder, one for all runs of the same; None without ELMo.

    Args:
        cfg: The run's configuration.
        stores: Those that were opened before; a new one is added.
    """
    name = str([cfg.elmo.placement == "none" or cfg.encoder, cfg.features.precision])
    if name not in stores and (encoder := encoder_of(cfg)) is not None:
        stores[name] = store_of(cfg, encoder)
    return stores.get(name)


def computed_in(cfg: DictConfig) -> str:
    """Return the mode in which features are computed: a GPU is given what is stored."""
    return "auto" if cfg.features.mode == "gpu" else str(cfg.features.mode)


def limit_of(cfg: DictConfig) -> int | None:
    """Return how many bytes the store may take; None where nothing bounds it."""
    return None if cfg.features.max_gb is None else int(cfg.features.max_gb * 1e9)


def fill(cfg: DictConfig, store: FeatureStore, data: BenchData, *splits: str) -> None:
    """Make the store ready for the sentences of these splits.

    With `features=auto` the choice may fall on encoding them anew in each batch. Raises RunError
    where they must be stored and cannot, and where an encoder of the user's gives other vectors
    than are stored of it; EncoderError where they depend on what stands beside a sentence.
    """
    sentences = data.task.sentences
    examples = (example for split in splits for example in data.split(split) or ())
    if own_classes(cfg):
        some = data.split(splits[0]) or ()
        require_alone(store.encoder, (words for each in some for words in sentences(each)))
        if cfg.features.mode != "live":  # a fingerprint may be a constant
            for split in splits:
                _require_same(store, data, split)
    try:
        prepare(
            store,
            (words for example in examples for words in sentences(example)),
            of=", ".join(splits),
            mode=computed_in(cfg),
            limit=limit_of(cfg),
            progress=partial(progress, "encoding", unit="tokens"),
        )
    except StoreError as error:
        raise RunError(f"features={cfg.features.mode}: {error}. {WAY_OUT}") from error


def _require_same(store: FeatureStore, data: BenchData, split: str) -> None:
    examples = data.split(split) or ()
    try:
        require_same(store, (words for each in examples for words in data.task.sentences(each)))
    except StoreError as error:
        words = ["prune", "--encoder", store.encoder.name]
        if store.root != root_folder():
            words += ["--dir", str(store.root)]
        way_out = f"or throw away what is stored: python -m bench.features {shlex.join(words)}"
        raise RunError(f"{error}, {way_out}") from error


def hold_on_gpu(cfg: DictConfig, store: FeatureStore) -> None:
    """With `features=gpu`, copy what was made ready to the run's GPU, if there is room."""
    if cfg.features.mode == "gpu":
        hold(store, torch.device(device_of(cfg)))
