"""Many runs: those of `-m`, and those that `experiment=` expands to.

This is a sweeper for Hydra, so that each of Hydra's launchers can carry it out. Finished runs are
left alone, interrupted ones go on, and a failed one does not stop the others. Where another
process works on a run, the sweep waits for it. The records alone say what is done: the same sweep
may be called again and again, or in several processes at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

from bench import config, errors
from bench.console import counted
from bench.errors import ConfigError
from bench.explanation import UNUSABLE, explain
from bench.interrupts import told
from bench.run.contents import chosen
from bench.sweep import console, cores, grid_search, manifest, slurm_script
from bench.sweep.apart import Forks
from bench.sweep.attempt import attempt, combined, evaluated
from bench.sweep.ensembles import ensembles
from bench.sweep.expand import grid, grouped, of_experiment
from bench.sweep.grid_search import GridSearch
from bench.sweep.job import Cell, Ensemble, Job, Noisy, Outcome, leave, require_differences
from bench.sweep.noise import noisy
from bench.sweep.side_by_side import SideBySide
from bench.sweep.without import leave_out
from elmo_core.errors import one_line
from elmo_core.imports import importing_torch

E = TypeVar("E", Ensemble, Noisy)


class Sweep(Sweeper):
    """Does the runs of a sweep that are not finished, then its ensembles, and shows the scores."""

    hydra_context: HydraContext
    config: DictConfig  # the sweep's own, with Hydra's node

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        self.hydra_context, self.config = hydra_context, config
        self.loader = hydra_context.config_loader
        self.forks = Forks()
        self.composed: dict[tuple[str, ...], tuple[DictConfig, str]] = {}  # by words

    def sweep(self, arguments: list[str]) -> None:
        """Exit with status 0 if all runs are there, 2 if the user can mend why not, else 1."""
        with told(self._interrupted), self.forks:
            config.check_plan(self.config.plan)
            cells, jobs = self._cells(arguments), dict[Path, Job]()
            tried = grid_search.trials(self.config, cells)
            searches = [GridSearch(self._places(each, jobs)) for each in tried]
            if not all(each.settled for each in searches):
                self._grid_search(cells, searches, jobs)
                if self.config.plan:
                    return
            failed = self._fill(grid_search.chosen(cells, searches), searches, jobs)
        if self.config.plan:
            return
        lacking = (job.outcome for job in jobs.values() if job.failed or not job.done)
        leave([*lacking, *failed])

    def _interrupted(self) -> str:
        if not self.config.force:
            return "interrupted; the same command goes on"
        return (
            "interrupted; the same command begins anew; without force=true what is finished stays, "
            "and the rest goes on"
        )

    def _grid_search(
        self, cells: Sequence[Cell], searches: Sequence[GridSearch], jobs: dict[Path, Job]
    ) -> None:
        """Do or plan the trials, `jobs`. Raises ConfigError for a plan that cannot be made."""
        if self.config.plan == "slurm":
            raise ConfigError(
                "plan=slurm: a script cannot know what a search will choose: "
                "hydra/launcher=slurm waits for the trials and goes on, or leave the search out"
            )
        trials = list(jobs.values())
        places = self._places(grid_search.expected(cells, searches), dict(jobs))
        later = [job for job in dict.fromkeys(job for _, job in places) if job not in trials]
        made = len(ensembles(self.config, places)), len(noisy(self.config, places))
        console.plan_search(self.config, trials, len(later), *made)
        todo = [job for job in trials if job.found != "finished"]
        if self.config.plan:
            console.warn_of_encoders(self.config, places)
            self._forecast([*todo, *later])
            return
        self._require(todo)
        self._run(todo)
        grid_search.settle(searches)

    def _fill(
        self, cells: Sequence[Cell], searches: Sequence[GridSearch], jobs: dict[Path, Job]
    ) -> list[Outcome]:
        """Do or plan the runs of these cells, which join `jobs`, and what is made of them.

        Returns the outcomes of what was to be made of them and failed.
        """
        places = self._places(cells, jobs)
        if self.config.experiment is not None:
            require_differences(places)
        own = list(dict.fromkeys(job for _, job in places))
        todo = [job for job in own if job.found != "finished"]
        together = ensembles(self.config, places)
        misspelled = noisy(self.config, places)
        console.plan(self.config, own, together, misspelled)
        console.warn_of_encoders(self.config, places)
        if self.config.plan:
            further: list[Ensemble | Noisy] = [*together, *misspelled]
            if self.config.plan != "slurm":
                if todo:
                    self._forecast(todo)
            elif todo or not all(each.done for each in further):
                print(slurm_script.script(self.config, todo), end="")
            return []
        self._require(todo)
        written = manifest.write(self.config, places, together, misspelled, searches)
        self._run(todo)
        failed = self._made(together, combined)
        failed += self._made(misspelled, partial(evaluated, stores={}))
        console.show(list(jobs.values()), places, written)
        return failed

    # -- what is to be done

    def _cells(self, arguments: list[str]) -> list[Cell]:
        """Return what these words of the command line ask for. Raises ConfigError."""
        given = OverridesParser.create(self.loader).parse_overrides(arguments)
        choices = self.config.hydra.runtime.choices
        if self.config.experiment is None:
            several = [o for o in given if o.key_or_group == "experiment" and o.is_sweep_override()]
            if several:
                raise ConfigError(f"{several[0].input_line}: one experiment at a time")
            return grid(given, choices["task"], self.config.seed)
        tasks = self.loader.get_group_options(
            "task",
            config_name=self.config.hydra.job.config_name,
            overrides=list(self.config.hydra.overrides.hydra),
        )
        name = choices["experiment"]
        leave_out(name, self.config.experiment)
        cells, left_out = of_experiment(name, self.config.experiment, given, tasks, choices["task"])
        for line in left_out:
            print(f"{name}: {line}", file=sys.stderr)
        return cells

    def _places(self, cells: Sequence[Cell], jobs: dict[Path, Job]) -> list[tuple[Cell, Job]]:
        """Return each cell with the run that fills it; one run may fill several cells.

        Those of these runs that are not among `jobs`, by folder, join them.
        """
        places, stamps = [], dict[str, str]()
        for cell in cells:
            config.check_seed(cell.seed)  # cells that differ in it alone are composed once
            if cell.words not in self.composed:
                self.composed[cell.words] = self._composed(cell)
            cfg, encoder = self.composed[cell.words]
            cfg = cfg.copy()
            cfg.seed = cell.seed
            _, record = chosen(cfg, stamps)
            if record.folder not in jobs:
                jobs[record.folder] = Job(cfg, record, encoder)
            job = jobs[record.folder]
            if cell not in job.cells:  # what a search chose was tried in the same cell
                job.cells.append(cell)
            places.append((cell, job))
        return places

    def _composed(self, cell: Cell) -> tuple[DictConfig, str]:
        """Compose the run as its job will, and name its encoder. Raises ConfigError."""
        try:
            cfg: DictConfig = self.loader.load_sweep_config(self.config, cell.overrides)
            OmegaConf.set_struct(cfg, False)
            chosen = cfg.pop("hydra").runtime.choices["encoder"]
            config.check(cfg)
        except UNUSABLE as error:
            words = [*self.config.hydra.overrides.hydra, *cell.overrides]
            raise ConfigError(f"{cell}: {explain(words, error)}") from None
        except ConfigError as error:
            raise ConfigError(f"{cell}: {error}") from None
        return cfg, str(cfg.encoder.get("source") or cfg.encoder.get("model") or chosen)

    # -- before anything is done

    def _forecast(self, todo: Sequence[Job]) -> None:
        """Print what these runs will cost, and what is not there for them."""
        with importing_torch():
            from bench.sweep import forecast

        forecast.show(todo, cores.planned(self.config.hydra, todo))

    def _require(self, todo: Sequence[Job], several: bool = False) -> None:
        """Raise ConfigError if something is known to stop the launcher, or one of several runs.

        They are the first of several, or these.
        """
        if todo:
            cores.prepare(self.config.hydra, todo, self.forks)
        if several or len(todo) > 1:
            with importing_torch():
                from bench.sweep import needs

            launcher = self.config.hydra.runtime.choices["hydra/launcher"]
            needs.require(todo, here=launcher != "slurm", apart=launcher == "gpus")

    # -- doing it

    def _run(self, jobs: Sequence[Job]) -> None:
        """Do these runs, or wait for the processes that do them."""
        before = {job: job.result for job in jobs}
        self._launch(jobs)
        while elsewhere := [job for job in jobs if job.elsewhere]:
            number = counted(len(elsewhere), "run")
            print(f"waiting for {number} of another process", file=sys.stderr)
            for job in elsewhere:
                job.record.wait()
                if job.result not in (None, before[job]):
                    job.outcome = Outcome("finished", "by another process")
            self._launch([job for job in elsewhere if job.elsewhere])

    def _launch(self, jobs: Sequence[Job]) -> None:
        """Give these runs to Hydra's launcher, and take what came of each.

        The launcher itself may fail, when a process is killed. What it left is then launched run
        by run, so that one run cannot take the others with it.
        """
        if not jobs:
            return
        launcher = Plugins.instance().instantiate_launcher(
            hydra_context=self.hydra_context,
            task_function=partial(attempt, cells=[job.cells[0] for job in jobs], begun=time.time()),
            config=self.config,
        )
        if isinstance(launcher, SideBySide):
            launcher.jobs, launcher.forks = jobs, self.forks
        words = [[*job.cells[0].overrides, *grouped(self.config)] for job in jobs]
        before = {job: job.result for job in jobs}
        try:
            returned = launcher.launch(words, initial_job_idx=0)
            for job, result in zip(jobs, returned, strict=True):
                job.outcome = result.return_value
        except ConfigError:  # of the launcher's own keys
            raise
        except Exception as error:
            if len(jobs) == 1:
                why = errors.explain(error)
                said = why or one_line(f"{type(error).__name__}: {error}")
                jobs[0].outcome = Outcome("failed", said, mendable=why is not None)
                return
            for job in jobs:
                if job.result in (None, before[job]):  # not done, or not repeated yet
                    self._launch([job])

    def _made(self, found: Sequence[E], make: Callable[[E, bool], Outcome]) -> list[Outcome]:
        """Make those whose runs are there, and return the outcomes that are failures."""
        force = self.config.force
        came = [make(each, force) for each in found if each.ready and (force or not each.done)]
        return [outcome for outcome in came if outcome.status != "finished"]
