"""`python -m bench.data list`, `--help`, and a run on a set by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.data import items
from tasks import smallworld
from tasks.base import published
from tasks.ner.sources import CONLL2003, WNUT17
from tests.bench.data.conftest import FILES, Verb
from tests.file_server import FileServer


def test_list_says_what_is_there(data: Verb, server: FileServer, tmp_path: Path) -> None:
    status, out, _ = data("list")
    assert status == 0
    assert "missing: get wnut17" in out
    assert "missing: see below" in out
    assert f"put them into {tmp_path}/cache/data/ner/conll2003" in " ".join(out.split())
    assert "glove.6B.300d" in out
    data("get", "wnut17", "--yes")
    (CONLL2003.folder()).mkdir(parents=True)
    (CONLL2003.folder() / "eng.train").write_bytes(FILES["wnut17train.conll"])
    out = data("list")[1]
    for name in ("wnut17", "conll2003"):
        assert f"{tmp_path}/cache/data/ner/{name}" in out
    assert "NIST" not in out


def test_list_tells_all_of_a_task(data: Verb, server: FileServer) -> None:
    out = data("list", "ner")[1]
    assert "snli" not in out
    for fact in (WNUT17.version, "2 sentences, 3 tokens, 2 names", "Derczynski", "scored by f1"):
        assert fact in out
    status, out, _ = data("list", "neighbours")
    card = "neighbours has no published set of its own: tasks/neighbours/README.md says"
    assert (status, card in " ".join(out.split())) == (0, True)
    status, _, err = data("list", "nre")
    assert (status, "did you mean 'ner'?" in err) == (2, True)


def test_built_in_data_has_the_licence_of_its_card(data: Verb) -> None:
    card = Path(smallworld.__file__).with_name("README.md").read_text(encoding="utf-8")
    licence = card.partition("Licence: ")[2].partition(";")[0]
    (row,) = (line for line in data("list", "ner")[1].splitlines() if "built in" in line)
    assert licence
    assert f" {licence} " in row


def test_list_of_all_that_there_is(data: Verb) -> None:
    out = data("list")[1]
    for source in published.published():
        assert source.name in out


def test_a_run_on_a_set_by_name(
    bench: Callable[..., int],
    tmp_path: Path,
    server: FileServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from tasks.ner.task import NER

    monkeypatch.setattr(NER, "sources", tuple(items.published("ner")))
    small = ("task=ner", "task.hidden=[4,4]", "task.char_filters=4", "elmo.placement=none")
    once = ("training.max_epochs=1", "trainer=cpu", f"paths.runs={tmp_path / 'runs'}")
    assert bench(*small, *once, "data.set=wnut17") == 0
    (result,) = (tmp_path / "runs").glob("*/*/result.json")
    assert json.loads(result.read_text())["data"]["set"] == "wnut17"
    assert bench(*small, *once, "data=open") == 0  # the same set, which is the first
    assert bench(*small, *once, "data=open", "data.set=wnut") == 2
    assert bench(*small, *once, "data=open", f"data.dir={tmp_path}", "data.set=wnut71") == 2
    assert "did you mean 'wnut17'?" in capsys.readouterr().err
    assert bench(*small, *once, "data=mini", "data.set=wnut17") == 2
