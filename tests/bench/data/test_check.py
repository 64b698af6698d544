"""`python -m bench.data check`: a copy against what was published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.data.check import closest
from tasks.base.published import SPLITS, Found, published
from tests.bench.data.conftest import FILES, Verb
from tests.file_server import FileServer


def write(folder: Path, **changes: bytes) -> Path:
    folder.mkdir(parents=True)
    for name, content in {**FILES, **changes}.items():
        if content:
            (folder / name).write_bytes(content)
    return folder


def test_check_of_a_copy(data: Verb, server: FileServer, tmp_path: Path) -> None:
    status, out, _ = data("check", str(write(tmp_path / "copy")))
    assert status == 0
    assert out.count("as published") == 3
    status, out, _ = data("check", str(write(tmp_path / "two", **{"emerging.test.annotated": b""})))
    assert status == 0
    assert "no file" in out
    assert "runs report dev alone" in out


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"wnut17train.conll": b"Oslo\tO\n"},
            ["2 sentences", "1", "a subset, 50.0%", "2 names", "a subset, 0.0%"],
        ),
        ({"emerging.dev.conll": FILES["emerging.dev.conll"] * 3}, ["1 tokens", "3", "differs"]),
        ({"emerging.dev.conll": b""}, ["dev", "no file", "missing"]),
        ({"emerging.dev.conll": b"Oslo\n"}, ["cannot be read", "emerging.dev.conll, line 1"]),
    ],
)
def test_check_says_what_is_off(
    changes: dict[str, bytes], says: list[str], data: Verb, server: FileServer, tmp_path: Path
) -> None:
    status, out, _ = data("check", str(write(tmp_path / "copy", **changes)))
    assert status == 1
    for piece in says:
        assert piece in out


def test_check_finds_the_set_that_is_closest(
    data: Verb, server: FileServer, tmp_path: Path
) -> None:
    folder = tmp_path / "conll"
    folder.mkdir()
    for name in ("train.txt", "valid.txt", "test.txt"):
        (folder / name).write_text("Oslo B-LOC\n\n" * 40)
    status, out, _ = data("check", str(folder))
    assert (status, "ner/conll2003" in out) == (1, True)
    assert "50 sentences" in out


def test_check_of_a_collection_with_folders_of_tasks(
    data: Verb, server: FileServer, tmp_path: Path
) -> None:
    """Runs take FOLDER/ner as well as FOLDER/ner/wnut17."""
    (tmp_path / "all" / "snli").mkdir(parents=True)
    write(tmp_path / "all" / "ner")
    status, out, _ = data("check", str(tmp_path / "all"))
    assert status == 1
    assert "snli/snli in" in out
    assert "ner/wnut17 in" in out
    assert out.count("as published") == 3
    for file in (tmp_path / "all" / "ner").iterdir():
        file.unlink()
    status, out, _ = data("check", str(tmp_path / "all"))
    assert status == 1
    assert "snli/snli in" in out
    assert "ner has no files of a published set\n" in out


def test_check_of_a_tasks_folder_with_one_for_each_set(
    data: Verb, server: FileServer, tmp_path: Path
) -> None:
    write(tmp_path / "ner" / "wnut17")
    (tmp_path / "ner" / "wikigold").mkdir()
    status, out, _ = data("check", str(tmp_path / "ner"))
    assert status == 1
    assert "ner/wnut17 in" in out
    assert "ner/wikigold in" in out
    assert out.count("as published") == 3


def test_check_of_nothing(
    data: Verb, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "ner").mkdir()
    monkeypatch.chdir(tmp_path)
    cases = {
        str(tmp_path / "empty"): "no files of a published set",
        "nowhere": "nothing is called 'nowhere'",
        str(tmp_path / "gone"): "gone: no such folder",
        "empty/gone": "empty/gone: no such folder",
        "file": "file is a file",
        "ner/wikigold": "wikigold is not there yet",
        "ner/mini": "ner/mini is built in",
        "glove": "no data set",
    }
    for place, message in cases.items():
        status, _, err = data("check", place)
        assert (status, message in err) == (2, True), place
    status, _, err = data("check", str(tmp_path / "empty"), "--task", "nre")
    assert (status, "--task nre" in err) == (2, True)


def test_a_subset_of_snli_is_called_one(data: Verb, snli_folder: Path) -> None:
    status, out, _ = data("check", str(snli_folder))
    assert status == 1
    assert "550,152 pairs" in out
    assert "60" in out
    assert "a subset, 0.0%" in out


@pytest.mark.parametrize("task", ["srl", "coref"])
def test_ontonotes_is_the_tasks_whose_figures_all_agree(task: str, tmp_path: Path) -> None:
    """The two have other training sets and the same test set."""
    both = [s for each in ("srl", "coref") for s in published(each) if s.name == "conll2012"]
    roles, coreference = (source.counts for source in both)
    held = {split: {**coreference[split], **roles[split]} for split in SPLITS}
    if task == "coref":
        held |= {split: dict(coreference[split]) for split in SPLITS}
    else:
        held |= {
            split: {name: n + (name != "sentences") for name, n in held[split].items()}
            for split in ("train", "dev")
        }
    sources = [replace(each, count=lambda folder, s: Found(folder, held[s])) for each in both]
    assert closest(sources, tmp_path).task == task
