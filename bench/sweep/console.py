"""What a sweep says on the console: what is to be done, what came of it, and the scores."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

from omegaconf import DictConfig
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.console import counted, short
from bench.run.trust import packages
from bench.sweep.job import Ensemble, Job, Noisy, Places
from bench.sweep.manifest import command

COLOURS = {"finished": "green", "failed": "red", "finished earlier": "dim"}


def plan(
    cfg: DictConfig, jobs: Sequence[Job], ensembles: Sequence[Ensemble], noisy: Sequence[Noisy]
) -> None:
    """Print how many runs there are to do; with `plan=true`, each run and the commands to do it.

    With `plan=slurm`, all that goes to the standard output is the script.
    """
    if not jobs:  # in every row and column a trial failed
        return
    console = Console(stderr=cfg.plan == "slurm")
    title = "" if any(job.outcome for job in jobs) else _title(cfg)  # told before their trials
    then = _then(len(ensembles), len(noisy))
    console.print(f"{title}{counted(len(jobs), 'run')}{_states(jobs)}{then}", highlight=False)
    if cfg.plan in (False, "slurm"):
        return
    _list(console, jobs, cfg.hydra)
    further: list[Ensemble | Noisy] = [*ensembles, *noisy]
    for each in further:
        if not each.done:
            print(each.command)


def plan_search(
    cfg: DictConfig, trials: Sequence[Job], later: int, ensembles: int, noisy: int
) -> None:
    """Print how many trials there are to do, and what comes then; with `plan=true`, each trial."""
    console = Console()
    then = f"; then {counted(later, 'run')} of what they choose" if later else ""
    then += _then(ensembles, noisy)
    number = counted(len(trials), "trial")
    console.print(f"{_title(cfg)}{number}{_states(trials)}{then}", highlight=False)
    if cfg.plan:
        _list(console, trials, cfg.hydra)


def _states(jobs: Sequence[Job]) -> str:
    """Return how many cells the runs fill, if these are more, and in which states they are."""
    cells = sum(len(job.cells) for job in jobs)
    shared = f" for {cells} cells" if cells > len(jobs) else ""
    found = Counter(job.found for job in jobs)
    return f"{shared}: " + ", ".join(f"{count} {state}" for state, count in found.items())


def _then(ensembles: int, noisy: int) -> str:
    """Return what is made of the runs afterwards; nothing where nothing is."""
    then = f"; then {counted(ensembles, 'ensemble')} of them" if ensembles else ""
    return then + (f"; then {counted(noisy, 'evaluation')} under noise" if noisy else "")


def _list(console: Console, jobs: Sequence[Job], hydra: DictConfig) -> None:
    """Print each run with its state, and the commands of those that are not finished."""
    table = Table("run", "state", box=None, padding=(0, 2, 0, 0))
    for job in jobs:
        table.add_row(escape(str(job.cells[0])), job.found)
    console.print(table)
    for job in jobs:
        if job.found != "finished":
            print(command(job.cells[0].overrides, hydra))  # whole, to be pasted


def warn_of_encoders(cfg: DictConfig, places: Places) -> None:
    """Print a line where the paper's numbers are of other encoders than these runs have.

    On built-in or other data nobody takes the scores for the paper's, so that a plan alone says it.
    """
    if cfg.experiment is None or not cfg.experiment.paper_encoders:
        return
    theirs = cfg.experiment.paper_encoders
    other = dict.fromkeys(
        job.encoder
        for cell, job in places
        if job.cfg.elmo.placement != "none"
        and cell.column in cfg.experiment.paper.get(cell.row, {})
        and job.encoder not in theirs
        and (cfg.plan or job.cfg.data.name == "paper")
    )
    if other:
        hint = ""
        if len(theirs) == 1:
            from elmo_core.downloads.cache import cache_folder  # brings what fetches

            place = short(cache_folder() / theirs[0])
            hint = f" (encoder={theirs[0]}; a copy of your own goes to {place})"
        print(
            f"encoder: {', '.join(other)}, not the paper's: its numbers are of "
            f"{' and '.join(theirs)}{hint}",
            file=sys.stderr,
        )


def show(jobs: Sequence[Job], places: Places, manifest: Path | None) -> None:
    """Print what came of each run, and why a run failed; then the scores of those with a place."""
    console = Console()
    table = Table("run", "what", "", "time", box=None, padding=(0, 2, 0, 0))
    for job in jobs:
        state = job.outcome.status if job.outcome else "finished earlier"
        what, seconds = (job.outcome.what, job.outcome.seconds) if job.outcome else ("", 0)
        time = f"{seconds:.0f} s" if seconds else ""
        state = f"[{COLOURS.get(state, 'red')}]{state}[/]"
        table.add_row(escape(str(job.cells[0])), state, escape(what), time)
    console.print(table)
    if manifest is not None:
        from bench.report.formats import terminal  # with numpy

        trusted = {package for _, job in places for package in packages(job.cfg)}
        terminal.show(manifest, console, sorted(trusted))
    elif any(job.done for _, job in places):
        console.print(scores(places))


def scores(places: Places) -> Table:
    """Make the table of dev scores: tasks × what else varied, mean ± sd over the seeds."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    names: dict[str, str] = {}
    for cell, job in places:
        if (result := job.result) is not None:
            names[cell.row] = result.metric
            found[cell.row, cell.column].append(result.dev_score)
    columns = dict.fromkeys(cell.column for cell, _ in places)
    keys, headers = _common_keys(list(columns))
    table = Table(escape(f"dev, by {keys}") if keys else "dev", "", *map(escape, headers))
    for row in dict.fromkeys(cell.row for cell, _ in places):
        table.add_row(row, names.get(row), *(_mean(found[row, column]) for column in columns))
    return table


def _common_keys(columns: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Split columns such as `elmo.l2=0` and `elmo.l2=1` into their key and their values.

    Without the same keys in all of them, the columns stay as they are.
    """
    words = [[word.partition("=") for word in column.split(" ")] for column in columns]
    keys = {" ".join(key for key, _, _ in column) for column in words}
    if len(keys) > 1 or not all(equals for column in words for _, equals, _ in column):
        return "", columns
    return keys.pop(), [" ".join(value for _, _, value in column) for column in words]


def _mean(found: Sequence[float]) -> str:
    """Write mean ± standard deviation of one cell's scores."""
    if not found:
        return "–"
    spread = f" ± {stdev(found):.2f} (n={len(found)})" if len(found) > 1 else ""
    return f"{fmean(found):.2f}{spread}"


def _title(cfg: DictConfig) -> str:
    if cfg.experiment is None:
        return ""
    source = f" ({cfg.experiment.source})" if cfg.experiment.source else ""
    name = cfg.hydra.runtime.choices["experiment"]
    return f"[bold]{escape(name)}[/]: {escape(cfg.experiment.title + source)}\n"
