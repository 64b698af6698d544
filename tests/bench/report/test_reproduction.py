"""Which runs count when results are reproduced."""

from __future__ import annotations

import json
from pathlib import Path

from bench.report.merged import read_all
from bench.report.reproduction import reproductions
from tests.bench.made_up import Maker


def test_runs_that_lack_a_score_on_one_side_do_not_count(tmp_path: Path) -> None:
    made, reference = tmp_path / "runs", tmp_path / "reference"
    for place in (made, reference):
        Maker(place).two_columns(seeds=((1, 2, 3), (1, 2, 3)))
    for place, kind in ((reference, "none"), (made, "input")):
        path = max((place / "snli").glob(f"{kind}-*")) / "result.json"
        result = json.loads(path.read_text())
        del result["metrics"]["test"]
        path.write_text(json.dumps(result))
    found = reproductions(read_all([made]), read_all([reference]))
    assert [(len(each.theirs), len(each.ours)) for each in found] == [(2, 2), (2, 2)]
    assert [each.verdict for each in found] == ["the same", "the same"]
