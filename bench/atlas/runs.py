"""What the runs of a folder say of an encoder's layers, as tables. No torch here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from bench.report import wording
from bench.report.frame import Frame
from bench.report.frames import learned
from bench.report.groups import Group, groups
from bench.report.read import Run, found

Row = tuple[str, str]  # of a table: task and data; what else was chosen
Column = tuple[str, float | None]  # layers, and λ where they are mixed


def tables(folder: Path, fingerprint: str, trusted: Sequence[str] = ()) -> dict[str, Frame]:
    """Return the tables of the runs that used this encoder, by name: those with rows.

    Args:
        folder: What `paths.runs` named; it need not be there.
        fingerprint: The encoder's.
        trusted: Packages whose tasks the runs may name.
    """
    used = [run for run in found(folder, trusted).finished if _uses(run, fingerprint)]
    together = [group for group in groups(used) if not group.first.result.ensemble]
    frames = {
        "scores by layer": _by_layer(together, _score),
        "code lengths by layer, kbit": _by_layer(together, _code),
        "learned mixes": learned(together),
    }
    return {name: frame for name, frame in frames.items() if frame.rows}


def _uses(run: Run, fingerprint: str) -> bool:
    encoder = run.result.encoder
    return encoder is not None and encoder.fingerprint == fingerprint


def _score(group: Group) -> str:
    scores = group.scores(group.first.result.primary.split)
    return wording.scores(scores) if scores else ""


def _code(group: Group) -> str:
    codes = [code.bits for run in group.runs if (code := run.result.online_code)]
    return wording.number(fmean(codes) / 1000, 2) if codes else ""


def _by_layer(found: Iterable[Group], cell: Callable[[Group], str]) -> Frame:
    rows: defaultdict[Row, defaultdict[Column, list[str]]]
    rows = defaultdict(lambda: defaultdict(list))
    for group in found:
        if text := cell(group):
            rows[_row(group)][str(group.elmo.layers), group.elmo.l2].append(text)
    columns = sorted({column for cells in rows.values() for column in cells}, key=_order)
    head = ["task", "chosen", *map(_name, columns)]
    return Frame.of(head, [[*row, *_cells(cells, columns)] for row, cells in rows.items()])


def _row(group: Group) -> Row:
    result = group.first.result
    what = f"{group.first.task} on {group.data}, {result.primary.split} {result.metric}"
    trial = "(a trial)" if group.first.limit_batches else ""
    return what, " ".join(filter(None, (group.elmo.placement, group.differs, trial)))


def _cells(cells: Mapping[Column, Sequence[str]], columns: Sequence[Column]) -> list[str]:
    """Return the cells of a row; of several groups in one, each."""
    return ["; ".join(cells.get(column, ())) for column in columns]


def _order(column: Column) -> tuple[bool, int, str, float]:
    layers, l2 = column
    number = int(layers) if layers.isdecimal() else 0
    return not layers.isdecimal(), number, layers, -1.0 if l2 is None else l2


def _name(column: Column) -> str:
    layers, l2 = column
    name = f"layer {layers}" if layers.isdecimal() else {"all": "mix"}.get(layers, layers)
    return name if l2 is None else f"{name} · λ={l2:g}"
