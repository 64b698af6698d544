"""A mistake in the words of a sweep or of an experiment is one clear line, and leaves nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from bench.config import CONF

Bench = Callable[..., int]

DEMO = list(OmegaConf.load(CONF / "experiment" / "demo.yaml").columns)
NOISE = ("experiment=noise", "task=snli")
TABLE3 = "error: elmo: table3 sets elmo.placement itself (column "


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["experiment=tabel2"], "experiment=tabel2: unknown; did you mean 'table2'?"),
        (["experiment=table2", "elmo.l2=0.1"], "elmo.l2: table2 sets it itself (column"),
        (["experiment=table2", "data=mini,open"], "data=mini,open: one value for all runs"),
        (["experiment=table2", "task=snly"], "task=snly: unknown; did you mean 'snli'?"),
        (["experiment=table1,table2"], "one experiment at a time"),
        (["experiment=learning"], "learning: experiment.given.model=… is missing"),
        (["experiment=table2", "elmo.dropuot=0"], "did you mean 'elmo.dropout'?"),
        (["experiment=table2", "seed=1,one"], "seed=1,one: must be whole numbers"),
        (["experiment=table2", "experiment.seeds=[1,-5]"], "error: seed=-5: must be from 0 to"),
        (["-m", "seed=1,3000000000", "plan=slurm"], "error: seed=3000000000: must be from 0 to"),
        (
            ["experiment=lambda", "~experiment.columns.10"],
            "'λ=10'? (choose '~experiment.columns.λ=0',",
        ),
        (
            ["experiment=lambda", "~experiment.rows.snli"],
            "lambda has no rows by name; its rows are",
        ),
        (
            ["experiment=demo", "+experiment.columns.again={seed: 2}"],
            "demo: seed: give experiment.seeds=[1,2], or seed=1,2, for all cells",
        ),
        (
            ["experiment=demo", *(f"~experiment.columns.{c}" for c in DEMO)],
            f"~experiment.columns.{DEMO[-1]}: leaves demo no columns: keep one",
        ),
        (
            ["experiment=table2", "+experiment.paper.snlli={baseline: 88.1}"],
            "table2: paper: no row 'snlli'; did you mean 'snli'?",
        ),
        (
            ["experiment=lambda", "task=snli", "+experiment.columns.again={x: 0, elmo.l2: 0}"],
            "lambda: x=0: columns 'λ=0' and 'again' are one point of the curve",
        ),
        (["-m", "elmo.l2=interval(0,1)"], "elmo.l2=interval(0,1): an interval needs"),
        (["experiment=table3", "task=snli", "elmo={placement: none}"], TABLE3),
        (["experiment=table3", "task=snli", "++elmo={placement: none}"], TABLE3),
        (
            ["experiment=encoders", "experiment.without=columns.CoVe,columns.static"],
            "one value, please; a list stands in brackets: 'experiment.without=[…]'",
        ),
        (
            ["experiment=figure1", "experiment.baseline=ELMo, 100 %"],
            "a name with a comma takes quotes: 'experiment.baseline=\"ELMo, 100 %\"'",
        ),
        (
            ["experiment=encoders", "experiment.without=[CoVe]"],
            "CoVe: neither columns.NAME nor rows.NAME; did you mean 'columns.CoVe'?",
        ),
        (["-m", "seed=range(1,1)"], "seed=range(1,1): no values"),
        (["-m", "elmo.l2=range(3,1)"], "elmo.l2=range(3,1): no values"),
        ([*NOISE, "experiment.noise.kinds=[typso]"], "noise typso: unknown; did you mean 'typos'?"),
        ([*NOISE, "experiment.noise.kinds=[]"], "experiment.noise.kinds=[]: name one or more"),
        ([*NOISE, "experiment.noise.shares=[]"], "experiment.noise.shares=[]: name one or more"),
        (
            ["task=snli", "experiment.search={training.optimizer.lr: [0.001, 0.01]}"],
            "of which experiment? Give experiment=NAME, too",
        ),
    ],
)
def test_mistakes_are_one_line(
    bench: Bench,
    arguments: list[str],
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench(*arguments, f"paths.runs={tmp_path}") == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ")
    assert expected in error
    assert not list(tmp_path.iterdir())
