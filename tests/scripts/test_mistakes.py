"""A script answers a mistake as the suite's own commands do: one line, status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.conftest import Script


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["linear_models.py", "ner", "{}"], "line 1: unknown tag"),
        (["pretraining_speed.py", "{}"], "cannot be read (No such file"),
        (["run_profile.py", "task=nope"], "task=nope: unknown"),
        (["opinions.py", "{}", "encoder=nope"], "encoder=nope: unknown"),
        (["adjuncts.py", "{}"], "not a finished run of task=srl"),
        (["sense_frequency.py", "{}"], "not a finished run of task=wsd"),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_a_mistake(script: Script, tmp_path: Path, words: list[str], told: str) -> None:
    for split in ("train", "dev"):
        (tmp_path / f"{split}.txt").write_text("(2 (2 a) (2 b))\n")
    status, _, err = script(*(word.format(tmp_path) for word in words))
    assert status == 2
    assert told in err.splitlines()[-1]
