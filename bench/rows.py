"""Runs as they are listed, and the words that describe some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import RunError
from elmo_core.errors import did_you_mean

if TYPE_CHECKING:
    from bench.report.read import Records

STATUSES = FINISHED, FAILED, UNFINISHED, DAMAGED = "finished", "failed", "unfinished", "damaged"


@dataclass(frozen=True)
class Row:
    """A run as it is listed; what its files do not tell is empty."""

    id: str
    status: str
    task: str
    data: str = ""
    placement: str = ""
    encoder: str = ""
    seed: str = ""
    dev: str = ""


KEYS = [field.name for field in fields(Row)]


def fitting(filters: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    """Return the rows that the words `KEY=VALUE,…` describe. Raises RunError for others."""
    wanted: list[tuple[str, set[str]]] = []
    for word in filters:
        key, equals, value = word.partition("=")
        if not equals or key not in KEYS:
            hint = did_you_mean(key, KEYS)
            raise RunError(f"{word}: expected KEY=VALUE, KEY one of {', '.join(KEYS)}{hint}")
        values = value.split(",")
        if key == "status" and {*values} - {*STATUSES}:
            hint = did_you_mean(value, STATUSES)
            raise RunError(f"{word}: a status is one of {', '.join(STATUSES)}{hint}")
        wanted.append((key, {value, *values}))
    return [row for row in rows if all(getattr(row, key) in values for key, values in wanted)]


def rows_of(records: Records) -> list[Row]:
    """Describe every run of the records, sorted by task and id."""
    rows = [Row(id, DAMAGED, task) for task, id in records.damaged]
    for (task, id), run in records.runs.items():
        result = run.result
        seeds = ",".join(str(each.seed) for each in result.ensemble or (result,))
        known = (result.data_name, result.elmo.placement, result.encoder_name, seeds)
        dev = result.score("dev")
        rows.append(Row(id, FINISHED, task, *known, "" if dev is None else f"{dev:.2f}"))
    for keys, status in ((records.failed, FAILED), (records.unfinished, UNFINISHED)):
        rows += [_begun(records.folder / task / id, status) for task, id in keys]
    return sorted(rows, key=lambda row: (row.task, row.id))


def _begun(folder: Path, status: str) -> Row:
    """Describe a run by its configuration, since it has no result."""
    from bench.run import trust

    try:
        cfg = trust.typed(folder / "config.yaml")
    except (RunError, OSError):
        return Row(folder.name, status, folder.parent.name)
    data = cfg.data.dir or cfg.data.set or cfg.data.name
    encoder = cfg.encoder.get("source") or cfg.encoder.get("model") or cfg.encoder.get("name")
    shown = "none" if cfg.elmo.placement == "none" else str(encoder or "")
    known = (str(data), cfg.elmo.placement, shown, str(cfg.seed))
    return Row(folder.name, status, folder.parent.name, *known)
