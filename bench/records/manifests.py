"""An experiment's file: the table or figure that it asks for, and the run of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bench.experiment import View
from bench.records.damaged import reading
from bench.records.old import paper_split
from bench.records.searches import Searched, searched_of
from bench.records.typed_json import arguments, written

SCHEMA = 1

CLEAN = "clean"
"""The column of a table under noise that has none."""
BETWEEN = " · "
"""Between the parts of a row's name."""

M = TypeVar("M", bound="Manifest")


@dataclass(frozen=True, kw_only=True)
class ManifestCell:
    """One run that an experiment asks for, by its place in the table and by its run id."""

    row: str
    column: str
    seed: int
    task: str
    run_id: str
    x: float | None = None  # of the column, where it stands on an axis
    command: str

    @property
    def key(self) -> tuple[str, str]:
        """The task and the run id, which are the run's folder."""
        return self.task, self.run_id

    @property
    def placement(self) -> str:
        """Where ELMo is, which a run id says even before the run."""
        return self.run_id.rpartition("-")[0]


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A paper's table or figure, as `python -m bench experiment=NAME` expanded it."""

    name: str
    title: str
    source: str
    view: View
    split: str
    baseline: str | None
    rows: Sequence[str]
    columns: Sequence[str]
    paper: Mapping[str, Mapping[str, float]]  # its numbers, by row and column
    paper_encoders: Sequence[str] = ()  # those that its numbers are of
    paper_split: str | None = None  # the split that they are of
    data: str
    encoder: str
    command: str
    cells: Sequence[ManifestCell]
    searches: Sequence[Searched] = ()  # of its rows and columns, where values were searched

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file."""
        content = written(self)
        if not self.searches:
            del content["searches"]
        return {"schema": SCHEMA, "experiment": content.pop("name"), **content}


def noisy_row(row: str, column: str, kind: str) -> str:
    """Name the row of a table under noise: an experiment's row and column, and a kind of noise."""
    return BETWEEN.join((row, column, kind))


def noisy_parts(row: str) -> tuple[str, str, str]:
    """Return the row, the column and the kind of noise of which `noisy_row` made a name.

    >>> noisy_parts(noisy_row("ner", "ELMo · top", "typos"))
    ('ner', 'ELMo · top', 'typos')
    """
    first, _, rest = row.partition(BETWEEN)
    column, _, kind = rest.rpartition(BETWEEN)
    return first, column, kind


def read_manifest(path: Path, kind: type[M], /, **more: Any) -> M:
    """Return the experiment of a manifest, as a `kind` that takes `more` besides.

    Raises DamagedRecord where something is missing.
    """
    with reading(path, SCHEMA, "repeat the experiment") as content:
        return manifest_of(content, kind, **more)


def manifest_of(content: Mapping[str, Any], kind: type[M], /, **more: Any) -> M:
    """Make an experiment of its file's content. Raises ValueError, KeyError or TypeError."""
    if not isinstance(content["experiment"], str):
        raise TypeError("experiment: expected its name")
    views = [view.value for view in View]
    if content["view"] not in views:
        raise ValueError(f"view {content['view']!r}, expected one of {', '.join(views)}")
    cells = [ManifestCell(**arguments(ManifestCell, cell)) for cell in content["cells"]]
    searches = [searched_of(search) for search in content.get("searches", ())]
    more |= {"name": content["experiment"], "view": View(content["view"]), "cells": cells}
    if "paper_split" not in content:
        more["paper_split"] = paper_split(str(content["source"]))
    return kind(**arguments(kind, content, **more, searches=searches))
