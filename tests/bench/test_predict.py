"""A trained head on new text."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from omegaconf import OmegaConf

from bench import predict
from bench.errors import RunError
from tests.bench import verbs

PAIR = {"premise": "A man is asleep.", "hypothesis": "A man is awake."}


class Keyboard(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[list[dict[str, Any]], str]]:
    """What comes out of `python -m bench.predict ARGUMENTS` for these lines, and its errors."""

    def called(
        *arguments: Any, lines: str = "", source: type[io.TextIOWrapper] = io.TextIOWrapper
    ) -> tuple[list[dict[str, Any]], str]:
        given = io.BytesIO(lines.encode("utf-8", "surrogateescape"))
        monkeypatch.setattr(sys, "stdin", source(given))
        _, out, err = verbs.said(capsys, predict.main, arguments)
        return [json.loads(line) for line in out.splitlines()], err

    return called


def test_new_pairs_from_a_file_and_from_standard_input(
    finished_run: Path,
    said: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    lines = "\n".join([json.dumps(PAIR), "", json.dumps({**PAIR, "id": "second"})])
    rows, _ = said(finished_run, lines=lines)
    assert [row["id"] for row in rows] == ["1", "second"]
    assert rows[0]["premise"] == PAIR["premise"]
    assert rows[0]["prediction"] in rows[0]["probabilities"]
    assert rows[0]["probabilities"] == pytest.approx(rows[1]["probabilities"])
    assert "gold" not in rows[0]
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8-sig")  # as some editors do
    said(finished_run, "--input=~/in.jsonl", "--output=~/out.jsonl")
    assert [json.loads(row) for row in (tmp_path / "out.jsonl").open()] == rows


def test_what_the_run_predicted_is_predicted_again(
    finished_run: Path, snli_folder: Path, said: Callable[..., Any]
) -> None:
    """The texts of its dev set, given as new text."""
    pairs = [json.loads(line) for line in (snli_folder / "snli_1.0_dev.jsonl").open()]
    names = {"id": "pairID", "premise": "sentence1", "hypothesis": "sentence2"}
    given = [{new: pair[old] for new, old in names.items()} for pair in pairs]
    rows, _ = said(finished_run, lines="\n".join(map(json.dumps, given)))
    written = map(json.loads, (finished_run / "predictions.jsonl").open())
    known = {row["id"]: row["probabilities"] for row in written if row["split"] == "dev"}
    assert len(rows) == len(known) == 20
    for row in rows:
        assert row["probabilities"] == pytest.approx(known[row["id"]], abs=1e-5)


def test_a_trained_head_needs_no_file_of_word_vectors(
    finished: Path, said: Callable[..., Any]
) -> None:
    """It has those that it read."""
    config = OmegaConf.load(finished / "config.yaml")
    config.word_vectors = "glove.6B.50d"  # fetched by nobody here
    OmegaConf.save(config, finished / "config.yaml")
    rows, _ = said(finished, lines=json.dumps(PAIR))
    assert rows[0]["premise"] == PAIR["premise"]


def test_who_types_is_told_what(finished_run: Path, said: Callable[..., Any]) -> None:
    assert said(finished_run, lines=json.dumps(PAIR))[1] == ""
    rows, told = said(finished_run, lines=json.dumps(PAIR), source=Keyboard)
    assert rows[0]["premise"] == PAIR["premise"]
    assert 'such as {"premise": "A man sleeps."' in told


def test_what_a_user_can_mend_is_one_line(
    finished_run: Path, said: Callable[..., Any], tmp_path: Path
) -> None:
    for lines, message in (
        ('{"premise": "A man."}', "line 1: needs the field 'hypothesis'"),
        ('\n{"premise": ', "line 2 is not JSON"),
        ("plain text", "line 1: needs the field 'premise'"),
        ('["A", "man"]', "line 1 is a list: tokens are given as"),
        ("plain text", '; an example: {"premise": "A man sleeps.", "hypothesis": '),
    ):
        _, error = said(finished_run, lines=lines)
        assert message in error
        assert "Traceback" not in error
    (tmp_path / "latin-1").write_bytes(b'\n{"premise": "na\xefve"}\n')
    assert "line 2 is not UTF-8" in said(finished_run, "--input", tmp_path / "latin-1")[1]
    assert "is no finished run: it has no result.json" in said(tmp_path)[1]
    assert "No such file" in said(finished_run, "--input", tmp_path / "gone")[1]
    assert "is a directory" in said(finished_run, "--output", ".")[1].lower()
    unfinished = shutil.copytree(finished_run, tmp_path / "unfinished")
    (unfinished / "result.json").unlink()
    assert "is no finished run: it has no result.json" in said(unfinished)[1]
    (tmp_path / "in").write_text(json.dumps(PAIR))
    given = ("--input", tmp_path / "in", "--output", tmp_path / "in")
    assert "is the input, which it would replace" in said(finished_run, *given)[1]
    assert json.loads((tmp_path / "in").read_text()) == PAIR
    (tmp_path / "in").rename(tmp_path / "in.part")  # in which the answers would be collected
    given = ("--input", tmp_path / "in.part", "--output", tmp_path / "in")
    assert "in.part is the input, which it would replace" in said(finished_run, *given)[1]
    assert json.loads((tmp_path / "in.part").read_text()) == PAIR


def test_what_was_predicted_before_stays_until_all_is_answered(
    finished_run: Path, said: Callable[..., Any], tmp_path: Path
) -> None:
    out, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    out.write_text("of before")
    given = ("--input", tmp_path / "in.jsonl", "--output", out)
    (tmp_path / "in.jsonl").write_text("{}\n")
    assert "line 1: needs the field" in said(finished_run, *given)[1]
    assert (out.read_text(), part.exists()) == ("of before", False)
    (tmp_path / "in.jsonl").write_text(f"{json.dumps(PAIR)}\n{{}}\n")
    told = said(finished_run, *given)[1]
    assert f"the answers so far are in {part}" in told
    assert "line 2: needs the field" in told
    assert out.read_text() == "of before"
    assert len(part.read_text().splitlines()) == 1
    (tmp_path / "in.jsonl").write_text(json.dumps(PAIR))
    said(finished_run, *given[:2], "--output", os.devnull)
    assert not Path(os.devnull).is_file()
    said(finished_run, *given)
    assert (len(out.read_text().splitlines()), part.exists()) == (1, False)


def test_answers_are_utf_8_whatever_the_terminal_says(
    finished_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({**PAIR, "premise": "Zoë sees Łódź."}, ensure_ascii=False)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode()), "latin-1"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "latin-1"))
    predict.main([str(finished_run)])
    assert json.loads(written.getvalue())["premise"] == "Zoë sees Łódź."


@pytest.mark.parametrize("wrong", ["0", "-1", "many"])
def test_a_batch_has_lines(said: Callable[..., Any], wrong: str) -> None:
    _, err = said("nowhere", "--batch-size", wrong)
    assert f"argument --batch-size: '{wrong}' is not a whole number from 1" in err


@pytest.mark.parametrize(
    ("line", "warned"),
    [
        ("EU NNP B-NP B-ORG", True),
        ("-DOCSTART- -X- -X- O", True),
        ("1\tEU\tEU\tPROPN\tNNP", True),
        ("Plan B-1 is out", False),
        ('{"text": "one\ttwo"}', False),
        ("He has blood type O", False),
    ],
)
def test_rows_of_a_table_are_not_taken_for_texts_in_silence(
    line: str, warned: bool, monkeypatch: pytest.MonkeyPatch, said: Callable[..., Any]
) -> None:
    class Echo:
        def __init__(self, *_: object) -> None: ...

        def __call__(self, lines: list[tuple[int, str]]) -> list[dict[str, Any]]:
            return [{"line": text} for _, text in lines]

    monkeypatch.setattr(predict, "Predictor", Echo)
    rows, told = said("run", lines=f"A man sleeps.\n{line}\n{line}\n")
    assert len(rows) == 3
    assert told.count("warning: line 2 looks like a row of a table") == warned
    assert "line 3" not in told


def test_from_python_a_string_is_a_text_and_a_list_is_no_example() -> None:
    class Echo(predict.Predictor):
        def __init__(self) -> None:
            self.task = SimpleNamespace(example_input={"text": "A film."}, parse=dict)  # type: ignore[assignment]

        def _answered(self, given: Any) -> Any:
            yield from (fields for fields, _ in given)

    assert Echo().predict("A man sleeps.", {"text": "Hi."}) == [
        {"text": "A man sleeps."},
        {"text": "Hi."},
    ]
    for wrong in (["A man sleeps."], [{"text": "Hi."}]):
        with pytest.raises(RunError, match=r"example 1 is a list: give \{.*predict\(\*examples\)"):
            Echo().predict(wrong)  # type: ignore[arg-type]
