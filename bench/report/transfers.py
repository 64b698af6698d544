"""Evaluations as tables: one a task, and one under noise, with a row for each pair
"trained on → tested on".

Runs themselves stand in the same tables, on the data that they were trained on. Columns are what
else was chosen; each is compared with the one without ELMo, on the same examples, as in any table.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.choice import FILES
from bench.experiment import View
from bench.records import Evaluation, ManifestCell, data_name
from bench.report.groups import SHOWN, Group, choice_of, same_text, told_apart, with_draws
from bench.report.names import natural, task_name
from bench.report.read import Experiment, Records, Run

ARROW = "→"
PATHS = ("word_vectors", *(f"encoder.{key}" for key in FILES))
"""Keys that say where something lies and not what it is."""


def transfers(records: Records) -> list[Experiment]:
    """Return the table of each task that has evaluations, as an experiment would ask for it; those
    under noise have one of their own, on dev, as their runs' scores there, unless all have test."""
    alike: defaultdict[tuple[str, bool], list[Run]] = defaultdict(list)
    for run in records.evaluations:
        made = run.result.evaluation
        alike[run.task, made is not None and made.noise is not None].append(run)
    return [_table(*key, runs, records) for key, runs in sorted(alike.items())]


def _table(task: str, noisy: bool, evaluations: Sequence[Run], records: Records) -> Experiment:
    by_choice: defaultdict[str, list[Run]] = defaultdict(list)
    for run in evaluations:
        by_choice[_choice(run)].append(run)
    for run in records.finished:
        if run.task == task and not run.result.ensemble and _choice(run) in by_choice:
            by_choice[_choice(run)].append(run)
    drawn = list(with_draws(by_choice.values(), _chosen))
    columns = _columns(told_apart(drawn, shown=(*SHOWN, "data.version", "encoder.")))
    sets = _set_names([run for runs in by_choice.values() for run in runs])
    alike = all if noisy else any  # noise is mostly measured on dev
    split = "test" if alike("test" in run.result.metrics for run in evaluations) else "dev"

    def shown(run: Run) -> tuple[bool, int]:
        return split in run.result.metrics, len(run.result.metrics)

    places: dict[tuple[str, str, int], Run] = {}
    for column, group in columns.items():
        for run in sorted(group.runs, key=shown):  # of two the one that has the split, then most
            places[_row(run, sets), column, run.seed] = run
    cells = [
        ManifestCell(
            row=row, column=column, seed=seed, task=task, run_id=run.id, command=run.command
        )
        for (row, column, seed), run in places.items()
    ]
    without = [name for name, group in columns.items() if group.elmo.placement == "none"]
    what = "under noise" if noisy else "on other data"
    return Experiment(
        name=f"{task}: trained on {ARROW} tested on{', under noise' if noisy else ''}",
        title=f"{task_name(evaluations[0])}: finished runs {what}",
        source="",
        view=View.table,
        split=split,
        baseline=without[0] if without else None,
        rows=sorted({cell.row for cell in cells}, key=natural),
        columns=list(columns),
        paper={},
        data=", ".join(sorted(set(sets.values()))),
        encoder=", ".join(dict.fromkeys(g.first.result.encoder_name for g in columns.values())),
        command="; ".join(dict.fromkeys(run.command for run in evaluations)),
        cells=cells,
        path=Path(f"evaluations-{task}{'-noise' if noisy else ''}"),
    )


def _choice(run: Run) -> str:
    return same_text(_chosen(run))


def _chosen(run: Run) -> dict[str, Any]:
    """Return what was chosen, whatever was trained and tested on; a control task is a choice."""
    data = {key: run.choice["data"].get(key) for key in ("train_share", "control")}
    return {**choice_of(run, ""), "data": data}


def _columns(groups: Iterable[Group]) -> dict[str, Group]:
    """Return the columns by name: first what others are compared with, which is without ELMo and
    not of a control task."""
    alike: defaultdict[str, list[Group]] = defaultdict(list)
    for group in groups:
        encoder = group.encoder_names
        parts = (encoder if encoder != "none" else "", group.label, group.differs)
        alike[_joined(*parts)].append(group)
    named = {
        _joined(name, more): group
        for name, found in alike.items()
        for more, group in zip(_told(found), found, strict=True)
    }

    def order(name: str) -> tuple[bool, bool, list[float | str]]:
        control = named[name].first.choice["data"].get("control")
        return named[name].elmo.placement != "none", bool(control), natural(name)

    return {name: named[name] for name in sorted(named, key=order)}


def _told(alike: Sequence[Group]) -> list[str]:
    """Return what tells columns of one name apart: the keys of their encoders, and where these are
    the same, since files hold something else, a run of each."""
    family = told_apart([group.runs for group in alike], shown=("data.", *PATHS))
    keys = [group.differs for group in family]
    if len(set(keys)) == len(keys):
        return keys
    return [_joined(key, _trained(group.first)) for key, group in zip(keys, alike, strict=True)]


def _trained(run: Run) -> str:
    """Return the id of the run that was trained."""
    return run.result.evaluation.run_id if run.result.evaluation else run.id


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))


def _row(run: Run, sets: Mapping[str, str]) -> str:
    """Return `wnut17 → wikigold`, and which labels were given other names."""
    found = run.result.evaluation
    tested = sets[_key(run.result.data)]
    if found is None:
        return f"{tested} {ARROW} {tested}"
    row = f"{sets[_key(found.trained_on)]} {ARROW} {tested}"
    return f"{row} ({about})" if (about := changes(found)) else row


def changes(made: Evaluation) -> str:
    """Return what an evaluation changed in its examples: names of labels, and noise."""
    about = [f"{name}={new}" for name, new in made.names.items()]
    if noise := made.noise:
        about.append(f"{noise['kind']} {100 * noise['share']:g} %")
        about += [f"noise seed {noise['seed']}"] if noise["seed"] != 1 else []
    return ", ".join(about)


def _set_names(runs: Sequence[Run]) -> dict[str, str]:
    """Name each data set by its `_key`: the folder's last part, or the published set; two of one
    name get the beginnings of their fingerprints besides."""
    found = {_key(data): data for run in runs for data in (run.result.trained_on, run.result.data)}
    sets: list[list[Mapping[str, Any]]] = []
    for data in sorted(found.values(), key=lambda data: -len(data.get("fingerprint") or {})):
        same = next((each for each in sets if all(_same(data, one) for one in each)), None)
        if same is None:
            sets.append([data])
        else:
            same.append(data)
    names = [Path(data_name(data)).name for data, *_ in sets]
    marks = [_mark(data, ("dev", "test", "train")) for data, *_ in sets]
    if len({*zip(names, marks, strict=True)}) < len(sets):  # they differ in training alone
        marks = [_mark(data, ("train", "dev", "test")) for data, *_ in sets]
    return {
        _key(data): f"{name} ({mark})" if names.count(name) > 1 else name
        for each, name, mark in zip(sets, names, marks, strict=True)
        for data in each
    }


def _key(data: Mapping[str, Any]) -> str:
    """Return all by which a data set is told from others."""
    return json.dumps([data.get("fingerprint"), data_name(data)], sort_keys=True)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two hold the same, as far as both are known: here or there a split may not have
    been read."""
    ours, theirs = one.get("fingerprint") or {}, other.get("fingerprint") or {}
    if both := ours.keys() & theirs.keys():
        return all(ours[split] == theirs[split] for split in both)
    return data_name(one) == data_name(other)


def _mark(data: Mapping[str, Any], splits: Sequence[str]) -> str:
    prints = data.get("fingerprint") or {}
    return str(next((prints[split] for split in splits if prints.get(split)), data_name(data)))[:6]
