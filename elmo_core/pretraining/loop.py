"""The loop: Lightning, with a checkpoint at every interval that survives a kill and a full disk."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from elmo_core.downloads.cache import OWN_FILE, STEPS
from elmo_core.errors import CheckpointError, ElmoCoreError, ran_out_of_memory
from elmo_core.lightning import (
    MisconfigurationException,
    OwnSignals,
    SafeCheckpointIO,
    pl,
    read_checkpoint,
    set_aside,
    starting,
    training_precision,
)
from elmo_core.locks import lock
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.folder import CHECKPOINT
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.perplexity import measure
from elmo_core.pretraining.progress import LOG, Progress, log_row
from elmo_core.whole_files import tidy

LOCK = ".lock"
HELDOUT_TOKENS = 50_000
"""Measured at every interval; `evaluate` measures all."""


def fit(
    module: PretrainingModule,
    heldout: Corpus,
    out: Path,
    *,
    every: int = 1000,
    keep: Sequence[int] = (),
    accelerator: str = "auto",
    precision: str = "32-true",
) -> None:
    """Train, or go on from the checkpoint in `out`, to the end; `out` then holds the model.

    Every so many steps, held-out text is measured, and model, checkpoint and log are written; the
    encoder as it is after each of the steps `keep` stays, too.
    Raises TrainingError: no such accelerator; another process trains in `out`; another training's
    checkpoint, or one beyond the end; a step that cannot be kept; a loss that is no number; a full
    disk.
    """
    _check_within(keep, module.total_steps)
    with _quiet():
        with _there(f"{accelerator}, devices {module.devices}"):
            trainer = pl.Trainer(
                default_root_dir=out,
                accelerator=accelerator,
                devices=module.devices,
                precision=training_precision(precision, accelerator),  # type: ignore[arg-type]
                max_steps=module.total_steps,
                max_epochs=-1,  # one endless epoch: the text is a ring
                # An encoder before its checkpoint: a training goes on after the checkpoint's step.
                callbacks=[
                    *(OwnSignals(), Progress(every)),
                    *(KeepEncoders(keep, out), Keep(every, heldout, out)),
                ],
                plugins=[SafeCheckpointIO(), *starting()],
                logger=False,
                enable_checkpointing=False,
                enable_progress_bar=False,
                enable_model_summary=False,
                use_distributed_sampler=False,
            )
        # Of several processes, the first one holds the folder for all.
        with _held(out) if trainer.is_global_zero else nullcontext():
            if trainer.is_global_zero:
                for place in (out, out / STEPS):
                    tidy(place)
            checkpoint, done = _whole(out / CHECKPOINT)
            _check_kept(keep, done, out)
            if checkpoint is None and trainer.is_global_zero:
                _clear(out)
            try:
                trainer.fit(module, ckpt_path=checkpoint)
            except SystemExit as stop:
                if isinstance(stop.__context__, KeyboardInterrupt):  # Lightning's way of Ctrl-C
                    raise stop.__context__ from None
                raise
            except ElmoCoreError:
                raise
            except (RuntimeError, MemoryError) as error:
                if not ran_out_of_memory(error):
                    raise
                raise TrainingError(
                    "out of memory: lower training.batch_size (--set batch_size=…), in a new "
                    "folder where there is a checkpoint"
                ) from error
            if done == module.total_steps and trainer.is_global_zero:
                print(f"{out}: all {done:,} steps were done before", file=sys.stderr)
                _mend(module, out)


def _mend(module: PretrainingModule, out: Path) -> None:
    """Write the model anew where its files are gone or damaged; the checkpoint has all of it."""
    try:
        folder.load(out)
    except ElmoCoreError:
        with _writing(out):
            folder.save(module.model, module.corpus.vocabulary, module.training_part, out)
        said = f"{out}: files were gone or damaged: the model is written again from {CHECKPOINT}"
        print(said, file=sys.stderr)


@contextmanager
def _there(asked: str) -> Iterator[None]:
    """Turn what Lightning refuses, such as a GPU that is not there, into TrainingError."""
    try:
        yield
    except (ValueError, RuntimeError, ImportError, MisconfigurationException) as error:
        raise TrainingError(f"accelerator {asked}: {error}") from error


def _held(out: Path) -> ExitStack:
    """Lock the folder. Raises TrainingError where another process trains there."""
    out.mkdir(parents=True, exist_ok=True)
    held = lock(out / LOCK, wait=False)
    if held is None:
        raise TrainingError(f"{out}: another process trains here: wait, or choose another folder")
    return held


def _whole(checkpoint: Path) -> tuple[Path | None, int]:
    """Return the checkpoint to go on from, if there is one, and its step.

    A damaged one is set aside.
    """
    if not checkpoint.is_file():
        return None, 0
    try:
        return checkpoint, read_checkpoint(checkpoint)["global_step"]
    except CheckpointError as error:
        aside = set_aside(checkpoint).name
        print(f"{error}, set aside as {aside}: the training begins anew", file=sys.stderr)
        return None, 0


def _clear(out: Path) -> None:
    """Make way for a new training: what another one left, with no checkpoint, is set aside."""
    model = folder.FILES if (out / OWN_FILE).is_file() else ()
    left = [out / name for name in (*model, STEPS, LOG) if (out / name).exists()]
    if left:
        names = (f"earlier-{n}" for n in count(1))  # a model's folder, which `encoder=` can read
        aside = next(out / name for name in names if not (out / name).exists())
        aside.mkdir()
        for path in left:
            path.rename(aside / path.name)
        said = f"{out}: no checkpoint to go on from; what was here is now in {aside.name}/"
        print(said, file=sys.stderr)


def _check_within(steps: Sequence[int], total: int) -> None:
    """Raise TrainingError for a step that the training does not come to."""
    for step in sorted(steps):
        if step > total:
            raise TrainingError(
                f"--keep {step}: the training ends after {total} steps: leave it out, or train for "
                "more epochs"
            )


def _check_kept(steps: Sequence[int], done: int, out: Path) -> None:
    """Raise TrainingError for a step that is past and whose encoder is not there."""
    for step in sorted(steps):
        if step <= done and not folder.kept(step, out).is_file():
            raise TrainingError(
                f"--keep {step}: {out} has been trained for {done} steps, and the encoder after "
                f"step {step} was not kept: leave it out, or choose another folder"
            )


class Keep(pl.Callback):
    """A callback that measures and writes at the end of every interval."""

    def __init__(self, every: int, heldout: Corpus, out: Path) -> None:
        self.every, self.heldout, self.out = every, heldout, out

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        if trainer.global_step % self.every and trainer.global_step < pl_module.total_steps:
            return
        pl_module.look()  # what is written is good
        perplexity = measure(pl_module.model, self.heldout, limit=HELDOUT_TOKENS)
        with _writing(self.out):
            if trainer.is_global_zero:
                module = pl_module
                folder.save(module.model, module.corpus.vocabulary, module.training_part, self.out)
                log_row(self.out, trainer, pl_module, perplexity)
            trainer.save_checkpoint(self.out / CHECKPOINT)


class KeepEncoders(pl.Callback):
    """A callback that writes the encoder after some steps, to stay."""

    def __init__(self, steps: Sequence[int], out: Path) -> None:
        self.steps, self.out = frozenset(steps), out

    def on_train_start(self, trainer: pl.Trainer, *_: Any) -> None:
        """Set aside what was kept behind the checkpoint: those steps are taken anew, perhaps at
        another rate."""
        for path in (self.out / STEPS).glob("*.safetensors") if trainer.is_global_zero else ():
            step = int(path.stem) if path.stem.isdecimal() else 0
            if step > trainer.global_step and step not in self.steps:
                aside = set_aside(path, "earlier").name
                said = "kept before training was stopped; its steps are taken anew, and --keep does"
                print(f"{path}: {said} not name it: now {aside}", file=sys.stderr)

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        if trainer.global_step in self.steps and trainer.is_global_zero:
            pl_module.look()  # what is written is good
            with _writing(self.out):
                folder.keep(pl_module.model, trainer.global_step, self.out)


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Turn a failure to write into TrainingError; what was there is whole, whatever fails."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:  # torch: RuntimeError for a full disk
        reason = " ".join(str(error).split())
        before = "; the one before is still good" if (out / CHECKPOINT).is_file() else ""
        raise TrainingError(
            f"{out}: the checkpoint could not be written ({reason}){before}: make room, then give "
            "the same command again"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Lightning's advice on loader workers and the like: loading is not the bottleneck."""
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="pytorch_lightning|lightning_fabric")
        warnings.filterwarnings("ignore", message="Grad strides do not match")
        yield
