"""What result.json says of a run, of an ensemble of runs, or of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from bench.config import FOLDER
from bench.records.damaged import reading
from bench.records.old import converted
from bench.records.sections import (
    CodedLabels,
    Elmo,
    EncoderFacts,
    Epoch,
    Evaluation,
    MemberScore,
    Mix,
    OnlineCode,
    Primary,
    Sitting,
)
from bench.records.typed_json import arguments, written

SCHEMA = 2


@dataclass(frozen=True, kw_only=True)
class Result:
    """What every result.json says: the choice that was made, and the versions that ran it."""

    status: ClassVar[str]

    run_id: str
    task: str
    data: Mapping[str, Any]
    """As configured (name, dir, set, version, train_share), and what it was: `fingerprint`, a hash
    of the examples by split, and `content`, one of the files in dir. Records whose id names the
    path have instead a `stamp`, a hash of the names, sizes and times of these files."""
    elmo: Elmo
    seed: int
    versions: Mapping[str, str] = field(default_factory=dict)
    written_as: int = SCHEMA  # the schema of the file that it was read from

    @property
    def data_name(self) -> str:
        """The folder, the published set, or else the group that was read."""
        return data_name(self.data)

    def to_json(self) -> dict[str, Any]:
        """Return the content of result.json: first the choice, then what came of it."""
        content = written(self)
        versions, _ = content.pop("versions"), content.pop("written_as")
        head = {"schema": SCHEMA, "run_id": content.pop("run_id"), "status": self.status}
        return {**head, **content, "versions": versions}


@dataclass(frozen=True, kw_only=True)
class Failed(Result):
    """A run that came to no end, and the reason in one line."""

    status = "failed"

    error: str = "no reason recorded"


@dataclass(frozen=True, kw_only=True)
class Finished(Result):
    """A run that came to its end, or an ensemble of such runs, whose members are then named, or the
    evaluation of such a run on other examples."""

    status = "finished"

    ensemble: Sequence[MemberScore] = ()
    evaluation: Evaluation | None = None
    encoder: EncoderFacts | None = None
    metrics: Mapping[str, Mapping[str, float]]  # by split and metric
    primary: Primary
    yardsticks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # as the metrics
    mix: Mapping[str, Mix] = field(default_factory=dict)  # by place
    epochs: int
    steps: int | None = None  # of the optimizer, in all epochs together
    best_epoch: int  # counted from 1; 0 where nothing was trained
    history: Sequence[Epoch]
    online_code: OnlineCode | None = None  # where training.online_code asked for it
    timing: Mapping[str, float] = field(default_factory=dict)  # seconds by step: fit_s, dev_s, …
    counts: Mapping[str, int] = field(default_factory=dict)  # examples by split; parameters
    command: str | None = None  # that repeats an ensemble or an evaluation
    provenance: Sequence[Sitting] = ()  # one for each process that worked on the run
    files: Mapping[str, str] = field(default_factory=dict)  # SHA-256 of the others, by name

    @property
    def metric(self) -> str:
        """The name of the task's primary metric."""
        return self.primary.name

    def score(self, split: str, metric: str | None = None) -> float | None:
        """Return the primary metric on `split`, or another; None where it has none."""
        metrics = self.metrics.get(split)
        if metrics is None or (metric and metric not in metrics):
            return None
        return float(metrics[metric or self.metric])

    @property
    def trained_on(self) -> Mapping[str, Any]:
        """The `data` that it was trained on; for all but evaluations the two are the same."""
        return self.evaluation.trained_on if self.evaluation else self.data

    @property
    def made_of(self) -> Mapping[str, str]:
        """The SHA-256 of the head of each run that it was made of, by run id, where it is known."""
        if self.evaluation:
            return {self.evaluation.run_id: self.evaluation.head}
        return {each.run_id: each.head for each in self.ensemble if each.head is not None}

    @property
    def dev_score(self) -> float:
        """The primary metric on dev, which every run has."""
        return self.metrics["dev"][self.metric]

    @property
    def dev_scores(self) -> list[float]:
        """The primary metric on dev after each epoch."""
        return [float(epoch.dev[self.metric]) for epoch in self.history]

    @property
    def rising(self) -> bool:
        """Whether the last of several epochs was the best on dev: more may do better."""
        trained = not self.ensemble and self.evaluation is None
        return trained and 1 < self.epochs == self.best_epoch

    @property
    def encoder_name(self) -> str:
        """The encoder's name; `none` without one."""
        return self.encoder.name if self.encoder else "none"

    @property
    def seconds(self) -> float:
        """The time of all steps together."""
        return float(sum(self.timing.values()))

    def to_json(self) -> dict[str, Any]:
        """Return the content of result.json, without what only some kinds of records have."""
        content = super().to_json()
        optional = (
            "ensemble",
            "evaluation",
            "command",
            "steps",
            "online_code",
            "provenance",
            "files",
        )
        return {k: v for k, v in content.items() if v not in (None, [], {}) or k not in optional}


def read_result(path: Path) -> Result:
    """Return the run's outcome, `Finished` or `Failed`.

    Raises DamagedRecord where what every reader relies on is not there.
    """
    with reading(path, SCHEMA, "remove it and repeat the run") as content:
        return parsed(content)


def parsed(content: Mapping[str, Any]) -> Result:
    """Make a result of what result.json holds. Raises ValueError, KeyError or TypeError."""
    chosen = {"elmo": Elmo.from_json(content["elmo"]), "seed": int(content["seed"])}
    chosen["written_as"] = content["schema"]
    if content["schema"] < SCHEMA:
        content = converted(content)
    if content["status"] == Failed.status:
        result: Result = Failed(**arguments(Failed, content, **chosen))
    elif content["status"] == Finished.status:
        result = _finished(content, chosen)
    else:
        raise ValueError(f"status {content['status']!r}")
    for name in (result.task, result.run_id):
        if not FOLDER.fullmatch(name):
            raise ValueError(f"{name[:40]!r} is no name of a folder")
    _check_data(result.data)
    return result


def _check_data(data: Mapping[str, Any]) -> None:
    _ = data_name(data)
    if not all(isinstance(found, str) for found in data.get("fingerprint", {}).values()):
        raise TypeError("data.fingerprint: expected a hash of each split")


def data_name(data: Mapping[str, Any]) -> str:
    """Return the folder, the published set, or else the group that was read."""
    return str(data.get("dir") or data.get("set") or data["name"])


def _finished(content: Mapping[str, Any], chosen: Mapping[str, Any]) -> Finished:
    encoder, mixes = content.get("encoder"), content.get("mix") or {}
    evaluation = content.get("evaluation")
    code = content.get("online_code")
    result = Finished(
        **arguments(
            Finished,
            content,
            **chosen,
            ensemble=[MemberScore.from_json(each) for each in content.get("ensemble", ())],
            evaluation=_evaluation(evaluation) if evaluation else None,
            encoder=EncoderFacts.from_json(encoder) if encoder else None,
            primary=Primary.from_json(content["primary"]),
            mix={place: Mix.from_json(mix) for place, mix in mixes.items()},
            online_code=_online_code(code) if code else None,
            history=[Epoch.from_json(epoch) for epoch in content["history"]],
            provenance=[Sitting.from_json(each) for each in content.get("provenance", ())],
        )
    )
    _ = [result.score(split) for split in result.metrics], result.dev_scores
    layers = result.encoder.layers if result.encoder and result.elmo.layers == "all" else None
    if layers and any(len(mix.weights) != layers for mix in result.mix.values()):
        raise ValueError(f"mix weights of other than {layers} layers")
    return result


def _evaluation(content: Mapping[str, Any]) -> Evaluation:
    found = Evaluation.from_json(content)
    _check_data(found.trained_on)
    if noise := found.noise:
        _ = noise["kind"], noise["seed"]
        if not all(isinstance(noise[key], int | float) for key in ("share", "changed")):
            raise TypeError("evaluation.noise: expected shares of words")
    return found


def _online_code(content: Mapping[str, Any]) -> OnlineCode:
    blocks = [CodedLabels.from_json(block) for block in content["blocks"]]
    code = OnlineCode(**arguments(OnlineCode, content, blocks=blocks))
    if not (code.choices > 0 and code.bits > 0):
        raise ValueError("online_code: no labels, or no bits")
    return code
