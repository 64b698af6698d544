"""index.html: one page with everything inside (page.html, page.css)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from bench.report import frames, wording
from bench.report.figures.style import Picture
from bench.report.grid import Entry, Gap, Grid
from bench.report.groups import Group
from bench.report.mixes import EXPLAINED, mixes
from bench.report.records import Run
from bench.report.report import Report

OPEN = {"table": (), "curve": ("learned",), "efficiency": ("updates",), "weights": ("learned",)}
"""Which tables are unfolded beside the figure of a view."""
METHOD = (
    "An example with all its seeds is the unit that is resampled, and scores of resamples are the "
    "official metric: an interval or a p-value speaks of other examples for these trained models; "
    "the standard deviation over seeds, of another training. All scores are percentages."
)


def text(report: Report, pictures: Sequence[Picture], folder: Path) -> str:
    """The page as it will lie in `folder`, to which its links are relative."""
    environment = Environment(
        loader=PackageLoader("bench.report.formats", "."),
        autoescape=True,
        undefined=StrictUndefined,
    )
    css, _, _ = environment.loader.get_source(environment, "page.css")  # type: ignore[union-attr]
    page = _Page(folder)
    return environment.get_template("page.html").render(
        css=css,
        folder=str(report.records.folder),
        made=f"{datetime.now():%d %B %Y, %H:%M} · elmo-bench {version('elmo-bench')}",
        facts=_facts(report),
        sections=[page.section(grid, pictures) for grid in report.grids],
        blocks=[page.block(i, block) for i, block in enumerate(frames.runs(report.groups))],
        pictures=[p for p in pictures if p.section == "runs"],
        learned=frames.learned(report.groups),
        explained=EXPLAINED,
        left_out=frames.left_out(report),
        method=METHOD,
    )


def _facts(report: Report) -> dict[str, str]:
    records = report.records
    failed = len(records.runs) - len(records.finished)
    missing = sum(gap.status == "missing" for grid in report.grids for gap in grid.gaps)
    counted = {"finished runs": len(records.finished), "failed": failed}
    counted |= {"unfinished": len(records.unfinished), "missing": missing}
    facts = {name: str(n) for name, n in counted.items() if n or name == "finished runs"}
    seconds = sum(run.seconds for run in records.finished)
    return {**facts, "computing time": wording.duration(seconds)}


class _Page:
    """What the template shows, as plain values."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def section(self, grid: Grid, pictures: Sequence[Picture]) -> dict[str, Any]:
        experiment = grid.experiment
        names = {(r, c): f"{experiment.path.stem}-{i}" for i, (r, c) in enumerate(grid.entries)}
        return {
            "id": experiment.path.stem,
            "name": experiment.name,
            "title": experiment.title,
            "about": wording.about(experiment),
            "command": experiment.command,
            "columns": experiment.columns,
            "yardsticks": any(grid.yardsticks(row) for row in experiment.rows),
            "rows": [self._row(grid, row, names) for row in experiment.rows],
            "notes": wording.notes(grid),
            "pictures": [p for p in pictures if p.section == experiment.path.stem],
            "gaps": grid.gaps,
            "beside": (beside := frames.beside(grid)),
            "open": [name for name in beside if name.split()[0] in OPEN[experiment.view]],
            "cards": [self._card(grid, key, name) for key, name in names.items()],
        }

    def _row(self, grid: Grid, row: str, names: Mapping[tuple[str, str], str]) -> dict[str, Any]:
        means = [entry.scores.mean for entry in grid.row(row) if entry and entry.scores]
        best = max(means) if len(means) > 1 else None
        return {
            "name": row,
            "about": f"{grid.split(row)} {grid.metric(row)}",
            "yardsticks": wording.yardsticks(grid.yardsticks(row)),
            "cells": [
                _cell(grid, row, column, best) | {"id": names.get((row, column))}
                for column in grid.experiment.columns
            ],
        }

    def _card(self, grid: Grid, key: tuple[str, str], name: str) -> dict[str, Any]:
        entry = grid.entries[key]
        found: list[Run | Gap] = [*entry.runs, *entry.gaps]
        commands = {cell.key: cell.command for cell in entry.cells}
        return {
            "id": name,
            "title": ", ".join(key),
            "lines": [*_statistics(grid, entry), *_mixes(entry.runs)],
            "runs": [
                self._run(item, entry.split, commands[item.task, item.id])
                if isinstance(item, Run)
                else _gap(item)
                for item in found
            ],
        }

    def block(self, number: int, block: frames.Block) -> dict[str, Any]:
        cards = [self._group(f"run-{number}-{i}", g) for i, g in enumerate(block.groups)]
        return {"title": block.title, "note": block.note, "frame": block.frame, "cards": cards}

    def _group(self, name: str, group: Group) -> dict[str, Any]:
        return {
            "id": name,
            "title": f"{group.first.task}: {group.label}",
            "lines": _mixes(group.runs),
            "runs": [self._run(run, "dev", run.command) for run in group.runs],
        }

    def _run(self, run: Run, split: str, command: str) -> dict[str, Any]:
        score = run.score(split)
        best, epochs = run.result["best_epoch"] + 1, run.result["epochs"]
        what = f"{run.ensemble} runs together" if run.ensemble else f"epoch {best} of {epochs}"
        return {
            "seed": run.seed,
            "score": "" if score is None else f"{split} {wording.number(score, 2)}",
            "about": f"{what}, {wording.duration(run.seconds)}",
            "links": {name: self._link(run.folder / name) for name in ("config.yaml", "run.log")},
            "command": command,
        }

    def _link(self, path: Path) -> str:
        return quote(Path(os.path.relpath(path.resolve(), self.folder.resolve())).as_posix())


def _cell(grid: Grid, row: str, column: str, best: float | None) -> dict[str, Any]:
    entry = grid.entries.get((row, column))
    cell: dict[str, Any] = dict.fromkeys(("score", "sd", "n", "against", "direction", "paper"))
    cell |= {"column": column, "gap": "", "best": False}
    cell["baseline"] = column == grid.experiment.baseline
    if entry is None:
        return cell
    cell["gap"] = wording.gaps(entry)
    if entry.paper is not None:
        cell["paper"] = wording.paper(entry.paper, grid.paper_difference(row, column))
    if entry.scores:
        cell["score"] = wording.number(entry.scores.mean)
        cell["best"] = entry.scores.mean == best
        if entry.scores.sd is not None:
            cell |= {"sd": wording.number(entry.scores.sd), "n": len(entry.scores.values)}
    if entry.against:
        cell["against"] = wording.difference(entry)
        better = "up" if entry.against.difference > 0 else "down"
        cell["direction"] = better if entry.mark else "none"
    return cell


def _statistics(grid: Grid, entry: Entry) -> Iterable[str]:
    found = entry.against
    if entry.not_compared:
        yield f"Not compared: {entry.not_compared}."
    if found is None or entry.p is None:
        return
    low, high = wording.signed(found.low, 2), wording.signed(found.high, 2)
    yield (
        f"{wording.signed(found.difference, 2)} against {grid.baseline}, {wording.CONFIDENCE} "
        f"interval {low} to {high}; {wording.p_equals(found.p)}, after Holm's correction "
        f"{wording.p_equals(entry.p)}; {found.examples:,} examples, paired by seed ({found.seeds})."
    )
    if found.seed_sd is not None:
        spread = wording.number(found.seed_sd, 2)
        yield f"Standard deviation of the difference over seeds: {spread}."


def _mixes(runs: Sequence[Run]) -> list[str]:
    return [
        f"{mix.place}: s = {'  '.join(f'{share:.3f}' for share in mix.weights)}, "
        f"γ = {mix.gamma:.3f}, {100 * mix.from_uniform:.1f} % from uniform"
        for mix in mixes(runs)
    ]


def _gap(gap: Gap) -> dict[str, Any]:
    about = {"seed": gap.cell.seed, "status": gap.status, "reason": gap.reason}
    return {**about, "score": "", "links": None, "command": gap.cell.command}
