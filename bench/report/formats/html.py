"""index.html: one page with everything inside (page.html, page.css, page.js, sort.js)."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from bench.console import counted
from bench.experiment import View
from bench.report import frames, wording
from bench.report.examples import changes, share
from bench.report.figures.style import Picture
from bench.report.grid import Entry, Gap, Grid
from bench.report.groups import Group
from bench.report.mixes import EXPLAINED, mixes
from bench.report.notes import REPRODUCED, REPRODUCTION, notes
from bench.report.read import Run
from bench.report.report import Report
from bench.report.score_table import scores

OPEN: dict[View, tuple[str, ...]] = {
    View.table: ("over", "probes"),
    View.curve: ("learned",),
    View.efficiency: ("updates",),
    View.weights: ("learned",),
    View.noise: ("differences",),
}
"""Which tables are unfolded beside the figure of a view."""
METHOD = (
    "Differences are paired by seed and by example. Their interval says where the difference would "
    "lie over other seeds and other examples, where the examples of one text (an article's "
    "questions, a document's sentences) count as one cluster; with one seed, over other examples "
    "for this trained model only, and stars are hollow. p < 0.05 and an interval without 0 are the "
    "same thing but for Holm's correction over a table and for one seed, whose p-value is that of "
    "approximate randomisation. Formulas, sources and what was checked: docs/statistics.md. All "
    "scores are percentages."
)


def text(report: Report, pictures: Sequence[Picture], folder: Path) -> str:
    """Return the page as it will lie in `folder`, to which its links are relative."""
    loader = PackageLoader("bench.report.formats", ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    inside = ("page.css", "page.js", "sort.js")
    css, *scripts = (loader.get_source(environment, name)[0] for name in inside)
    js = "".join(scripts)
    page = _Page(folder, share(report.grids))
    return environment.get_template("page.html").render(
        css=css,
        js=js,
        js_hash=base64.b64encode(hashlib.sha256(js.encode()).digest()).decode("ascii"),
        number=wording.number,
        folder=str(report.records.folder),
        made=f"{datetime.now():%d %B %Y, %H:%M} · elmo-bench {version('elmo-bench')}",
        facts=_facts(report),
        sections=[page.section(grid, pictures) for grid in report.grids],
        blocks=[
            page.block(i, block) for i, block in enumerate(frames.runs(report.groups, ids=False))
        ],
        pictures=[p for p in pictures if p.section == "runs"],
        learned=frames.learned(report.groups),
        explained=EXPLAINED,
        left_out=report.left_out,
        reproduced=frames.reproduced(report.reproductions),
        reproduction=(REPRODUCTION, REPRODUCED),
        method=METHOD,
    )


def _facts(report: Report) -> dict[str, str]:
    records = report.records
    missing = sum(gap.status == "missing" for grid in report.grids for gap in grid.gaps)
    numbers = {
        "finished": len(records.listed),
        "trials": len(records.finished) - len(records.listed),
        "evaluations": len(records.evaluations),
        "failed": len(records.failed),
        "unfinished": len(records.unfinished),
        "missing": missing,
    }
    facts = {name: str(n) for name, n in numbers.items() if n or name == "finished"}
    seconds = sum(run.result.seconds for run in records.runs.values())
    return {**facts, "computing time": wording.duration(seconds)}


class _Page:
    """Makes the plain values that the template shows."""

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most

    def section(self, grid: Grid, pictures: Sequence[Picture]) -> dict[str, Any]:
        experiment = grid.experiment
        names = {(r, c): f"{experiment.id}-{i}" for i, (r, c) in enumerate(grid.entries)}
        return {
            "id": experiment.id,
            "name": experiment.name,
            "title": experiment.title,
            "about": wording.about(grid),
            "command": experiment.command,
            "scores": scores(grid),
            "ids": names,
            "baseline": experiment.baseline,
            "notes": notes(grid),
            "pictures": [p for p in pictures if p.section == experiment.id],
            "gaps": grid.gaps,
            "beside": (beside := frames.beside(grid)),
            "open": [name for name in beside if name.split()[0] in OPEN[experiment.view]],
            "changes": changes(grid, self.most),
            "cards": [self._card(grid, key, name) for key, name in names.items()],
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
        result, members = run.result, len(run.result.ensemble)
        steps = f" ({counted(result.steps, 'step')})" if result.steps else ""
        epoch = f"epoch {result.best_epoch} of {result.epochs}{steps}"
        what = f"{counted(members, 'run')} together" if members else epoch
        return {
            "seed": run.seed,
            "score": "" if score is None else f"{split} {wording.number(score, 2)}",
            "about": f"{what}, {wording.duration(result.seconds)}",
            "folder": str(run.folder),  # a page that was mailed has lost the files of its links
            "links": self._links(run),
            "command": command,
        }

    def _links(self, run: Run) -> dict[str, str]:
        """Return links to the run's files; a file of results has none."""
        if run.reference is not None:
            return {}
        return {name: self._link(run.folder / name) for name in ("config.yaml", "run.log")}

    def _link(self, path: Path) -> str:
        return quote(Path(os.path.relpath(path.resolve(), self.folder.resolve())).as_posix())


def _statistics(grid: Grid, entry: Entry) -> Iterable[str]:
    found = entry.against
    if entry.not_compared:
        yield f"Not compared: {entry.not_compared}."
    if found is None or entry.p is None:
        return
    clusters = "" if entry.clusters is None else f" in {entry.clusters:,} clusters"
    yield (
        f"{wording.signed(found.difference, 2)} against {grid.baseline}, {wording.CONFIDENCE} "
        f"interval {wording.interval(found)}, that is {wording.margin(found)}; "
        f"{wording.p_equals(found.p)}, after Holm's correction {wording.p_equals(entry.p)}; "
        f"{found.examples:,} examples{clusters}, paired by seed ({found.seeds})."
    )


def _mixes(runs: Sequence[Run]) -> list[str]:
    return [
        f"{mix.place}: s = {'  '.join(f'{share:.3f}' for share in mix.weights)}, "
        f"γ = {mix.gamma:.3f}, {100 * mix.from_uniform:.1f} % from uniform"
        for mix in mixes(runs)
    ]


def _gap(gap: Gap) -> dict[str, Any]:
    about = {"seed": gap.cell.seed, "status": gap.status, "reason": gap.reason}
    return {**about, "score": "", "links": None, "command": gap.cell.command}
