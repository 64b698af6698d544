"""What a sweep will cost: examples, tokens, features and hours, as `plan=true` tells them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import torch
from omegaconf import DictConfig
from rich.console import Console
from rich.table import Table

from bench.console import counted, duration, quiet
from bench.errors import explain
from bench.run import loggers
from bench.run.datamodule import BenchData
from bench.run.online_code import ends
from bench.sweep.board import until_done
from bench.sweep.cores import Queue
from bench.sweep.job import Job
from bench.sweep.needs import Needs, cells, lacking
from bench.sweep.room import Features, served
from bench.sweep.trial import STEPS, earlier, kind, tried
from elmo_core.downloads.fetch import downloads_off
from elmo_core.store.plan import Cost, amount


@dataclass(frozen=True)
class Forecast:
    """What runs of one kind will cost: they differ in their seed, their mix or their rates."""

    jobs: list[Job]
    examples: int  # of training and dev, in an epoch
    tokens: int  # of both
    features: Cost | None  # what is not computed yet; None without ELMo
    live: bool  # whether each epoch computes it anew, as it should or for want of room
    epoch: float  # seconds
    trainings: float  # of a run: one, and those of an online code, on parts of the training set
    earlier: int  # runs in which that was measured; 0: it was tried now

    @property
    def seconds(self) -> float:
        """The time of one run that trains all its epochs, on features that are there."""
        return int(self.jobs[0].cfg.training.max_epochs) * self.trainings * self.epoch


def show(jobs: Sequence[Job], queue: Queue) -> None:
    """Print what unfinished runs will cost, and what is not there for them.

    Nothing is downloaded. Where no earlier run tells the time of an epoch, a few steps are done.

    Args:
        jobs: The runs.
        queue: How many are done at once, and with how many threads.
    """
    console, forecaster = Console(), _Forecaster()
    found: list[Forecast] = []
    reasons: dict[str, list[Job]] = {}
    with downloads_off(), quiet(), _threads(queue.threads):
        able = []
        for job in jobs:
            lacked = lacking(forecaster.needs, job.cfg)
            for reason in lacked:
                reasons.setdefault(reason, []).append(job)
            able += [] if lacked else [job]
        for together in _by_kind(able):
            result = forecaster.of(together)
            if isinstance(result, Forecast):
                found.append(result)
            else:
                reasons.setdefault(result, []).extend(together)
    lines: list[str] = []
    if found:
        console.print(_table(found))
        lines += [_time(found, queue), _features(found, queue), *forecaster.features.shortage()]
    lines += [f"not known for {cells(stopped)}: {reason}" for reason, stopped in reasons.items()]
    lines += dict.fromkeys(filter(None, (loggers.missing(job.cfg.logger) for job in jobs)))
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def _threads(number: int | None) -> Iterator[None]:
    """Inside, torch computes with as many threads, if a number is given."""
    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _by_kind(jobs: Sequence[Job]) -> list[list[Job]]:
    found: dict[str, list[Job]] = {}
    for job in jobs:
        training = job.cfg.training
        parts = [kind(job.cfg), training.max_epochs, training.online_code]
        key = json.dumps(parts, sort_keys=True)
        found.setdefault(key, []).append(job)
    return list(found.values())


class _Forecaster:
    """Makes forecasts; what several kinds of runs share is read and counted once."""

    def __init__(self) -> None:
        self.needs = Needs()
        self.features = Features(self.needs)

    def of(self, jobs: list[Job]) -> Forecast | str:
        """Return the forecast for runs of one kind, or why there is none."""
        try:
            return self._made(jobs, jobs[0].cfg)
        except Exception as error:  # of a task or an encoder of the user's own, too
            return explain(error) or f"{type(error).__name__}: {error}"

    def _made(self, jobs: list[Job], cfg: DictConfig) -> Forecast:
        data, encoder = self.needs.data(cfg), self.needs.encoder(cfg)
        cost, way = (None, None) if encoder is None else self.features.cost(cfg, encoder)
        known = earlier(cfg)
        epoch = median(known) if known else tried(cfg, data, encoder, self.needs.mixes(cfg))
        if not known and cost is not None and way == "live":
            epoch += cost.seconds
        return Forecast(
            jobs=jobs,
            examples=sum(len(served(cfg, data, split)) for split in ("train", "dev")),
            tokens=self.features.wanted(cfg).tokens,
            features=cost,
            live=way == "live",
            epoch=epoch,
            trainings=1 + _of_online_code(cfg, data),
            earlier=len(known),
        )


def _of_online_code(cfg: DictConfig, data: BenchData) -> float:
    """Return how many trainings an online code takes, as shares of the run's own by examples."""
    if not cfg.training.online_code:
        return 0
    train, dev = (len(served(cfg, data, split)) for split in ("train", "dev"))
    blocks = ends(len(data.examples("train")))[:-1]
    return sum(min(known, train) + dev for known in blocks) / (train + dev)


def _table(found: Sequence[Forecast]) -> Table:
    several = len({each.jobs[0].encoder for each in found if each.features is not None}) > 1
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("task", no_wrap=True)
    table.add_column("ELMo", overflow="fold")  # where 80 columns are too few, at its space
    for name in ("runs", "examples", "tokens", "features", "epoch", "run ≤"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found:
        job, features = each.jobs[0], each.features
        named = f"{job.encoder} " if several and features else ""
        table.add_row(
            job.cfg.task.name,
            f"{named}{job.cfg.elmo.placement}",
            str(len(each.jobs)),
            f"{each.examples:,}",
            f"{each.tokens:,}",
            amount(features.bytes) if features and features.bytes else "",
            duration(each.epoch) + ("" if each.earlier else "*"),
            duration(each.seconds),
        )
    return table


def _time(found: Sequence[Forecast], queue: Queue) -> str:
    """Say how long all of it takes, and how that is known."""
    count = sum(len(each.jobs) for each in found)
    runs_in_turn = [each.seconds for each in found for _ in each.jobs]
    most = until_done(runs_in_turn, [0.0] * queue.at_once, queue.spare)
    measured = sum(each.earlier for each in found)
    known = [f"measured in {counted(measured, 'earlier run')} on this machine"] if measured else []
    if not all(each.earlier for each in found):
        known.append(f"*: estimated now, by {STEPS} steps")
    each = f", {queue}" if count > 1 else ""
    return f"time: at most {duration(most)} for {counted(count, 'run')}{each} ({'; '.join(known)})"


def _features(found: Sequence[Forecast], queue: Queue) -> str:
    """Say what features are still to be computed, which runs at once share."""
    costs = {id(cost): cost for each in found if (cost := each.features) and cost.bytes}
    if not costs and any(each.live for each in found):
        return "features: none are kept, encoded anew in every epoch"
    if not costs:
        return "features: none to be computed for training and dev"
    size = sum(cost.bytes for cost in costs.values())
    seconds = sum(cost.seconds for cost in costs.values()) / queue.at_once
    if any(each.live for each in found if id(each.features) in costs):
        return f"features: {amount(size)}, no room to keep them all: encoded anew in every epoch"
    return (
        f"features: {amount(size)} to be computed first, in about {duration(seconds)} (estimated "
        "now); those of test come on top"
    )
