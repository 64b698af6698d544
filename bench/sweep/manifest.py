"""What an experiment consists of, kept beside its runs for the report.

<paths.runs>/.experiments/<name>-<hash>.json, a `bench.records.Manifest`. The hash is of its runs,
and of a baseline that was given on the command line. In the name of an experiment that lies in a
folder, FOLDER/NAME, `-` stands for `/`.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from omegaconf import DictConfig

from bench.records import CLEAN, Manifest, ManifestCell, Searched, noisy_row
from bench.sweep.apart import SEARCHPATH, as_typed, folders
from bench.sweep.grid_search import GridSearch
from bench.sweep.job import Cell, Ensemble, Job, Noisy, Places
from elmo_core.whole_files import write_text


def write(
    cfg: DictConfig,
    places: Places,
    ensembles: Sequence[Ensemble],
    noisy: Sequence[Noisy],
    searches: Sequence[GridSearch],
) -> Path | None:
    """Write the manifest of an experiment and return its file; other sweeps have none.

    `cfg` is the sweep's configuration, with Hydra's own node.
    """
    if cfg.experiment is None or not places:
        return None
    found = [search.record() for search in searches if search.settled]
    content = manifest(cfg, places, ensembles, noisy, found)
    keys = {cell.key for cell in content.cells} | {key for each in found for key in each.keys}
    runs = "\n".join(sorted("/".join(key) for key in keys))
    typed = [word.partition("=")[0] for word in as_typed(cfg.hydra.overrides.task)]
    if "experiment.baseline" in typed:
        runs += f"\nagainst {content.baseline}"  # a table beside that of the experiment's own
    if "experiment.split" in typed:
        runs += f"\non {content.split}"
    plain = content.name.replace("/", "-")
    name = f"{plain}-{hashlib.sha256(runs.encode()).hexdigest()[:10]}.json"
    path = Path(cfg.paths.runs).expanduser() / ".experiments" / name
    write_text(path, json.dumps(content.to_json(), indent=2, ensure_ascii=False) + "\n")
    return path


def manifest(
    cfg: DictConfig,
    places: Places,
    ensembles: Sequence[Ensemble],
    noisy: Sequence[Noisy],
    searches: Sequence[Searched],
) -> Manifest:
    """Return the experiment as it was expanded. An ensemble is a column, with one run a row.

    Under noise, each row and column is a row for each kind, and the columns are shares of words.
    """
    experiment, baseline = cfg.experiment, cfg.experiment.baseline
    asked = cfg.hydra.overrides
    ours = [_run(*place, cfg.hydra) for place in places]
    cells = [*ours, *map(_ensemble, ensembles)]
    if noisy:
        kinds = dict.fromkeys(each.noise.kind for each in noisy)
        cells = [*(_clean(cell, kind) for cell in ours for kind in kinds), *map(_noisy, noisy)]
        baseline = CLEAN
    rows = list(dict.fromkeys(cell.row for cell in cells))
    theirs = experiment.overrides.get("task")  # of which its numbers are, where no row names one
    strange = {cell.row for cell, _ in places if theirs and f"task={theirs}" not in cell.words}
    known = set(rows) - strange
    return Manifest(
        name=cfg.hydra.runtime.choices["experiment"],
        title=experiment.title,
        source=experiment.source,
        view=experiment.view,
        split=experiment.split.value,
        baseline=baseline,
        rows=rows,
        columns=list(dict.fromkeys(cell.column for cell in cells)),
        paper={row: dict(experiment.paper[row]) for row in experiment.paper if row in known},
        paper_encoders=list(experiment.paper_encoders),
        paper_split=experiment.paper_split and experiment.paper_split.value,
        data=_distinct(job.cfg.data.name for _, job in places),
        encoder=_distinct(job.encoder for _, job in places),
        command=command([*as_typed(asked.task), *as_typed(asked.hydra)], cfg.hydra),
        cells=cells,
        searches=list(searches),
    )


def _run(cell: Cell, job: Job, hydra: DictConfig) -> ManifestCell:
    return ManifestCell(
        row=cell.row,
        column=cell.column,
        seed=cell.seed,
        task=job.cfg.task["name"],
        run_id=job.record.folder.name,
        x=cell.x,
        command=command(cell.overrides, hydra),
    )


def _clean(cell: ManifestCell, kind: str) -> ManifestCell:
    """Return a run as the first of its row under one kind of noise."""
    return replace(cell, row=noisy_row(cell.row, cell.column, kind), column=CLEAN, x=0.0)


def _noisy(each: Noisy) -> ManifestCell:
    percent = 100 * each.noise.share
    return ManifestCell(
        row=noisy_row(each.cell.row, each.cell.column, each.noise.kind),
        column=f"{percent:g} %",
        seed=each.cell.seed,
        task=each.job.cfg.task["name"],
        run_id=each.record.folder.name,
        x=percent,
        command=each.command,
    )


def _ensemble(ensemble: Ensemble) -> ManifestCell:
    return ManifestCell(
        row=ensemble.row,
        column=ensemble.column,
        seed=ensemble.seed,
        task=ensemble.jobs[0].cfg.task["name"],
        run_id=ensemble.record.folder.name,
        command=ensemble.command,
    )


def _distinct(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def command(words: Iterable[str], hydra: DictConfig) -> str:
    """Return what does it again, for a shell.

    Args:
        words: Of the command line.
        hydra: Hydra's node of the sweep's configuration, which knows its folders.
    """
    rest = (w for w in words if w != "hydra.mode=MULTIRUN" and not w.startswith(SEARCHPATH))
    return shlex.join(["python", "-m", "bench", *folders(hydra), *rest])
