"""The trained model of a finished run, loaded from its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from omegaconf import DictConfig, OmegaConf
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn

from bench.choice import FILES, leaves
from bench.errors import RunError, explain
from bench.run import trust
from bench.run.build import placement_of, task_of
from bench.run.record import HEAD, Record, trained_run
from elmo_core import Encoder
from elmo_core.downloads.glove import VECTORS
from elmo_core.downloads.presets import PRESETS
from elmo_core.errors import ElmoCoreError
from tasks.task import DataError, Task

CONFIG, VOCABULARY = "config.yaml", "vocabulary.json"


def configuration(folder: Path, trusted: Sequence[str] = ()) -> DictConfig:
    """Load the configuration of the finished run in `folder`.

    Args:
        folder: the run's folder, perhaps made by somebody else.
        trusted: packages whose classes it may name besides those of this suite.

    Raises:
        RunError: where the folder holds no finished run, or its configuration is damaged or names
            what is not trusted.
    """
    trained_run(folder)
    for name in (CONFIG, VOCABULARY, HEAD):
        if not (folder / name).is_file():
            raise RunError(f"{folder} is no finished run: it has no {name}")
    return trust.read(folder / CONFIG, trusted)


@contextmanager
def reading(folder: Path, cfg: DictConfig, part: str) -> Iterator[None]:
    """Raise RunError where the data or the encoder, a `part` of the run, is not found from here.

    A relative path is one of the folder in which the run was made.
    """
    try:
        yield
    except (ElmoCoreError, DataError, FileNotFoundError) as error:
        gone = next((f"{part}.{key}={name}" for key, name in _relative(cfg[part])), None)
        if gone is None:
            raise
        raise RunError(
            f"{folder / CONFIG}: {gone}: not in {Path.cwd()}: run this where the run was made, or "
            "put it back"
        ) from error


def _relative(section: DictConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys of a section that name what is not in the working folder, and the names.

    What is published has a name, too, as a model of the hub with its commit has.
    """
    given = dict(leaves(OmegaConf.to_container(section)))
    for key, name in given.items():
        if key.rpartition(".")[2] not in ("dir", *FILES) or not isinstance(name, str):
            continue
        pinned = given.get(f"{key.removesuffix('model')}revision")
        path = Path(name.rpartition("@")[0] or name).expanduser()  # of FOLDER@STEP
        there = path.is_absolute() or path.exists() or Path(name).exists()
        if not (there or pinned or name in PRESETS or name in VECTORS):
            yield key, name


def restored(folder: Path, cfg: DictConfig) -> Task:
    """Load the task with the run's vocabulary; its word vectors lie in the head, not in a file.

    Raises RunError where a file of the run is damaged.
    """
    Record(folder).verify(VOCABULARY)
    task = task_of(cast(DictConfig, OmegaConf.merge(cfg, {"word_vectors": None})))
    with _damage(folder / VOCABULARY):
        task.restore(json.loads((folder / VOCABULARY).read_text(encoding="utf-8")))
    return task


def load_head(folder: Path, model: nn.Module) -> None:
    """Give a model the weights that the run has learned.

    Raises RunError where the file of the run is damaged.
    """
    Record(folder).verify(HEAD)
    with _damage(folder / HEAD):
        model.load_state_dict(load_file(folder / HEAD))


def trained(folder: Path, cfg: DictConfig, encoder: Encoder | None) -> tuple[Task, nn.Module]:
    """Load the task, with the run's vocabulary, and the trained model.

    Args:
        folder: The run's.
        cfg: The run's `configuration`.
        encoder: The encoder that `cfg` asks for; None without ELMo.

    Returns:
        The task and the model, in evaluation mode, on the CPU.

    Raises:
        RunError: A file of the run is damaged, or its encoder is another one now.
    """
    same_encoder(folder, encoder)
    task = restored(folder, cfg)
    with _damage(folder / VOCABULARY):
        model = task.model(placement_of(cfg, encoder)).eval()
    load_head(folder, model)
    return task, model


def same_encoder(folder: Path, encoder: Encoder | None) -> None:
    """Raise RunError where the run's head was trained on another encoder's vectors than this one's.

    What lies at the place that the run names may have been trained further or replaced since.
    """
    run = Record(folder).finished()
    known = run.encoder if run else None
    if known is None or encoder is None or known.fingerprint == encoder.fingerprint:
        return
    before, now = str(known.fingerprint)[:12], encoder.fingerprint[:12]
    raise RunError(
        f"{folder} was trained on {known.name} with fingerprint {before}; where that was, there is "
        f"{encoder.name} with {now} now: put the former back, or repeat the run"
    )


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Raise RunError, naming the file, for what goes wrong while a run's file is taken in."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError) as error:
        if explain(error):
            raise
        reason = " ".join(str(error).split())[:200]
        raise RunError(
            f"{path}: cannot be taken in ({type(error).__name__}: {reason}): if the code of its "
            "task was changed since the run, put it back; else it is damaged: repeat the run"
        ) from error
    except SafetensorError as error:
        raise RunError(f"{path}: damaged ({error}): repeat the run") from None
