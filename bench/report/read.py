"""A runs folder, read back: its runs, its experiments, and what of it is damaged. No torch here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from omegaconf.errors import OmegaConfBaseException

from bench.choice import Choice
from bench.errors import RunError
from bench.experiment import View
from bench.records import DamagedRecord, Failed, Finished, Manifest, read_manifest, read_result
from bench.records.references import Reference, check_shown
from bench.run import trust
from bench.run.record import outdated

Key = tuple[str, str]  # a run's task and run id, which are its folder
CONFIGS, RESULTS = "[!.]*/*/config.yaml", "[!.]*/*/result.json"
MANIFESTS = ".experiments/*.json"


class ReportError(RunError):
    """Something that the caller can mend; one line."""


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run: its folder, and what came of it."""

    folder: Path
    result: Finished
    asked: str | None = None  # the command of an experiment's cell
    trusted: tuple[str, ...] = ()  # packages, besides this suite, whose task it may name
    reference: Reference | None = None  # in a file of results; its folder is then a name alone

    @property
    def id(self) -> str:
        """The run id, which names the folder."""
        return self.folder.name

    @property
    def renamed(self) -> bool:
        """Whether the folder has another name: it was copied, or moved."""
        return self.id != self.result.run_id

    @property
    def task(self) -> str:
        return self.folder.parent.name

    @property
    def key(self) -> Key:
        return self.task, self.id

    @property
    def seed(self) -> int:
        return self.result.seed

    def score(self, split: str) -> float | None:
        """Return the primary metric on `split`, or None where the run was not scored on it."""
        return self.result.score(split)

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @cached_property
    def choice(self) -> dict[str, Any]:
        """What decides the run's numbers, the seed aside; from config.yaml, or else the result."""
        if self.reference is not None:
            return dict(self.reference.choice)
        try:
            chosen = dict(Choice.of(trust.parsed(self.config)).values)
            check_shown(chosen)
        except (
            RunError,
            OSError,
            OmegaConfBaseException,
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
        ):
            written = self.result.to_json()
            chosen = {key: written[key] for key in ("data", "elmo", "encoder")}
            chosen["task"] = {"name": written["task"]}
            found = ("fingerprint", "content", "vectors", "stamp")
            chosen["data"] = {k: v for k, v in chosen["data"].items() if k not in found}
        chosen.pop("seed", None)
        return chosen

    @property
    def limit_batches(self) -> int | None:
        """How many batches of each split a trial saw; None for a run that saw them whole."""
        found: int | None = (self.choice.get("trainer") or {}).get("limit_batches")
        return found

    @cached_property
    def updates(self) -> int | None:
        """The training updates of an epoch, where the record tells."""
        if self.result.steps:
            return round(self.result.steps / self.result.epochs)
        train = self.result.counts.get("train")
        batch = (self.choice.get("training") or {}).get("batch_size")
        return -(-train // batch) if train and batch else None

    @property
    def command(self) -> str:
        """What repeats this run: as an experiment asked for it, as recorded, or from its config."""
        if known := self.asked or self.result.command:
            return known
        if self.reference is None:
            return repeating(self.folder)
        return next((each.command for each in self.result.provenance), "")


def repeating(folder: Path) -> str:
    """Return a command that repeats the run in a folder by its config.yaml."""
    where = quote(str(folder.resolve()))
    own = "hydra/job_logging=none hydra.output_subdir=null hydra.run.dir=."
    return f"python -m bench --config-path={where} --config-name=config {own}"


@dataclass(frozen=True, kw_only=True)
class Experiment(Manifest):
    """An experiment's manifest, and the file that it was read from."""

    path: Path

    @property
    def id(self) -> str:
        """What its section, figures and labels are called: the name of its file."""
        return self.path.stem


@dataclass
class Records:
    """Everything found in a runs folder."""

    folder: Path
    runs: dict[Key, Run] = field(default_factory=dict)  # the finished ones
    failed: dict[Key, Failed] = field(default_factory=dict)
    unfinished: set[Key] = field(default_factory=set)  # no result.json yet
    damaged: set[Key] = field(default_factory=set)
    experiments: list[Experiment] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # a line for each damaged or outdated record
    files: dict[Path, dict[Key, Run]] = field(default_factory=dict)  # the runs of each, of a folder

    @property
    def finished(self) -> list[Run]:
        """Runs and ensembles, without evaluations."""
        return [run for run in self.runs.values() if run.result.evaluation is None]

    @property
    def listed(self) -> list[Run]:
        """The finished runs without those that were trials of a search and nothing else."""
        asked = set().union(*map(_cells, self.experiments))
        trials = set().union(*map(_trials, self.experiments)) - asked
        return [run for run in self.finished if run.key not in trials]

    @property
    def evaluations(self) -> list[Run]:
        """Runs on other examples that no experiment has in its own table."""
        asked = {cell.key for each in self.experiments for cell in each.cells}
        found = (run for key, run in self.runs.items() if key not in asked)
        return [run for run in found if run.result.evaluation is not None]

    def of(self, experiment: Experiment) -> Records:
        """Return the records that its table is made of: where several files of results have a run,
        that of the experiment's own file."""
        own = self.files.get(experiment.path.parent, {})
        return replace(self, runs={key: own.get(key, run) for key, run in self.runs.items()})

    def leave_copies(self) -> None:
        """Leave out backup copies, of which `problems` have a line each.

        The folder that the run id names is the run; where it is gone, the first copy is.
        """
        found: dict[Key, Key] = {}
        for key, run in sorted(self.runs.items(), key=lambda item: item[1].renamed):
            itself = found.setdefault((run.task, run.result.run_id), key)
            if itself != key:
                del self.runs[key]
                self.problems.append(f"{'/'.join(key)}: a copy of {'/'.join(itself)}: left out")

    def leave_outdated(self) -> None:
        """Leave out what was made of runs that have been repeated since; `problems` name it."""
        for (task, name), run in list(self.runs.items()):
            now = ((each, self.runs.get((task, each))) for each in run.result.made_of)
            if outdated(run.result, {each: found.result for each, found in now if found}):
                del self.runs[task, name]
                self.problems.append(f"{task}/{name}: {_repeated(run.result)}")


def _repeated(made: Finished) -> str:
    if made.ensemble:
        return "one of its runs has been repeated since: combine them again"
    return "its run has been repeated since: evaluate it again"


def read(folder: Path, trusted: Sequence[str] = ()) -> Records:
    """Read every run and experiment below `folder`; `problems` name what is damaged or left out.

    The tasks of runs may lie in the packages `trusted`, whose code is imported for statistics.
    Raises ReportError where there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder (give the one that paths.runs named)")
    records = found(folder, trusted)
    records.leave_copies()
    records.leave_outdated()
    known = records.runs or records.failed or records.unfinished
    if not (known or records.experiments or records.problems):
        raise ReportError(f"{folder}: no runs in it (<task>/<run_id>/result.json)")
    return records


def has_runs(folder: Path) -> bool:
    """Say whether a run or an experiment has been begun below `folder`."""
    return any(next(folder.glob(each), None) for each in (CONFIGS, RESULTS, MANIFESTS))


def found(folder: Path, trusted: Sequence[str] = ()) -> Records:
    """Read as `read` does, with outdated runs and copies; there may be nothing below `folder`."""
    records = Records(folder)
    experiments = list(_experiments(records))
    commands = {cell.key: cell.command for each in experiments for cell in each.cells}
    _read_runs(records, commands, tuple(trusted))
    records.experiments = in_order(experiments)
    return records


def in_order(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Sort experiments by view and name, without those that are parts of others."""
    views = list(View)
    whole = _without_parts(experiments)
    return sorted(whole, key=lambda each: (views.index(each.view), each.name))


def read_experiment(path: Path) -> Experiment:
    """Read an experiment's manifest. Raises DamagedRecord."""
    return read_manifest(path, Experiment, path=path)


def _experiments(records: Records) -> Iterator[Experiment]:
    for path in sorted(records.folder.glob(MANIFESTS)):
        try:
            yield read_experiment(path)
        except DamagedRecord as error:
            records.problems.append(str(error))


def _read_runs(records: Records, commands: Mapping[Key, str], trusted: tuple[str, ...]) -> None:
    """Read every run into `records`; `commands` are those by which experiments asked for runs."""
    for path in sorted(records.folder.glob(RESULTS)):
        key = _key(path)
        try:
            result = read_result(path)
        except DamagedRecord as error:
            records.damaged.add(key)
            records.problems.append(str(error))
            continue
        if isinstance(result, Finished):
            records.runs[key] = Run(path.parent, result, commands.get(key), trusted)
        elif isinstance(result, Failed):
            records.failed[key] = result
    begun = {_key(path) for path in records.folder.glob(CONFIGS)}
    records.unfinished = begun - records.runs.keys() - records.failed.keys() - records.damaged


def _key(path: Path) -> Key:
    """Return the key of the run in whose folder `path` lies."""
    return path.parts[-3], path.parts[-2]


def _without_parts(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Leave out an experiment that was done again for more tasks or seeds: it stands once."""
    return [one for one in experiments if not any(_part_of(one, other) for other in experiments)]


def _part_of(one: Experiment, other: Experiment) -> bool:
    """Return whether `other` is the same with all runs and all trials of `one`, and more."""
    same = ("name", "baseline", "split", "view")
    if any(getattr(one, key) != getattr(other, key) for key in same):
        return False
    ours, theirs = ((_cells(each), _trials(each)) for each in (one, other))
    return ours != theirs and all(a <= b for a, b in zip(ours, theirs, strict=True))


def _cells(experiment: Experiment) -> set[Key]:
    return {cell.key for cell in experiment.cells}


def _trials(experiment: Experiment) -> set[Key]:
    return {key for search in experiment.searches for key in search.keys}
