"""Made-up runs with evaluations on other data, and the table that a report makes of them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.records import Evaluation, Finished, read_result
from bench.report.grid import Grid
from bench.report.report import Report, collect
from bench.run.record import Record
from tests.bench.made_up import Maker, given

HOME = {"train": "a" * 32, "dev": "b" * 32, "test": "c" * 32}
AWAY = {"dev": "d" * 32, "test": "e" * 32}


def evaluation(
    make: Maker,
    *,
    skill: float,
    prints: Mapping[str, str] = AWAY,
    names: Mapping[str, str] | None = None,
    head: str = "0" * 64,
    splits: tuple[str, ...] = ("dev", "test"),
    noise: float | None = None,
    config: Mapping[str, Any] | None = None,
    **run: Any,
) -> str:
    """Make a run and one evaluation of it on a folder `away`; returns the run's id.

    `skill` is the evaluation's. Its predictions are those of another made-up run. With a share of
    `noise` it is on the run's own data instead. `config` are keys that the run was given besides.
    """
    home_made = Maker(make.folder.parent / "at home")
    source = home_made.folder / "snli" / home_made.run(skill=0.9, **run)
    run_id = "-".join([source.name, *(config or {})])
    folder = shutil.copytree(source, make.folder / "snli" / run_id, dirs_exist_ok=True)
    given(folder, config or {})
    home = finished(folder)
    home = replace(home, run_id=run_id, data={**home.data, "fingerprint": HOME}, files={})
    home = replace(home, files={"head.safetensors": "0" * 64})
    Record(folder).write_result(home)
    (elsewhere := Maker(make.folder.parent / "elsewhere")).run(
        skill=skill, splits=splits, cluster_size=2, **run
    )
    (source,) = (elsewhere.folder / "snli").glob(f"{run_id.split('-')[0]}-*")
    other = finished(source)
    name = f"{run_id}-on-{abs(hash((*prints.values(), *(names or {}), splits, noise))):010x}"[:60]
    target = make.folder / "snli" / name
    source.rename(target)
    given(target, config or {})
    here = {split: (HOME if noise else prints)[split] for split in splits}
    data = {"name": "open", "dir": "/somewhere/away", "fingerprint": here}
    data = {**home.data, "fingerprint": here} if noise else data
    found = Evaluation(
        run_id=run_id,
        head=head,
        trained_on=home.data,
        names=names or {},
        noise={"kind": "typos", "share": noise, "seed": 1, "changed": 0.1} if noise else None,
    )
    Record(target).write_result(
        replace(other, run_id=name, data=data, evaluation=found, command="python -m bench.evaluate")
    )
    return run_id


def finished(folder: Path) -> Finished:
    found = read_result(folder / "result.json")
    assert isinstance(found, Finished)
    return found


def table(folder: Path) -> tuple[Report, Grid]:
    report = collect([folder])
    (grid,) = report.grids
    return report, grid
