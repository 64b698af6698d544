"""What questions share with their paragraphs: counted by hand, and as in SQuAD."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tasks import smallworld
from tests.scripts.conftest import Script


def said(script: Script, folder: Path) -> list[str]:
    status, out, _ = script("shared_words.py", folder)
    assert status == 0
    lines = out.splitlines()
    starts = [line.partition(": ")[0] for line in lines]
    assert starts == [f"{folder}, {split}" for split in ("train", "dev")]
    return lines


def test_counted_by_hand(tmp_path: Path, script: Script) -> None:
    """Anna is in the answer's sentence, Oslo beside it; phones is phoned there, clerk nowhere."""
    context = "Anna phoned Eva. The doctor was in Oslo."
    answers = [{"text": "Eva", "answer_start": 12}]
    qas = [{"id": "1", "question": "Which clerk phones Anna in Oslo?", "answers": answers}]
    article = {"title": "1", "paragraphs": [{"context": context, "qas": qas}]}
    for split in ("train", "dev"):
        path = tmp_path / f"{split}-v1.1.json"
        path.write_text(json.dumps({"version": "1.1", "data": [article]}), encoding="utf-8")
    for line in said(script, tmp_path):
        assert "1 questions of 2.00 names, 50.0 % of them in the answer's sentence, 100.0 %" in line
        assert "2.00 other words, 50.0 % of them in the answer's sentence, 50.0 %" in line
        assert line.endswith(
            "more of them than any other in 100.0 % of the questions, none in 0.0 %"
        )


def test_built_in_questions_share_no_more_than_squads(script: Script) -> None:
    """Of names and other words, within a few points; the sentence that shares most tells less."""
    for line in said(script, smallworld.ensure("squad")):
        names, _, others, _, most, _ = map(float, re.findall(r"([\d.]+) %", line))
        assert names < 76
        assert others < 56
        assert most < 60
