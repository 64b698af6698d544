"""One run among many, in whichever process: what came of it is returned, never raised."""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from bench.console import duration, in_worker, one_line, say
from bench.errors import BusyError, explain
from bench.interrupts import end_with_parent
from bench.records import Finished
from bench.run.contents import chosen
from bench.run.record import Record
from bench.run.trust import packages
from bench.sweep.apart import CommandFailed, run_apart
from bench.sweep.job import Cell, Ensemble, Noisy, Outcome
from bench.world import world_size
from elmo_core.imports import importing_torch

if TYPE_CHECKING:
    from elmo_core.store.feature_store import FeatureStore


def attempt(cfg: DictConfig, cells: Sequence[Cell], begun: float) -> Outcome:
    """Do the run `cfg` and say in one line what came of it; its cell has Hydra's job number.

    Args:
        cfg: The run's configuration.
        cells: Those of all runs that are launched together.
        begun: When they were launched, of `time.time()`.

    Returns:
        What came of it.
    """
    number = HydraConfig.get().job.num
    label = str(cells[number])
    if len(cells) > 1:
        label = f"[{number + 1}/{len(cells)}] {label}"
    started = time.perf_counter()
    end_with_parent()
    with one_line(label, _left(begun, number, len(cells))), _command(cells[number].overrides):
        came = _done(cfg)
    gc.collect()  # the model and its features, before the next run has its own
    seconds = time.perf_counter() - started
    left = _left(begun, number + 1, len(cells))
    say(f"{label}: {came.what}, {seconds:.0f} s{left and f'; {left}'}")
    return Outcome(came.status, came.what, came.mendable, seconds)


def _left(begun: float, done: int, runs: int) -> str:
    """Say when all will be done, by the runs so far; nothing where they are done in parallel."""
    if in_worker() or not 0 < done < runs:
        return ""
    return f"about {duration((time.time() - begun) / done * (runs - done))} left"


def combined(ensemble: Ensemble, force: bool) -> Outcome:
    """Make an ensemble of finished runs and say in one line what came of it.

    If another process is making it, wait until it is there.
    """
    return _told(str(ensemble), lambda: _combined(ensemble, force))


def evaluated(noisy: Noisy, force: bool, stores: dict[str, FeatureStore]) -> Outcome:
    """Score a finished run under noise and say in one line what came of it.

    `stores` keeps the encoders that were loaded, for the next one.
    """
    return _told(str(noisy), lambda: _evaluated(noisy, force, stores))


def _told(label: str, done: Callable[[], Outcome]) -> Outcome:
    """Say on one line that something is being done, and then what came of it."""
    started = time.perf_counter()
    with one_line(label):
        outcome = done()
    seconds = time.perf_counter() - started
    say(f"{label}: {outcome.what}, {seconds:.0f} s")
    return Outcome(outcome.status, outcome.what, outcome.mendable, seconds)


def _done(cfg: DictConfig) -> Outcome:
    _, record = chosen(cfg)

    def work() -> Finished:
        if world_size(cfg.trainer) > 1 and not _started_together():
            return run_apart(HydraConfig.get().overrides.task, record)
        with importing_torch():
            from bench.run.run import run

        return run(cfg)

    return outcome(work, record, cfg.debug)


def outcome(work: Callable[[], Finished], record: Record, debug: bool) -> Outcome:
    """Do the work of a run, and say what came of it.

    Args:
        work: It returns the run's result.
        record: The run's.
        debug: Whether tracebacks are shown.

    Returns:
        What came of it, failures included.
    """
    try:
        return _finished(work())
    except BusyError:
        return Outcome("elsewhere", "being run by another process")
    except Exception as error:
        return _failed(error, record, debug)


def _started_together() -> bool:
    """Say whether Slurm has started the processes of this run, so that Lightning starts none."""
    return int(os.environ.get("SLURM_NTASKS", "1")) > 1


def _combined(ensemble: Ensemble, force: bool) -> Outcome:
    from bench.ensemble.combine import combine

    folders = [job.record.folder for job in ensemble.jobs]
    trusted = packages(ensemble.jobs[0].cfg)  # whoever typed the sweep asked for them
    try:
        try:
            return _finished(combine(folders, force, trusted))
        except BusyError:
            ensemble.record.wait()
            return _finished(combine(folders, trusted=trusted))
    except Exception as error:
        return _failed(error, ensemble.record, ensemble.jobs[0].cfg.debug)


def _evaluated(noisy: Noisy, force: bool, stores: dict[str, FeatureStore]) -> Outcome:
    from bench.evaluate.evaluate import evaluate

    folders, trusted = [noisy.job.record.folder], packages(noisy.job.cfg)
    try:
        try:
            (result,) = evaluate(folders, noisy.asked, stores, force=force, trusted=trusted)
        except BusyError:
            noisy.record.wait()
            (result,) = evaluate(folders, noisy.asked, stores, trusted=trusted)
    except Exception as error:
        return _failed(error, noisy.record, noisy.job.cfg.debug)
    return _finished(result)


def _finished(result: Finished) -> Outcome:
    return Outcome("finished", f"dev {result.metric} {result.metrics['dev'][result.metric]:.2f}")


def _failed(error: Exception, record: Record, debug: bool) -> Outcome:
    """Say in one line why; the traceback of a bug of ours goes to the run's log."""
    if debug:
        traceback.print_exc()
    why = explain(error)
    if why:
        return Outcome("failed", why)
    if isinstance(error, CommandFailed):
        return Outcome("failed", str(error), mendable=False)
    first = (str(error).splitlines() or [""])[0]
    try:
        with record.log.open("a") as file:
            traceback.print_exc(file=file)
        where = f" (traceback in {record.log})"
    except OSError:
        where = ""
    return Outcome("failed", f"{type(error).__name__}: {first}{where}", mendable=False)


@contextmanager
def _command(overrides: Sequence[str]) -> Iterator[None]:
    """Inside, this process has the command line of one run, for the processes that it starts."""
    whole = sys.argv
    sys.argv = [whole[0], *overrides]
    try:
        yield
    finally:
        sys.argv = whole
