"""A search: runs whose values Optuna proposes, for the highest dev score.

Proposals follow from the seed and the scores so far. So the same command, given again, comes to the
same trials: finished ones are taken as they are, and one that was interrupted goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, IntervalSweep, Override, RangeSweep
from omegaconf import DictConfig
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench import config
from bench.console import counted
from bench.errors import ConfigError
from bench.interrupts import told
from bench.overrides import expand
from bench.sweep.job import Cell, Job, leave
from bench.sweep.manifest import command
from bench.sweep.sweeper import Sweep

if TYPE_CHECKING:
    from optuna import Trial
    from optuna.distributions import BaseDistribution

EXAMPLE = "'elmo.l2=tag(log, interval(1e-4, 10))' elmo.layers=all,top"


class Search(Sweep):
    """Does one run after another with the values that Optuna proposes, and shows the best.

    Args:
        n_trials: How many runs there are.
        at_once: How many are proposed together, for a launcher that does several at once.
        seed: Of the proposals.
    """

    def __init__(self, n_trials: int, at_once: int, seed: int) -> None:
        self.n_trials, self.at_once, self.seed = n_trials, at_once, seed

    def sweep(self, arguments: list[str]) -> None:
        """Exit with status 0 if all runs are there, 2 if the user can mend why not, else 1."""
        with told(self._interrupted), self.forks:
            config.check_plan(self.config.plan)
            self._check()
            space, fixed = self._split(arguments)
            done = self._search(space, fixed)
            if self.config.plan:
                return
            _show(done, list(space), self.config.hydra)
        leave([job.outcome for _, job in done if job.failed or not job.done])

    def _check(self) -> None:
        """Raise ConfigError for what a search cannot do, settings that are none, or no Optuna."""
        if find_spec("optuna") is None:
            raise ConfigError(
                "hydra/sweeper=search: not installed: pip install 'elmo-bench[search]'"
            )
        if self.config.experiment is not None:
            raise ConfigError("hydra/sweeper=search: a search takes -m, not experiment=")
        if self.config.plan == "slurm":
            raise ConfigError(
                "plan=slurm: what a search proposes follows from the runs before; submit the "
                "search itself, or name the values and leave hydra/sweeper=search out"
            )
        for key in ("n_trials", "at_once"):
            if getattr(self, key) < 1:
                raise ConfigError(f"hydra.sweeper.{key}={getattr(self, key)}: must be 1 or more")

    def _split(self, arguments: Sequence[str]) -> tuple[dict[str, BaseDistribution], list[str]]:
        """Return what is searched, by key, and the other words. Raises ConfigError."""
        space, fixed = {}, []
        for override in OverridesParser.create(self.loader).parse_overrides(list(arguments)):
            key = override.get_key_element()
            if not override.is_sweep_override():
                if key != "plan":
                    fixed.append(str(override.input_line))
            elif key == "seed":
                raise ConfigError(f"{override.input_line}: a search takes one seed")
            else:
                space[key] = _distribution(override)
        if not space:
            raise ConfigError(f"hydra/sweeper=search: give it values to search: {EXAMPLE}")
        return space, fixed

    def _search(
        self, space: Mapping[str, BaseDistribution], fixed: Sequence[str]
    ) -> list[tuple[Cell, Job]]:
        """Do the trials and return them in order; with `plan=`, say what the first would take."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=self.seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        done: list[tuple[Cell, Job]] = []
        known: dict[Path, Job] = {}  # what is proposed again is not done again
        while len(done) < self.n_trials:
            together = min(self.at_once, self.n_trials - len(done))
            trials = [study.ask(dict(space)) for _ in range(together)]
            places = self._places([self._cell(trial, fixed) for trial in trials], known)
            if self.config.plan:
                count = counted(self.n_trials, "run")
                print(f"search: {count} of this kind, values as Optuna proposes them")
                self._forecast([places[0][1]])
                return []
            jobs = list(dict.fromkeys(job for _, job in places))
            todo = [job for job in jobs if job.found != "finished" and job.outcome is None]
            if todo and not done:  # what the first ones lack, all lack
                self._require(todo, several=self.n_trials > 1)
            self._run(todo)
            for trial, (_, job) in zip(trials, places, strict=True):
                score = _score(job)
                state = optuna.trial.TrialState.FAIL if score is None else None
                study.tell(trial, score, state=state)
            done += places
        return done

    def _cell(self, trial: Trial, fixed: Sequence[str]) -> Cell:
        words = [f"{key}={_short(value)}" for key, value in trial.params.items()]
        task = next((w.partition("=")[2] for w in (*words, *fixed) if w.startswith("task=")), None)
        return Cell(
            row=task or self.config.hydra.runtime.choices["task"],
            column=f"trial {trial.number + 1} of {self.n_trials} · {' '.join(words)}",
            seed=self.config.seed,
            words=tuple(expand([*fixed, *words])),
        )


def _distribution(override: Override) -> BaseDistribution:
    """Return the values that a key may take, as Optuna knows them. Raises ConfigError."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    values = override.value()
    try:
        if isinstance(values, IntervalSweep):
            low, high, log = values.start, values.end, "log" in values.tags
            if isinstance(low, int) and isinstance(high, int):
                return IntDistribution(low, high, log=log)
            return FloatDistribution(float(low or 0), float(high or 0), log=log)
        if isinstance(values, RangeSweep | ChoiceSweep):
            return CategoricalDistribution(tuple(override.sweep_string_iterator()))
    except ValueError as error:
        raise ConfigError(f"{override.input_line}: {error}") from None
    raise ConfigError(f"{override.input_line}: a search takes intervals, ranges and choices")


def _score(job: Job) -> float | None:
    """Return the dev score of a run, None where it has none; that of before does not count."""
    result = None if job.failed else job.result
    return None if result is None else result.dev_score


def _show(done: Sequence[tuple[Cell, Job]], keys: Sequence[str], hydra: DictConfig) -> None:
    """Print the trials, and the command and the folder of the best."""
    console = Console()
    scored = [(score, cell, job) for cell, job in done if (score := _score(job)) is not None]
    best = max(scored, key=lambda found: found[0], default=None)
    table = Table("trial", *map(escape, keys), "dev", box=None, padding=(0, 2, 0, 0))
    for number, (cell, job) in enumerate(done, start=1):
        values = dict(word.partition("=")[::2] for word in cell.words)
        score = _score(job)
        shown = "[red]failed[/]" if score is None else f"{score:.2f}"
        if best is not None and cell is best[1]:
            shown = f"[bold green]{shown}[/]"
        table.add_row(str(number), *(escape(values.get(key, "")) for key in keys), shown)
    console.print(table)
    if best is None:
        return
    _, cell, job = best
    count = counted(len(scored), "run")
    console.print(f"the best on dev of {count}, which flatters it; test has the say:")
    print(command(cell.overrides, hydra))  # whole, to be pasted
    print(job.record.folder)


def _short(value: object) -> str:
    """Write a value as a word of the command line; four digits of a number tell enough."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
