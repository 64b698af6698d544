"""A message is one line that a terminal can show, whatever the file holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elmo_core.errors import FetchError, OptionsError, one_line
from tasks.snli import data as snli
from tasks.task import DataError
from tests.faults.files import PAIR


def test_a_label_of_ten_megabytes_is_shown_in_part(tmp_path: Path) -> None:
    row = json.dumps({**PAIR, "gold_label": "x" * 10_000_000})
    (tmp_path / "snli_1.0_dev.jsonl").write_text(row)
    with pytest.raises(DataError) as caught:
        snli.read(tmp_path, "dev")
    message = str(caught.value)
    assert len(message) == 1000
    assert message.startswith(f"{tmp_path}/snli_1.0_dev.jsonl, line 1: unknown label 'xxx")
    assert message.endswith("known: entailment, neutral, contradiction and '-'")


@pytest.mark.parametrize("kind", [DataError, FetchError, OptionsError])
def test_every_message_is_one_line(kind: type[Exception]) -> None:
    assert str(kind("a\nb\r\nc\u2028d\x85e\x0cf")) == "a b c d e f"


@pytest.mark.parametrize("most", [999, 1000])
def test_a_line_is_cut_in_its_middle(most: int) -> None:
    assert one_line("x" * most, most) == "x" * most
    cut = one_line("a" * most + "b" * most, most)
    assert len(cut) == most
    assert cut.strip("a").strip("b") == " … "
