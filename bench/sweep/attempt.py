"""One run among many, in whichever process: what came of it is returned, never raised."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from bench.console import duration, one_line, say
from bench.errors import BusyError, explain
from bench.interrupts import end_with_parent
from bench.records import Finished
from bench.run.contents import chosen
from bench.run.record import Record
from bench.run.trust import packages
from bench.sweep.apart import CommandFailed, as_typed, folders, run_apart
from bench.sweep.job import Cell, Ensemble, Noisy, Outcome
from bench.world import started_together, world_size
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
    words = [*folders(HydraConfig.get()), *cells[number].overrides]
    with one_line(label, _left(begun, number, len(cells))), _command(words):
        came = _done(cfg)
    gc.collect()  # the model and its features, before the next run has its own
    came = replace(came, seconds=time.perf_counter() - started)
    left = _left(begun, number + 1, len(cells))
    say(f"{label}: {came.what}, {came.seconds:.0f} s{left and f'; {left}'}")
    return came


def _left(begun: float, done: int, runs: int) -> str:
    """Say when all will be done, by the runs so far; nothing where they are done in parallel."""
    launcher = HydraConfig.get().runtime.choices["hydra/launcher"]
    if launcher not in ("basic", "cores") or not 0 < done < runs:
        return ""
    return f"about {duration((time.time() - begun) / done * (runs - done))} left"


def combined(ensemble: Ensemble, force: bool) -> Outcome:
    """Make an ensemble of finished runs and say in one line what came of it.

    If another process is making it, wait until it is there.
    """
    from bench.ensemble.combine import combine

    folders = [job.record.folder for job in ensemble.jobs]
    cfg = ensemble.jobs[0].cfg
    trusted = packages(cfg)  # whoever typed the sweep asked for them
    made = partial(combine, folders, trusted=trusted)
    return _made(str(ensemble), made, ensemble.record, force, cfg.debug)


def evaluated(noisy: Noisy, force: bool, stores: dict[str, FeatureStore]) -> Outcome:
    """Score a finished run under noise and say in one line what came of it.

    `stores` keeps the encoders that were loaded, for the next one.
    """
    from bench.evaluate.evaluate import evaluate

    folders, cfg = [noisy.job.record.folder], noisy.job.cfg

    def made(force: bool) -> Finished:
        (result,) = evaluate(folders, noisy.asked, stores, force=force, trusted=packages(cfg))
        return result

    return _made(str(noisy), made, noisy.record, force, cfg.debug)


def _made(
    label: str, make: Callable[[bool], Finished], record: Record, force: bool, debug: bool
) -> Outcome:
    """Make a result, or wait for the process that is making it; say on one line what came of it."""

    def work() -> Finished:
        try:
            return make(force)
        except BusyError:
            record.wait()
            return make(False)

    started = time.perf_counter()
    with one_line(label):
        came = outcome(work, record, debug)
    came = replace(came, seconds=time.perf_counter() - started)
    say(f"{label}: {came.what}, {came.seconds:.0f} s")
    return came


def _done(cfg: DictConfig) -> Outcome:
    _, record = chosen(cfg)

    def work() -> Finished:
        if world_size(cfg.trainer) > 1 and not started_together():
            return run_apart(as_typed(HydraConfig.get().overrides.task), record)
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
        result = work()
        return Outcome("finished", f"dev {result.metric} {result.dev_score:.2f}")
    except BusyError:
        return Outcome("elsewhere", "being run by another process")
    except Exception as error:
        return _failed(error, record, debug)


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
        with record.log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        where = f" (traceback in {record.log})"
    except OSError:
        where = ""
    return Outcome("failed", f"{type(error).__name__}: {first}{where}", mendable=False)


@contextmanager
def _command(words: Sequence[str]) -> Iterator[None]:
    """Inside, this process has the command line of one run, for its record and the processes that
    it starts."""
    whole = sys.argv
    sys.argv = [whole[0], *words]
    try:
        yield
    finally:
        sys.argv = whole
