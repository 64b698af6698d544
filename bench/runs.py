"""`python -m bench.runs`: find runs by what they are, see one, keep their results, clear away."""

from __future__ import annotations

import re
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.console import agreed, counted, for_tables
from bench.errors import BusyError, RunError, exit_status
from bench.options import add_trust
from bench.rows import DAMAGED, FAILED, FINISHED, KEYS, UNFINISHED, Row, fitting, rows_of
from elmo_core.arguments import path
from elmo_core.subcommands import Subcommands

if TYPE_CHECKING:
    from bench.report.read import Key, Records, Run

PROGRAM = "python -m bench.runs"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    given = parser().parse_args(arguments)
    with exit_status(debug=False):
        given.run(given)


def parser() -> ArgumentParser:
    """Make the parser with its subcommands."""
    subcommands = Subcommands(
        PROGRAM,
        "The runs in a folder.",
        "$ list task=ner seed=1\n$ show input-35474\n$ export -o results/ner.jsonl\n$ clean --yes",
    )
    command = subcommands.add(
        "list", _list, "What each run is and what came of it.", "list", "list task=ner seed=1,2"
    )
    _add_filters(command)
    _add_folder(command)
    command = subcommands.add(
        "show", _show, "One run: its scores, its mixes and its folder.", "show input-35474"
    )
    command.add_argument("id", help="the run's id, or how it begins; or TASK/ID, or the folder")
    _add_folder(command)
    command = subcommands.add(
        "export",
        _export,
        "Write finished runs and their experiments into one small file of reference results.",
        "export -o results/ner.jsonl task=ner",
        "export -o all.jsonl --runs runs --runs results/ner.jsonl",
    )
    _add_filters(command)
    command.add_argument("-o", "--out", type=path, required=True, help="….jsonl, or a folder")
    command.add_argument(
        "--format",
        choices=("results", "every-eval-ever"),
        default="results",
        help="one file that bench.report reads (default), or a JSON file a run, for exchange",
    )
    command.add_argument(
        "--runs",
        type=path,
        action="append",
        help="as paths.runs, or a file of results; several times: joined (default: runs)",
    )
    add_trust(command)
    command = subcommands.add(
        "clean",
        _clean,
        "Remove runs that failed or were never finished, after asking; damaged ones where named.",
        "clean",
        "clean status=failed --yes",
        "clean status=damaged",
    )
    _add_filters(command)
    command.add_argument("--yes", action="store_true", help="without asking")
    _add_folder(command)
    return subcommands.parser


def _add_filters(command: ArgumentParser) -> None:
    which = f"only those, one value or several: {', '.join(KEYS)}"
    command.add_argument("filters", nargs="*", metavar="KEY=VALUE,…", help=which)


def _add_folder(command: ArgumentParser) -> None:
    command.add_argument("--runs", type=path, default=Path("runs"), help="as paths.runs")


# -- the subcommands


def _list(given: Namespace) -> None:
    from rich.markup import escape
    from rich.table import Table

    records = _found(given.runs)
    rows = fitting(given.filters, rows_of(records))
    differs = _differs(records, rows)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for key in LISTED:
        table.add_column(key, no_wrap=key != "data", overflow="fold")
    table.add_column("age", justify="right", no_wrap=True)
    if differs:
        table.add_column("differs in", overflow="fold")
    for row in rows:
        age = _age(given.runs / row.task / row.id)
        shown = replace(row, dev=row.dev or row.status)
        more = [escape(differs.get((row.task, row.id), ""))] if differs else []
        table.add_row(*(escape(getattr(shown, key)) for key in LISTED), age, *more)
    if rows:
        for_tables().print(table, highlight=False)
        return
    tasks = sorted({row.task for row in rows_of(records)})
    there = f" (tasks: {', '.join(tasks)})" if tasks else ""
    print(f"no such runs in {given.runs}{there}")


def _show(given: Namespace) -> None:
    from bench.records import Failed
    from bench.report.read import repeating
    from bench.run import panel
    from bench.run.record import Record

    records = _found(given.runs)
    every = rows_of(records)
    *above, name = given.id.rstrip("/").split("/")  # TASK/ID where several begin alike
    begin = [row for row in every if row.id.startswith(name) and above[-1:] in ([], [row.task])]
    rows = [row for row in begin if row.id == name] or begin  # its evaluations begin with it
    if len(rows) != 1:
        known = ", ".join(f"{row.task}/{row.id}" for row in rows) or "none"
        raise RunError(f"{given.id}: {known} of the runs in {given.runs} begin like this")
    record = Record(given.runs / rows[0].task / rows[0].id)
    if run := records.runs.get((rows[0].task, rows[0].id)):
        limit = None if run.result.evaluation else run.limit_batches  # of other data, all is read
        panel.show(run.result, record.folder, limit_batches=limit)
        _tell(run, _differs(records, every).get((run.task, run.id)))
        return
    print(f"{rows[0].status}: {record.folder}")
    if isinstance(failed := record.result(), Failed):
        print(f"error: {failed.error}")
    if (record.folder / "config.yaml").is_file():
        print(f"command  {repeating(record.folder)}")


def _tell(run: Run, differs: str | None) -> None:
    """Print which of its task's runs this one is, and the command that it was done by."""
    given = run.asked or run.result.command
    given = given or next((each.command for each in run.result.provenance), run.command)
    main = run.result.metric
    others = {
        f"{split} {name}": f"{value:.2f}"
        for split, values in run.result.metrics.items()
        for name, value in values.items()
        if name != main
    }
    lines = {**others, "seed": str(run.seed), "differs in": differs, "command": given}
    print("\n".join(f"{key}  {value}" for key, value in lines.items() if value))


def _export(given: Namespace) -> None:
    from bench.report import exchange
    from bench.report import export as results
    from bench.report.merged import read_all

    places = given.runs or [Path("runs")]
    records = read_all(places, given.trust)
    rows = fitting(given.filters, rows_of(records))
    wanted = {(row.task, row.id) for row in rows if row.status == FINISHED}
    if not wanted:
        raise RunError(f"{', '.join(map(str, places))}: no finished run that fits")
    module = results if given.format == "results" else exchange
    module.export(records, wanted, given.out)
    for problem in records.problems:
        print(problem, file=sys.stderr)
    size = f", {given.out.stat().st_size / 1000:,.0f} kB" if given.out.is_file() else ""
    print(f"{given.out}: {counted(len(wanted), 'run')}{size}")


def _clean(given: Namespace) -> None:
    from bench.run.record import BUSY, Record

    records, kept = [], False
    removed = [FAILED, UNFINISHED]
    if any(word.startswith("status=") and DAMAGED in word for word in given.filters):
        removed.append(DAMAGED)  # asked for by name: a newer version may read it
    for row in fitting(given.filters, rows_of(_found(given.runs))):
        record = Record(given.runs / row.task / row.id)
        if row.status not in removed:
            kept = True
            continue
        if not RUN_ID.search(row.id):
            print(f"{record.folder}: not named as a run is: left alone", file=sys.stderr)
            continue
        if record.busy():
            print(f"{BUSY} {record.folder}: left alone", file=sys.stderr)
            continue
        print(" ".join(filter(None, (row.status, row.task, row.id, row.data, row.encoder))))
        records.append(record)
    if not records:
        why = ": finished runs are kept, and damaged ones unless status=damaged names them"
        print(f"nothing to remove{why if kept else ''}")
        return
    what = "this run" if len(records) == 1 else f"these {len(records)} runs"
    if not (given.yes or agreed(f"remove {what}?")):
        return
    for record in records:
        try:
            with record.lock():
                if record.readable():  # while the question stood
                    print(f"{record.folder} is finished now: left alone", file=sys.stderr)
                else:
                    record.remove()
        except BusyError as error:
            print(f"{error}: left alone", file=sys.stderr)


# -- finding runs

LISTED = ("id", "task", "data", "encoder", "seed", "dev")
"""What fits a narrow terminal: an id begins with the placement, a score says `finished`."""
RUN_ID = re.compile("-[0-9a-f]{10}$")
"""How a run's folder ends: others may hold a config.yaml, too, and are not ours to remove."""


def _found(folder: Path) -> Records:
    """Read every run below `folder`. Raises RunError for no folder."""
    from bench.report.read import found

    if not folder.is_dir():
        raise RunError(f"{folder}: no such folder: give --runs FOLDER, as paths.runs")
    return found(folder)


def _differs(records: Records, rows: Sequence[Row]) -> dict[Key, str]:
    """Say in which keys finished runs of one task and data differ that no column shows."""
    from bench.report.groups import SHOWN, differing
    from bench.report.transfers import changes

    shown = [key for key in SHOWN if key not in ("elmo.layers", "elmo.l2")]
    alike: defaultdict[tuple[str, str], list[Run]] = defaultdict(list)
    for row in rows:
        if run := records.runs.get((row.task, row.id)):
            alike[row.task, row.data].append(run)
    found = {}
    for runs in alike.values():
        for run, words in zip(runs, differing(runs, shown), strict=True):
            made = changes(run.result.evaluation) if run.result.evaluation else ""
            found[run.task, run.id] = f"{made} {words}".strip()
    return {key: words for key, words in found.items() if words}


def _age(folder: Path) -> str:
    """Say when the run was last written to."""
    newest = max((path.stat().st_mtime for path in folder.glob("*.*")), default=time.time())
    days, hours = divmod(int(time.time() - newest) // 3600, 24)
    return f"{days} d" if days else f"{hours} h" if hours else "< 1 h"


if __name__ == "__main__":
    main()
