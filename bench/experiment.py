"""What an experiment file (`conf/experiment/*.yaml`) may say: a table or figure in a few lines.

    title: Which layers to mix
    rows: {snli: {task: snli}, srl: {task: srl}}
    columns:
      baseline: {elmo.placement: none}
      last only: {elmo.layers: top}
    baseline: baseline
    paper: {snli: {baseline: 88.1, last only: 89.1}, srl: {baseline: 81.6, last only: 84.1}}

Every row × column × seed is a run. A row and a column say how it differs from the defaults, in the
keys of the command line; what is given on the command line besides holds for all runs. A further
column may combine the seeds of another: `ensembles: {ensemble: last only}`. With
`noise: {kinds: [typos], shares: [0.1, 0.2]}` every run is scored on dev with words misspelled, too;
the table then has a row for each row, column and kind, and a column for each share.
With `search: {training.optimizer.lr: [0.0005, 0.001]}` each row and column tries every combination
of these values with the first seed, and all its seeds train with the best of them on dev.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import omegaconf


class View(Enum):
    """How a report shows an experiment.

    A table shows scores; a curve, scores against each column's x; efficiency, also the updates that
    the scores took; weights, the weights of the mixes; noise, scores against the share of words
    that are misspelled.
    """

    table = "table"
    curve = "curve"
    efficiency = "efficiency"
    weights = "weights"
    noise = "noise"


class Split(Enum):
    """The split whose scores a report shows; dev's, where the data has no test set."""

    dev = "dev"
    test = "test"


@dataclass
class NoiseLevels:
    """The noise under which the runs of an experiment are scored; none where both are empty."""

    kinds: list[str] = field(default_factory=list)  # of bench/noise/spelling.py
    shares: list[float] = field(default_factory=list)  # the chance of each word to be changed
    seed: int = 1  # of what the noise draws


@dataclass
class Experiment:
    """One experiment file."""

    title: str = omegaconf.MISSING
    source: str = ""  # what it repeats: a paper's table
    view: View = View.table
    split: Split = Split.dev
    rows: Any = None  # name: overrides; or `all` tasks that there are; or null, those of task=
    columns: dict[str, dict[str, Any]] = omegaconf.MISSING  # name: overrides, and x for a curve
    ensembles: dict[str, str] = field(default_factory=dict)  # name: column whose seeds it combines
    noise: NoiseLevels | None = field(default_factory=NoiseLevels)  # null: none, too
    given: dict[str, Any] = field(default_factory=dict)  # what ${experiment.given.NAME} stands for
    baseline: str | None = None  # the column that others are compared with
    search: Any = None  # key: a list of the values that are tried on dev
    without: list[str] = field(default_factory=list)  # rows.NAME and columns.NAME to leave out
    seeds: list[int] = field(default_factory=lambda: [1])
    overrides: dict[str, Any] = field(default_factory=dict)  # of all runs; the command line's win
    paper: dict[str, dict[str, Any]] = field(default_factory=dict)  # its numbers, by row and column
    paper_encoders: list[str] = field(default_factory=list)  # those that its numbers are of
    paper_split: Split | None = None  # the split that they are of
