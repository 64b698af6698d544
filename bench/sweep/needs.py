"""What the runs of a sweep need, read before the first of them starts: data, encoders, mixes.

A mistake that only the last of twelve runs has would otherwise show after the other eleven.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from omegaconf import DictConfig, OmegaConf

from bench.console import counted
from bench.errors import ConfigError, RunError, explain
from bench.run import loggers, online_code
from bench.run.build import encoder_of, placement_of, task_of
from bench.run.datamodule import BenchData
from bench.run.trainer import check_device
from bench.sweep.job import Job
from bench.sweep.room import Features
from bench.world import check_counted, world_size
from elmo_core import Encoder, Placement
from elmo_core.downloads.glove import find

T = TypeVar("T")


class Needs:
    """The data and the encoders of many runs: each is read once, or fails once."""

    def __init__(self) -> None:
        self._found: dict[str, object] = {}

    def data(self, cfg: DictConfig) -> BenchData:
        """Return the data of a run, its splits read."""

        def read() -> BenchData:
            data = BenchData.of(cfg, task_of(cfg))
            for split in ("train", "dev", "test"):
                data.split(split)
            return data

        parts = [cfg.task, cfg.data, cfg.word_vectors, cfg.training.batch_size]
        if cfg.data.train_share == 1:
            return self._once(parts, read)
        whole = cfg.copy()
        whole.data.train_share = 1.0
        return self._once(
            [*parts, cfg.seed],
            lambda: BenchData.of(cfg, self.data(whole).task).drawing_from(self.data(whole)),
        )

    def encoder(self, cfg: DictConfig) -> Encoder | None:
        """Return the encoder of a run; None without ELMo."""
        if cfg.elmo.placement == "none":
            return None
        return self._once([cfg.encoder, cfg.trainer.accelerator], lambda: encoder_of(cfg))

    def mixes(self, cfg: DictConfig) -> Placement:
        """Return the mixes of a run, which need a layer that the encoder has."""
        return placement_of(cfg, self.encoder(cfg))

    def _once(self, parts: Sequence[object], make: Callable[[], T]) -> T:
        """Return what `make` gave, or raise what it raised, the first time for these parts."""
        key = json.dumps([_plain(part) for part in parts])
        if key not in self._found:
            try:
                self._found[key] = make()
            except Exception as error:
                self._found[key] = error
        found = self._found[key]
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[return-value]


def _plain(part: object) -> object:
    return OmegaConf.to_container(part, resolve=True) if OmegaConf.is_config(part) else part


def lacking(needs: Needs, cfg: DictConfig) -> list[str]:
    """Return why a run cannot be done, a line for each reason; nothing if none is known."""
    reasons = []
    one_of_each = (_require_one_process, _require_word_vectors, _require_surprisals)
    for each in (*one_of_each, needs.data, needs.mixes):
        try:
            each(cfg)
        except Exception as error:  # a bug of ours is the run's own, which records it
            reasons.append(explain(error))
    return list(dict.fromkeys(filter(None, reasons)))


def require(jobs: Sequence[Job], here: bool, apart: bool = False) -> None:
    """Read what the runs need, downloads included.

    Args:
        jobs: The runs that are about to be started.
        here: Whether they are done on this machine, and not by a cluster.
        apart: Whether each has a GPU, which is left to it: encoders are tried on the CPU.

    Raises:
        ConfigError: Some of them cannot be done. Each reason is printed before, in a line.
    """
    needs, reasons = Needs(), dict[str, list[Job]]()
    features = Features(needs)
    for job in jobs:
        if here:
            check_device(job.cfg)
        else:
            check_counted(job.cfg.trainer)
        cfg = job.cfg
        if apart:
            cfg = cfg.copy()
            cfg.trainer.accelerator = "cpu"
        lacked = lacking(needs, cfg)
        no_room = _no_room(features, cfg) if here and not lacked else None
        for reason in (*lacked, no_room, loggers.missing(job.cfg.logger)):
            if reason:
                reasons.setdefault(reason, []).append(job)
    for reason, stopped in reasons.items():
        print(f"{cells(stopped)}: {reason}", file=sys.stderr)
    if reasons:
        count = len({job for stopped in reasons.values() for job in stopped})
        number = counted(len(jobs), "run")
        raise ConfigError(
            f"nothing was started: {count} of {number} cannot be done (see above); mend that, or "
            "leave their rows (of tasks, task=…; of others, '~experiment.rows.NAME') or columns "
            "('~experiment.columns.NAME') out"
        )
    if here:
        for line in features.shortage():
            print(line, file=sys.stderr)


def _no_room(features: Features, cfg: DictConfig) -> str | None:
    """Count the features of a run; say why it cannot have them where it must store them."""
    try:
        encoder = features.needs.encoder(cfg)
        if encoder is not None:
            features.cost(cfg, encoder)
    except RunError as error:
        return str(error)
    except Exception:  # of an encoder of the user's own: the run says so
        return None
    return None


def cells(jobs: Sequence[Job]) -> str:
    """Name the places of some runs in the table."""
    first = ", ".join(str(job.cells[0]) for job in jobs[:2])
    return first if len(jobs) <= 2 else f"{first} and {len(jobs) - 2} more"


def _require_surprisals(cfg: DictConfig) -> None:
    if cfg.training.online_code:
        online_code.check(cfg, task_of(cfg))


def _require_one_process(cfg: DictConfig) -> None:
    if not cfg.training.optimizer and world_size(cfg.trainer) > 1:
        raise ConfigError("trainer.devices: must be 1 where nothing is learned by gradient")


def _require_word_vectors(cfg: DictConfig) -> None:
    if cfg.word_vectors is not None and not find(cfg.word_vectors).is_file():
        raise ConfigError(f"word_vectors={cfg.word_vectors}: no such file")
