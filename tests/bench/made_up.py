"""Made-up runs and experiments, written as bench/run and bench/sweep write theirs."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from bench.experiment import View
from bench.records import (
    Elmo,
    EncoderFacts,
    Epoch,
    Failed,
    Finished,
    Manifest,
    ManifestCell,
    Mix,
    Primary,
    Result,
    Sitting,
)
from bench.run.record import Record
from tasks.smallworld import version

LABELS = ("entailment", "neutral", "contradiction")
SENTENCES = {"dev": 200, "test": 150}
DATA = {"name": "mini", "version": version("snli"), "set": None, "dir": None}
ENCODER = EncoderFacts(name="made-up", fingerprint="0" * 64, layers=3, dim=8, parameters=1_000)
SITTING = Sitting(
    date="2018-02-15T12:00:00+00:00",
    command="python -m bench task=snli",
    commit="0" * 40,
    dirty=False,
    platform="Linux",
    processor="made-up",
    threads=1,
    world_size=1,
    precision="32-true",
    torch="2.4.0",
    first_epoch=1,
)


class Maker:
    """Writes into one runs folder. What it makes depends on the arguments alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(
        self,
        task: str = "snli",
        *,
        skill: float = 0.6,
        seed: int = 1,
        placement: str = "none",
        layers: str = "all",
        l2: float = 0.001,
        train: int = 3000,
        splits: tuple[str, ...] = ("dev", "test"),
        status: str = "finished",
        shift: float = 0.0,
        cluster_size: int = 0,
    ) -> str:
        """Make a run and return its id.

        `skill` is the chance that an example is right, `shift` how far the mix is from uniform. By
        default the predictions are as older versions wrote them: they name no clusters.
        """
        elmo = _elmo(placement, layers, l2)
        mixed = (layers, 0.5, False, *([l2] if layers == "all" else []))
        varied = (task, skill, seed, placement, *(mixed if placement != "none" else ()), train)
        name = "-".join(map(str, varied))
        run_id = f"{placement}-{random.Random(name).getrandbits(40):010x}"
        record = Record(self.folder / task / run_id)
        record.write_config(self._config(task, elmo, seed, train))
        if status == "unfinished":
            return run_id
        chosen: dict[str, Any] = {"run_id": run_id, "task": task, "data": DATA, "elmo": elmo}
        chosen |= {"seed": seed, "versions": {"elmo-bench": "0.1.0"}}
        if status == "failed":
            reason = "out of memory in a batch of 32: lower training.batch_size"
            result: Result = Failed(**chosen, error=reason)
        else:
            drawn = random.Random(f"{run_id} {seed}")
            rows = [
                row for split in splits for row in _rows(task, split, skill, cluster_size, drawn)
            ]
            record.write_predictions(rows)
            result = _finished(chosen, rows, splits, train, shift, drawn)
        record.write_result(result)
        return run_id

    def _config(self, task: str, elmo: Elmo, seed: int, train: int) -> DictConfig:
        target = {"snli": "tasks.snli.SNLI", "ner": "tasks.ner.NER"}[task]
        defaults = {"layers": "all", "l2": 0.0, "dropout": 0.5, "layer_norm": False}
        return OmegaConf.create(
            {
                "task": {"name": task, "_target_": target},
                "data": {**DATA, "train_share": train / 9_000},
                "encoder": {"_target_": "elmo_core.encoders.random.random_elmo", "seed": 0},
                "elmo": {**defaults, **elmo.to_json()},
                "training": {"batch_size": 32, "max_epochs": 8, "patience": 8},
                "trainer": {"precision": "32-true", "limit_batches": None},
                "features": {"mode": "auto"},
                "logger": {},
                "word_vectors": None,
                "paths": {"runs": str(self.folder)},
                "seed": seed,
                "force": False,
                "debug": False,
            }
        )

    def experiment(self, name: str, cells: list[ManifestCell], **changes: Any) -> Path:
        """Write a manifest of these cells; what `changes` does not say is of a table on dev."""
        content: dict[str, Any] = {
            "name": name,
            "title": f"The title of {name}",
            "source": "Peters et al. 2018, Table 2",
            "view": View.table,
            "split": "dev",
            "baseline": None,
            "rows": list(dict.fromkeys(cell.row for cell in cells)),
            "columns": list(dict.fromkeys(cell.column for cell in cells)),
            "paper": {},
            "data": "mini",
            "encoder": "made-up",
            "command": f"python -m bench experiment={name}",
            "cells": cells,
        }
        path = self.folder / ".experiments" / f"{name}-0123456789.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(Manifest(**(content | changes)).to_json()))
        return path

    def two_columns(
        self,
        *,
        seeds: tuple[tuple[int, ...], tuple[int, ...]] = ((1,), (1,)),
        **changes: Any,
    ) -> Path:
        """Write an experiment on SNLI: a baseline with these seeds, and ELMo with those."""
        cells = [self.cell("snli", "baseline", seed=seed, skill=0.55) for seed in seeds[0]]
        cells += [
            self.cell("snli", "ELMo", seed=seed, skill=0.65, placement="input") for seed in seeds[1]
        ]
        return self.experiment("two", cells, **{"baseline": "baseline", **changes})

    def cell(
        self, row: str, column: str, *, x: float | None = None, seed: int = 1, **run: Any
    ) -> ManifestCell:
        """Return a cell with a run of its own; a `status` of missing makes none."""
        task = run.setdefault("task", row)
        missing = run.get("status") == "missing"
        layers = run.get("layers", "all")
        return ManifestCell(
            row=row,
            column=column,
            seed=seed,
            task=task,
            run_id="none-0000000000" if missing else self.run(seed=seed, **run),
            x=x,
            command=f"python -m bench task={task} elmo.layers={layers} seed={seed}",
        )


def _elmo(placement: str, layers: str, l2: float) -> Elmo:
    """Return a configuration's choice: no mix without ELMo, no λ without weights to learn."""
    if placement == "none":
        return Elmo(placement=placement)
    strength = l2 if layers == "all" else None
    return Elmo(placement=placement, layers=layers, l2=strength, dropout=0.5, layer_norm=False)


def _finished(
    chosen: dict[str, Any],
    rows: list[dict[str, Any]],
    splits: tuple[str, ...],
    train: int,
    shift: float,
    drawn: random.Random,
) -> Finished:
    """Return what these predictions make, after eight epochs of which the last is the best."""
    task, elmo = chosen["task"], chosen["elmo"]
    metric = "accuracy" if task == "snli" else "f1"
    scores = {split: _score(task, [r for r in rows if r["split"] == split]) for split in splits}
    active = [] if elmo.placement == "none" else elmo.placement.split("+")
    best, head_start = scores["dev"], bool(active)
    rise = [best * (1 - 0.5 ** (epoch + 1 + head_start)) for epoch in range(7)]
    return Finished(
        **chosen,
        encoder=ENCODER if active else None,
        metrics={split: {metric: value} for split, value in scores.items()},
        primary=Primary(name=metric, split=splits[-1], value=scores[splits[-1]]),
        yardsticks={split: {"majority class": 33.4} for split in splits},
        mix={place: _mix(elmo.layers, shift, drawn) for place in active},
        epochs=8,
        steps=8 * -(-train // 32),
        best_epoch=8,
        history=[
            Epoch(
                epoch=i + 1,
                steps=(i + 1) * -(-train // 32),
                train_loss=1.2 * 0.7**i,
                lr=0.001,
                dev={metric: value},
                seconds=2.5,
            )
            for i, value in enumerate([*rise, best])
        ],
        provenance=[SITTING],
        timing={"fit_s": 20.0 + drawn.random(), "dev_s": 1.0},
        counts={
            "train": train,
            **{split: SENTENCES[split] for split in splits},
            "trainable_parameters": 1_234_567,
        },
    )


def _rows(
    task: str, split: str, skill: float, cluster_size: int, drawn: random.Random
) -> list[dict[str, Any]]:
    """Return the split's lines of predictions.jsonl, without clusters for a size of 0."""
    rows = []
    for i in range(SENTENCES[split]):
        rows.append({"id": f"{split}{i}", "split": split})
        rows[-1] |= _prediction(task, split, i, skill, drawn)
        rows[-1] |= {"cluster": f"text {i // cluster_size}"} if cluster_size else {}
    return rows


def _prediction(
    task: str, split: str, i: int, skill: float, drawn: random.Random
) -> dict[str, Any]:
    hard = random.Random(f"{task} {split} {i}")  # the same example is hard for every system
    right = (hard.random() + drawn.random()) / 2 < skill
    if task == "snli":
        gold = hard.choice(LABELS)
        wrong = LABELS[(LABELS.index(gold) + 1) % 3]
        return {"gold": gold, "prediction": gold if right else wrong}
    tags = ["O", "B-PER", "I-PER", "O", f"B-{hard.choice(('LOC', 'ORG'))}"]
    found = tags if right else [*tags[:2], "O", "B-ORG", tags[4]]
    return {"gold": tags, "prediction": found}


def _score(task: str, rows: list[dict[str, Any]]) -> float:
    """Score these two kinds of predictions by hand."""
    if task == "snli":
        return 100 * sum(row["gold"] == row["prediction"] for row in rows) / len(rows)
    right = sum(2 if row["gold"] == row["prediction"] else 1 for row in rows)
    found = sum(2 if row["gold"] == row["prediction"] else 3 for row in rows)
    return 200 * right / (found + 2 * len(rows))


def _mix(layers: str, shift: float, drawn: random.Random) -> Mix:
    """Return a mix with layer 1 above the others by `shift`."""
    shares = [1.0, 1.0 + 3 * shift, 1.0 + shift * drawn.random()]
    shares = [0.0, 0.0, 1.0] if layers == "top" else [s / sum(shares) for s in shares]
    return Mix(weights=shares, gamma=1.1)


def changed(make: Maker, task: str, run_id: str, **content: Any) -> None:
    """Change what a run's result says."""
    path = make.folder / task / run_id / "result.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **content}))


def given(folder: Path, config: Mapping[str, Any]) -> None:
    """Say in a run's configuration that it was given these keys."""
    cfg = OmegaConf.load(folder / "config.yaml")
    for key, value in config.items():
        OmegaConf.update(cfg, key, value, merge=False)
    OmegaConf.save(cfg, folder / "config.yaml")


def another(made: Path, run: Path, **changes: Any) -> None:
    """Put a run of other predictions in the place of `run`, under its id and with its seed."""
    make, seed = (
        Maker(made.parent / "others"),
        json.loads((run / "result.json").read_text())["seed"],
    )
    new = make.folder / "snli" / make.run(**changes, seed=seed)
    result = json.loads((new / "result.json").read_text())
    (new / "result.json").write_text(json.dumps(result | {"run_id": run.name}))
    for name in ("result.json", "predictions.jsonl"):
        shutil.copyfile(new / name, run / name)
