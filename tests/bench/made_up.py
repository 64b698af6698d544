"""Made-up runs and experiments, as bench/run/record.py and bench/sweep/manifest.py leave them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

LABELS = ("entailment", "neutral", "contradiction")
SENTENCES = {"dev": 200, "test": 150}


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
    ) -> str:
        """`skill`: the chance that an example is right. `shift`: of the mix from uniform."""
        elmo: dict[str, Any] = {"placement": placement}
        if placement != "none":
            elmo |= {"layers": layers, "dropout": 0.5, "layer_norm": False}
            elmo |= {"l2": l2} if layers == "all" else {}
        name = "-".join(map(str, (task, skill, seed, *elmo.values(), train)))
        run_id = f"{placement}-{random.Random(name).getrandbits(40):010x}"
        folder = self.folder / task / run_id
        folder.mkdir(parents=True)
        self._config(folder, task, elmo, seed, train)
        if status == "unfinished":
            return run_id
        result = {
            "schema": 1,
            "run_id": run_id,
            "status": status,
            "task": task,
            "data": {"name": "mini", "version": 5, "dir": None},
            "elmo": elmo,
            "seed": seed,
        }
        if status == "failed":
            result["error"] = "out of memory in a batch of 32: lower training.batch_size"
        else:
            result |= self._outcome(folder, task, skill, seed, elmo, train, splits, shift)
        (folder / "result.json").write_text(json.dumps(result))
        return run_id

    def _config(self, folder: Path, task: str, elmo: dict[str, Any], seed: int, train: int) -> None:
        target = {"snli": "tasks.snli.SNLI", "ner": "tasks.ner.NER"}[task]
        config = {
            "task": {"name": task, "_target_": target},
            "data": {"name": "mini", "version": 5, "set": None, "dir": None},
            "encoder": {"_target_": "elmo_core.encoders.random.random_elmo", "seed": 0},
            "elmo": {"layers": "all", "l2": 0.0, "dropout": 0.5, "layer_norm": False, **elmo},
            "training": {"batch_size": 32, "max_epochs": 8, "train": train},
            "trainer": {"precision": "32-true", "limit_batches": None},
            "logger": {},
            "word_vectors": None,
            "paths": {"runs": str(self.folder)},
            "seed": seed,
            "force": False,
            "debug": False,
        }
        OmegaConf.save(OmegaConf.create(config), folder / "config.yaml")

    def _outcome(
        self,
        folder: Path,
        task: str,
        skill: float,
        seed: int,
        elmo: dict[str, Any],
        train: int,
        splits: tuple[str, ...],
        shift: float,
    ) -> dict[str, Any]:
        drawn = random.Random(f"{folder.name} {seed}")
        rows = [
            {"split": split, **self._prediction(task, split, i, skill, drawn)}
            for split in splits
            for i in range(SENTENCES[split])
        ]
        (folder / "predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        metric = "accuracy" if task == "snli" else "f1"
        scores = {split: _score(task, [r for r in rows if r["split"] == split]) for split in splits}
        primary = splits[-1]
        active = [] if elmo["placement"] == "none" else elmo["placement"].split("+")
        best, head_start = scores["dev"], bool(active)
        rise = [best * (1 - 0.5 ** (epoch + 1 + head_start)) for epoch in range(7)]
        history = [
            {
                "epoch": epoch,
                "train_loss": 1.2 * 0.7**epoch,
                "dev": {metric: value},
                "lr": 0.001,
                "seconds": 2.5,
            }
            for epoch, value in enumerate([*rise, best])
        ]
        encoder = {"name": "made-up", "fingerprint": "0" * 64, "layers": 3, "dim": 8}
        return {
            "encoder": encoder if active else None,
            "metrics": {split: {metric: value} for split, value in scores.items()},
            "primary": {"name": metric, "split": primary, "value": scores[primary]},
            "yardsticks": {split: {"majority class": 33.4} for split in splits},
            "mix": {place: _mix(elmo["layers"], shift, drawn) for place in active},
            "epochs": 8,
            "best_epoch": 7,
            "history": history,
            "timing": {"fit_s": 20.0 + drawn.random(), "dev_s": 1.0},
            "counts": {"train": train, "trainable_parameters": 1_234_567},
            "versions": {"elmo-bench": "0.1.0"},
        }

    @staticmethod
    def _prediction(
        task: str, split: str, i: int, skill: float, drawn: random.Random
    ) -> dict[str, Any]:
        hard = random.Random(f"{task} {split} {i}")  # the same example is hard for every system
        right = (hard.random() + drawn.random()) / 2 < skill
        if task == "snli":
            gold = hard.choice(LABELS)
            wrong = LABELS[(LABELS.index(gold) + 1) % 3]
            return {"id": f"{split}{i}", "gold": gold, "prediction": gold if right else wrong}
        tags = ["O", "B-PER", "I-PER", "O", f"B-{hard.choice(('LOC', 'ORG'))}"]
        found = tags if right else [*tags[:2], "O", "B-ORG", tags[4]]
        return {"id": f"{split}{i}", "gold": tags, "prediction": found}

    def experiment(self, name: str, cells: list[dict[str, Any]], **changes: Any) -> Path:
        """A manifest of these cells; what `changes` does not say is of a table on dev."""
        content = {
            "schema": 1,
            "experiment": name,
            "title": f"The title of {name}",
            "source": "Peters et al. 2018, Table 2",
            "view": "table",
            "split": "dev",
            "baseline": None,
            "rows": list(dict.fromkeys(cell["row"] for cell in cells)),
            "columns": list(dict.fromkeys(cell["column"] for cell in cells)),
            "paper": {},
            "data": "mini",
            "encoder": "made-up",
            "command": f"python -m bench experiment={name}",
            "cells": cells,
            **changes,
        }
        path = self.folder / ".experiments" / f"{name}-0123456789.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
        return path

    def cell(
        self, row: str, column: str, *, x: float | None = None, seed: int = 1, **run: Any
    ) -> dict[str, Any]:
        """A cell with a run of its own; a `status` of missing makes none."""
        task = run.setdefault("task", row)
        missing = run.get("status") == "missing"
        run_id = "none-0000000000" if missing else self.run(seed=seed, **run)
        return {
            "row": row,
            "column": column,
            "seed": seed,
            "task": task,
            "run_id": run_id,
            "x": x,
            "command": f"python -m bench task={task} elmo.layers={run.get('layers', 'all')} "
            f"seed={seed}",
        }


def _score(task: str, rows: list[dict[str, Any]]) -> float:
    """By hand, for these two kinds of predictions."""
    if task == "snli":
        return 100 * sum(row["gold"] == row["prediction"] for row in rows) / len(rows)
    right = sum(2 if row["gold"] == row["prediction"] else 1 for row in rows)
    found = sum(2 if row["gold"] == row["prediction"] else 3 for row in rows)
    return 200 * right / (found + 2 * len(rows))


def _mix(layers: str, shift: float, drawn: random.Random) -> dict[str, Any]:
    """Layer 1 above the others by `shift`."""
    shares = [1.0, 1.0 + 3 * shift, 1.0 + shift * drawn.random()]
    shares = [0.0, 0.0, 1.0] if layers == "top" else [s / sum(shares) for s in shares]
    return {"weights": shares, "gamma": 1.1}


def everything(folder: Path, seeds: tuple[int, ...] = (1, 2, 3)) -> Maker:
    """One experiment of each view, gaps of each kind, and runs that no experiment asked for."""
    make = Maker(folder)
    systems: dict[str, dict[str, Any]] = {
        "baseline": {"skill": 0.55, "placement": "none"},
        "last only": {"skill": 0.6, "placement": "input", "layers": "top"},
        "all, λ=1": {"skill": 0.62, "placement": "input", "l2": 1.0},
        "all, λ=0.001": {"skill": 0.64, "placement": "input", "shift": 1.0},
    }
    cells = [
        make.cell(row, column, seed=seed, **system)
        for row in ("snli", "ner")
        for column, system in systems.items()
        for seed in seeds
        if (row, column) != ("ner", "all, λ=1")
    ]
    for seed, status in zip(seeds, ("failed", "missing", "unfinished"), strict=False):
        cells.append(
            make.cell("ner", "all, λ=1", seed=seed, status=status, placement="input", l2=1.0)
        )
    make.experiment(
        "table2",
        cells,
        columns=list(systems),
        baseline="baseline",
        paper={"snli": {"baseline": 88.1, "last only": 89.1, "all, λ=1": 89.3}},
    )
    _others(make, seeds)
    return make


def _others(make: Maker, seeds: tuple[int, ...]) -> None:
    strengths = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)
    curve = [
        make.cell("snli", f"λ={x:g}", x=x, seed=seed, skill=0.61 - abs(x - 0.01) / 100,
                  placement="input+output", l2=x, shift=0.5 / (1 + 5 * x))
        for x in strengths
        for seed in seeds
    ]  # fmt: skip
    make.experiment("lambda", curve, view="curve", title="Score and weights against λ")
    efficiency = [
        make.cell(
            "snli", f"{name}, {x:g} %", x=x, skill=0.3 + 0.06 * i + gain, train=int(90 * x),
            placement=place,
        )
        for name, place, gain in (("baseline", "none", 0), ("ELMo", "input", 0.08))
        for i, x in enumerate((0.1, 1, 10, 100))
    ]  # fmt: skip
    make.experiment("figure1", efficiency, view="efficiency", title="Sample efficiency")
    weights = [
        make.cell(task, place, task=task, skill=0.66, placement=place, shift=2.0, l2=0.0)
        for task in ("snli", "ner")
        for place in ("input", "input+output")
    ]
    make.experiment("figure2", weights, view="weights", title="Which layers each task uses")
    make.run("snli", skill=0.5, layers="mean", placement="output")
    make.run("ner", skill=0.7, status="failed", placement="output")
