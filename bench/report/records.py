"""What runs and experiments have left in a runs folder, read back. No torch here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from bench.choice import Choice

RESULT_SCHEMA = EXPERIMENT_SCHEMA = 1
VIEWS = ("table", "curve", "efficiency", "weights")


class ReportError(ValueError):
    """Something that the caller can mend; one line."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run's folder and its result.json."""

    folder: Path
    result: Mapping[str, Any]
    asked: str | None = None  # the command of an experiment's cell

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def task(self) -> str:
        return self.folder.parent.name

    @property
    def seed(self) -> int:
        return int(self.result["seed"])

    @property
    def finished(self) -> bool:
        return bool(self.result["status"] == "finished")

    @property
    def metric(self) -> str:
        return str(self.result["primary"]["name"])

    def score(self, split: str) -> float | None:
        """The metric on "dev" or "test"; None where the run has no such split."""
        metrics = self.result["metrics"].get(split)
        return None if metrics is None else float(metrics[self.metric])

    def yardsticks(self, split: str) -> Mapping[str, float]:
        found: Mapping[str, float] = self.result.get("yardsticks", {}).get(split, {})
        return found

    @property
    def mix(self) -> Mapping[str, Mapping[str, Any]]:
        """Softmaxed weights and γ of each place."""
        found: Mapping[str, Mapping[str, Any]] = self.result.get("mix") or {}
        return found

    @property
    def learned_mix(self) -> bool:
        """Whether training moved the mix: a head without training leaves γ at 1."""
        moved = any(mix["gamma"] != 1.0 for mix in self.mix.values())
        return moved and self.result["elmo"].get("layers", "all") == "all"

    @property
    def ensemble(self) -> int:
        """How many runs it combines; 0 for a run of its own."""
        return len(self.result.get("ensemble", ()))

    @property
    def encoder(self) -> str:
        encoder = self.result.get("encoder")
        return str(encoder["name"]) if encoder else "none"

    @property
    def data(self) -> str:
        data = self.result["data"]
        return str(data.get("dir") or data.get("set") or data["name"])

    @property
    def dev_scores(self) -> list[float]:
        """The metric after each epoch."""
        return [float(epoch["dev"][self.metric]) for epoch in self.result["history"]]

    @property
    def seconds(self) -> float:
        return float(sum(self.result.get("timing", {}).values()))

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @cached_property
    def choice(self) -> dict[str, Any]:
        """What decides the run's numbers, the seed aside; from config.yaml, or else the result."""
        try:
            chosen = dict(Choice.of(OmegaConf.load(self.config)).values)  # type: ignore[arg-type]
        except (OSError, OmegaConfBaseException, YAMLError, KeyError, AttributeError):
            keys = ("task", "data", "elmo", "encoder")
            chosen = {key: self.result.get(key) for key in keys}
        chosen.pop("seed", None)
        return chosen

    @cached_property
    def updates(self) -> int | None:
        """Training updates of an epoch, where the record tells."""
        train = self.result.get("counts", {}).get("train")
        batch = (self.choice.get("training") or {}).get("batch_size")
        return -(-train // batch) if train and batch else None

    @property
    def command(self) -> str:
        """What repeats this run: as an experiment asked for it, as recorded, or from its config."""
        known = self.asked or self.result.get("command")
        if known:
            return str(known)
        folder = quote(str(self.folder.resolve()))
        own = "hydra/job_logging=none hydra.output_subdir=null hydra.run.dir=."
        return f"python -m bench --config-path={folder} --config-name=config {own}"


@dataclass(frozen=True)
class Cell:
    """One run that an experiment asks for."""

    row: str
    column: str
    seed: int
    task: str
    run_id: str
    command: str
    x: float | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.run_id

    @property
    def placement(self) -> str:
        """Where ELMo is, which a run id says even before the run."""
        return self.run_id.rpartition("-")[0]


@dataclass(frozen=True)
class Experiment:
    """A paper's table or figure, as `python -m bench experiment=NAME` expanded it."""

    name: str
    title: str
    source: str
    view: str
    split: str
    baseline: str | None
    rows: list[str]
    columns: list[str]
    paper: Mapping[str, Mapping[str, float]]
    data: str
    encoder: str
    command: str
    cells: list[Cell]
    path: Path


@dataclass
class Records:
    """Everything found in a runs folder."""

    folder: Path
    runs: dict[tuple[str, str], Run] = field(default_factory=dict)  # by task and run id
    unfinished: set[tuple[str, str]] = field(default_factory=set)  # no result.json yet
    damaged: set[tuple[str, str]] = field(default_factory=set)
    experiments: list[Experiment] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def finished(self) -> list[Run]:
        return [run for run in self.runs.values() if run.finished]


def read(folder: Path) -> Records:
    """Every run and experiment below `folder`; what is damaged is named in `problems` and left out.

    Raises ReportError where there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder (give the one that paths.runs named)")
    records = Records(folder)
    for path in sorted(folder.glob(".experiments/*.json")):
        try:
            records.experiments.append(read_experiment(path))
        except ReportError as error:
            records.problems.append(str(error))
    commands = {cell.key: cell.command for each in records.experiments for cell in each.cells}
    for path in sorted(folder.glob("[!.]*/*/result.json")):
        key = (path.parts[-3], path.parts[-2])
        try:
            records.runs[key] = Run(path.parent, _result(path), commands.get(key))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            records.damaged.add(key)
            records.problems.append(
                f"{path}: damaged ({_why(error)}); remove it and repeat the run"
            )
    begun = {(path.parts[-3], path.parts[-2]) for path in folder.glob("[!.]*/*/config.yaml")}
    records.unfinished = begun - records.runs.keys() - records.damaged
    records.experiments = _without_parts(records.experiments)
    records.experiments.sort(key=lambda found: (VIEWS.index(found.view), found.name))
    if not (records.runs or records.experiments or records.problems):
        raise ReportError(f"{folder}: no runs in it (<task>/<run_id>/result.json)")
    return records


def _without_parts(experiments: list[Experiment]) -> list[Experiment]:
    """An experiment that was first done for fewer tasks or seeds, then for more, stands once."""
    runs = {id(found): {cell.key for cell in found.cells} for found in experiments}
    return [
        one
        for one in experiments
        if not any(
            one.name == other.name and runs[id(one)] < runs[id(other)] for other in experiments
        )
    ]


def read_experiment(path: Path) -> Experiment:
    """Raises ReportError, naming the file, for one that is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != EXPERIMENT_SCHEMA:
            raise ValueError(f"schema {content['schema']}, this version reads {EXPERIMENT_SCHEMA}")
        if content["view"] not in VIEWS:
            raise ValueError(f"view {content['view']!r}, expected one of {', '.join(VIEWS)}")
        keys = set(Experiment.__dataclass_fields__) - {"name", "cells", "path"}
        cells = [
            Cell(**{key: cell.get(key) for key in Cell.__dataclass_fields__})
            for cell in content["cells"]
        ]
        return Experiment(
            name=content["experiment"],
            cells=cells,
            path=path,
            **{key: content[key] for key in keys},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"{path}: damaged ({_why(error)}); repeat the experiment") from None


def _result(path: Path) -> dict[str, Any]:
    """A result.json in which what every reader relies on is there."""
    result = json.loads(path.read_text(encoding="utf-8"))
    if result["schema"] != RESULT_SCHEMA:
        raise ValueError(f"schema {result['schema']}, this version reads {RESULT_SCHEMA}")
    run = Run(path.parent, result)
    _ = run.seed, run.data, result["elmo"]["placement"]
    if run.finished:
        _ = run.encoder, [run.score(split) for split in result["metrics"]], run.dev_scores
    return dict(result)


def _why(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error)
