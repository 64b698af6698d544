"""Finished runs on their own data with words misspelled."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.evaluate.conftest import (
    NER,
    Evaluate,
    Result,
    home,
    made,
    rows,
    tokens,
    write_names,
)


def test_noise_changes_words_and_leaves_gold_and_clusters(
    runs: list[Path], call: Evaluate, result: Result
) -> None:
    words = (runs[0], "--noise", "case=0.5", "--split", "dev")
    assert call(*words)[0] == 0
    (found,) = made(runs[0])
    clean = [row for row in rows(runs[0]) if row["split"] == "dev"]
    noisy = rows(found)
    for old, new in zip(clean, noisy, strict=True):
        assert [old[key] for key in ("id", "gold", "cluster")] == [
            new[key] for key in ("id", "gold", "cluster")
        ]
    pairs = list(zip(tokens(clean), tokens(noisy), strict=True))
    assert all(a.lower() == b.lower() for a, b in pairs)
    share = sum(a != b for a, b in pairs) / len(pairs)
    about = result(found)["evaluation"]["noise"]
    assert about == {
        "kind": "case",
        "share": 0.5,
        "seed": 1,
        "changed": pytest.approx(share, abs=1e-4),
    }
    assert 0.2 < share < 0.6
    assert (
        result(found)["data"]["fingerprint"]["dev"] == result(runs[0])["data"]["fingerprint"]["dev"]
    )
    said = call(*words)[1]
    assert "finished earlier" in said
    assert "noise  case 50 %  (" in said
    assert call(*words, "--noise-seed", "2")[0] == 0
    assert len(made(runs[0])) == 2


def test_no_noise_gives_the_scores_of_the_run(
    runs: list[Path], call: Evaluate, result: Result
) -> None:
    assert call(runs[0], "--noise", "typos=0", "--split", "dev")[0] == 0
    (found,) = made(runs[0])
    assert result(found)["metrics"]["dev"] == result(runs[0])["metrics"]["dev"]


def test_the_recorded_command_finds_what_was_made_without_a_test_split(
    bench: Callable[..., int], call: Evaluate, result: Result, tmp_path: Path
) -> None:
    data = write_names(tmp_path / "data", "PER", "LOC", ("train", "dev"))
    quick = (*NER, "training.max_epochs=1", "elmo.placement=none")
    assert bench(*quick, f"data.dir={data}", f"paths.runs={tmp_path / 'runs'}") == 0
    (run,) = (tmp_path / "runs" / "ner").iterdir()
    assert call(run, "--noise", "case=0.5")[0] == 0
    (found,) = made(run)
    words = shlex.split(result(found)["command"])
    assert words[:3] == ["python", "-m", "bench.evaluate"]
    assert "finished earlier" in call(*words[3:])[1]


def test_noise_on_data_that_has_changed_is_refused(
    runs: list[Path], call: Evaluate, tmp_path: Path
) -> None:
    data = shutil.copytree(home(runs[0]), tmp_path / "home")
    for name in ("config.yaml", "result.json"):
        text = (runs[0] / name).read_text()
        (runs[0] / name).write_text(text.replace(home(runs[0]), str(data)))
    (data / "dev.txt").write_text("Omar B-PER\n. O\n")
    status, said = call(runs[0], "--noise", "typos=0.2")
    assert status == 2
    assert "the data has changed since the run" in said
