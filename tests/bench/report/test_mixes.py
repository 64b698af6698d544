"""Mixes as means over the seeds of a cell."""

from __future__ import annotations

import json
from pathlib import Path

from bench.report import frames
from bench.report.report import collect
from tests.bench.made_up import Maker


def test_mixes_of_other_depths_stand_apart(tmp_path: Path) -> None:
    """The code of a user's encoder may change how many layers it has."""
    make = Maker(tmp_path)
    cells = [make.cell("snli", "ELMo", seed=seed, placement="input") for seed in (1, 2)]
    path = tmp_path / "snli" / cells[1].run_id / "result.json"
    facts = {"name": "mine", "fingerprint": "b", "layers": 2, "dim": 8, "parameters": 1}
    mix = {"input": {"weights": [0.4, 0.6], "gamma": 1.1}}
    path.write_text(json.dumps({**json.loads(path.read_text()), "encoder": facts, "mix": mix}))
    make.experiment("two", cells)
    (grid,) = collect([tmp_path]).grids
    assert [row[-1] for row in frames.weights(grid).rows] == ["1", "1"]
