"""Runs from several places made one: folders of runs, and files of reference results."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from bench.records import Searched
from bench.records.manifests import manifest_of
from bench.records.references import Reference, parsed_line
from bench.report.export import AND, LOCAL, named
from bench.report.groups import choice_numbers
from bench.report.read import (
    Experiment,
    Key,
    Records,
    ReportError,
    Run,
    has_runs,
    in_order,
    read,
)
from bench.report.reproduction import ROUNDING
from bench.run.record import RESULT


def read_all(places: Sequence[Path], trusted: Sequence[str] = ()) -> Records:
    """Read the runs and experiments of all places, each a folder of runs or results, or a file.

    Where two places have the same run, the first one's stands; `problems` name it if its scores
    differ, and those that were made of another place's run. Experiments of one name that differ in
    their cells alone become one; within one place they also have the same rows and columns.

    Raises:
        ReportError: there is no such place, or nothing in it.
    """
    each = [_read(place, trusted) for place in places]
    if len(each) == 1:
        return each[0]
    whole = Records(places[0])
    for records in each:
        whole.problems += [*_conflicts(whole.runs, records.runs), *records.problems]
        whole.files |= {  # what an earlier place has stands here, too
            path: {key: run for key, run in runs.items() if key not in whole.runs}
            for path, runs in records.files.items()
        }
        whole.runs = {**records.runs, **whole.runs}
        whole.failed = {**records.failed, **whole.failed}
        whole.unfinished |= records.unfinished
        whole.damaged |= records.damaged
    whole.failed = {key: run for key, run in whole.failed.items() if key not in whole.runs}
    whole.unfinished -= whole.runs.keys() | whole.failed.keys()
    whole.damaged -= whole.runs.keys() | whole.failed.keys()
    whole.leave_copies()
    whole.leave_outdated()
    every = [experiment for records in each for experiment in records.experiments]
    whole.experiments = in_order(list(_united(every, whole.runs)))
    return whole


def _read(place: Path, trusted: Sequence[str]) -> Records:
    """Read one place: a file of results, a folder of runs, or else a folder of such files."""
    if (place / RESULT).is_file():
        above = place.resolve().parents[1]
        raise ReportError(f"{place} is one run: name the folder of all runs ({above})")
    files = [place] if place.is_file() else sorted(place.glob("[!.]*.jsonl"))
    if not files or has_runs(place):
        records = _with_unread(read(place, trusted), files)
        records.experiments = _of_more_seeds(records)
        return records
    records = Records(place)
    for path in files:
        here = Records(path)
        try:
            records.problems += _read_file(here, path, tuple(trusted))
        except OSError as error:
            raise ReportError(f"{path} cannot be read ({error})") from None
        records.problems += _conflicts(records.runs, here.runs, ", but in the other's own tables")
        records.runs = records.runs | here.runs | records.runs  # the first, in their order
        records.files[path] = here.runs
        known = {each.id for each in records.experiments}
        records.experiments += [_under_own_id(each, known) for each in _of_more_seeds(here)]
    if not (records.runs or records.experiments):
        why = "".join(f" ({problem})" for problem in records.problems[:1])
        raise ReportError(f"{place}: no runs and no experiments in it{why}")
    commands = {cell.key: cell.command for each in records.experiments for cell in each.cells}
    for runs in reversed(records.files.values()):
        runs.update({key: replace(run, asked=commands.get(key)) for key, run in runs.items()})
        records.runs.update(runs)
    records.experiments = in_order(records.experiments)
    return records


def _under_own_id(experiment: Experiment, known: Set[str]) -> Experiment:
    """Name an experiment after its file, too, where another file has it: figures, labels and links
    go by its id."""
    if experiment.id not in known:
        return experiment
    file = experiment.path.parent
    return replace(experiment, path=file / f"{experiment.id}-{file.stem}.json")


def _with_unread(records: Records, files: Sequence[Path]) -> Records:
    """Say which files in a folder of runs are not read, since they may be results."""
    if files:
        names = ", ".join(path.name for path in files)
        records.problems.append(
            f"{names} in {records.folder}: not read, for it is a folder of runs: a file of results "
            "is given besides"
        )
    return records


def _read_file(records: Records, path: Path, trusted: tuple[str, ...]) -> list[str]:
    """Read a file of results into `records`; returns what is said of the lines that are damaged."""
    damaged, number = [], 0
    with path.open("rb") as lines:
        for number, text in enumerate(lines, start=1):
            try:
                _take(records, path, parsed_line(text), trusted)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                damaged.append(f"{path}, line {number}: damaged ({error})")
    if len(damaged) == number > 1:  # another kind of file, such as predictions
        return [f"{damaged[0]}, as are all {number} lines"]
    return damaged


def _take(records: Records, path: Path, line: Mapping[str, Any], trusted: tuple[str, ...]) -> None:
    """Add the run or the experiment of a line.

    Raises ValueError, KeyError, TypeError or AttributeError where it holds neither.
    """
    if "experiment" in line:
        place = path / f"{line['file']}.json"
        records.experiments.append(manifest_of(line["experiment"], Experiment, path=place))
        return
    found = Reference.from_json(line)
    key = found.result.task, found.result.run_id
    place = path.joinpath(*key)
    records.runs[key] = Run(place, found.result, trusted=trusted, reference=found)


def _conflicts(
    whole: Mapping[Key, Run], more: Mapping[Key, Run], besides: str = ""
) -> Iterator[str]:
    """Yield a line for each run that both have, with other scores."""
    for key in sorted(whole.keys() & more.keys()):
        ours, theirs = whole[key], more[key]
        for split in sorted(ours.result.metrics.keys() | theirs.result.metrics.keys()):
            pair = ours.score(split), theirs.score(split)
            known = [score for score in pair if score is not None]
            if len(known) == 1 or (known and abs(known[0] - known[1]) >= ROUNDING):
                said = " and ".join("none" if one is None else f"{one:.2f}" for one in pair)
                yield (
                    f"{'/'.join(key)}: {ours.folder} and {theirs.folder} differ in {split} "
                    f"{ours.result.metric}, {said}: the first stands{besides}"
                )


def _of_more_seeds(records: Records) -> list[Experiment]:
    """Return the experiments of one place; one that was done again for other seeds stands once."""
    shapes: dict[tuple[Set[str], Set[str]], list[Experiment]] = defaultdict(list)
    for each in records.experiments:
        shapes[frozenset(each.rows), frozenset(each.columns)].append(each)
    return in_order([one for same in shapes.values() for one in _united(same, records.runs)])


def _united(experiments: Sequence[Experiment], runs: Mapping[Key, Run]) -> Iterator[Experiment]:
    """Yield the experiments; those that differ in their rows and cells alone are one.

    A cell may be another run in the other, or one of another choice, where it was asked for with
    other words, or its row and column may have been searched in one alone: then they are two.
    """
    if len(experiments) < 2:
        yield from experiments
        return
    choices = choice_numbers([run for run in runs.values() if not run.result.ensemble])
    found: list[Experiment] = []
    for one in experiments:
        for i, other in enumerate(found):
            if (both := _both(other, one, choices)) is not None:
                found[i] = both
                break
        else:
            found.append(one)
    yield from found


def _both(one: Experiment, other: Experiment, choices: Mapping[Key, int]) -> Experiment | None:
    """Return the two as one, or None where they do not go together."""
    same = ("name", "title", "view", "split", "baseline", "data")
    cells = {(cell.row, cell.column, cell.seed): cell for cell in one.cells}
    further = {(cell.row, cell.column, cell.seed): cell for cell in other.cells}
    if any(getattr(one, name) != getattr(other, name) for name in same) or any(
        cells[place].key != further[place].key for place in cells.keys() & further.keys()
    ):
        return None
    if named(one.encoder) != named(other.encoder):  # wherever they lie
        return None
    ours, theirs = (_choices(each, choices) for each in (one, other))
    if any(ours[place] != theirs[place] for place in ours.keys() & theirs.keys()):
        return None
    searches, more = _searches(one), _searches(other)
    if any(searches[place] != more[place] for place in searches.keys() & more.keys()):
        return None
    papers = {**one.paper, **other.paper}
    return replace(
        one,
        command=_command_of_both(one.command, other.command),
        rows=list(dict.fromkeys([*one.rows, *other.rows])),
        columns=list(dict.fromkeys([*one.columns, *other.columns])),
        paper={row: {**other.paper.get(row, {}), **one.paper.get(row, {})} for row in papers},
        paper_encoders=one.paper_encoders or other.paper_encoders,
        paper_split=one.paper_split or other.paper_split,
        cells=list({**cells, **further, **cells}.values()),
        searches=[each for each in {**more, **searches}.values() if each],
    )


def _choices(
    experiment: Experiment, choices: Mapping[Key, int]
) -> Mapping[tuple[str, str], Set[int]]:
    """Return the choices of each row and column, as far as their runs are there; ensembles, each
    of which is of other runs, have none."""
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for cell in experiment.cells:
        if cell.key in choices:
            found[cell.row, cell.column].add(choices[cell.key])
    return found


def _command_of_both(one: str, other: str) -> str:
    """Return a command for what both made, if they differ in tasks, seeds and order alone.

    Where each was made, and by which launcher, says nothing of what was made. Otherwise both.

    >>> _command_of_both("python -m bench task=ner seed=1,2", "python -m bench seed=3 task=ner,srl")
    'python -m bench task=ner,srl seed=1,2,3'
    >>> _command_of_both("python -m bench seed=1", "python -m bench seed=2 paths.runs=/there")
    'python -m bench seed=1,2'
    >>> _command_of_both("bench a=1 && bench b=1", "bench b=1 paths.runs=/there && bench a=1")
    'bench a=1 && bench b=1'
    """
    if AND in other:
        return reduce(_command_of_both, other.split(AND), one)
    ours, theirs = shlex.split(one), _words(other)
    if theirs in map(_words, one.split(AND)):
        return one
    others = {word.partition("=")[0]: word for word in theirs}
    words = []
    for word in ours:
        key, _, values = word.partition("=")
        another = word if word.startswith(LOCAL) else others.pop(key, None)
        listed = key in ("task", "seed") and not set("([") & {*word, *(another or "")}
        if another is None or (word != another and not listed):
            return f"{one}{AND}{other}"
        both = dict.fromkeys([*values.split(","), *another.partition("=")[2].split(",")])
        words.append(word if word == another else f"{key}={','.join(both)}")
    if others:
        return f"{one}{AND}{other}"
    return shlex.join(words)


def _words(command: str) -> list[str]:
    return [word for word in shlex.split(command) if not word.startswith(LOCAL)]


def _searches(experiment: Experiment) -> dict[tuple[str, str], Searched | None]:
    """Return the search of each row and column, or None where values were not searched."""
    cells = {(cell.row, cell.column): None for cell in experiment.cells}
    return {**cells, **{search.place: search for search in experiment.searches}}
