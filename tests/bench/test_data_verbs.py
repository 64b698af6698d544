"""`python -m bench.data list|get|check`, against a server on this machine."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.data import items
from bench.data.__main__ import main
from elmo_core import fetch as downloads
from elmo_core import glove, presets
from tasks import sources
from tasks.ner.sources import CONLL2003, WIKIGOLD, WNUT17
from tasks.snli.sources import SOURCES as SNLI
from tests.file_server import FileServer, serving

FILES = {
    "wnut17train.conll": b"Rolf\tB-person\nsings\tO\n\nOslo\tB-location\n",
    "emerging.dev.conll": b"Oslo\tB-location\n",
    "emerging.test.annotated": b"Rolf\tB-person\n",
}
COUNTS = {
    "train": {"sentences": 2, "tokens": 3, "names": 2},
    "dev": {"sentences": 1, "tokens": 1, "names": 1},
    "test": {"sentences": 1},
}


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(downloads, "BACK_OFF", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """Small sets: one to fetch, one to be licensed, one that is a single file."""
    with serving(FILES) as server:
        files = tuple(
            replace(
                file,
                url=f"{server.url}/{file.path}",
                sha256=hashlib.sha256(FILES[file.path]).hexdigest(),
            )
            for file in WNUT17.files
        )
        licensed = {split: {"sentences": 50, "tokens": 60, "names": 60} for split in COUNTS}
        small = [
            replace(WNUT17, files=files, counts=COUNTS),
            WIKIGOLD,
            replace(CONLL2003, counts=licensed),
            *SNLI,
        ]
        known = lambda task=None: [s for s in small if task in (None, s.task)]  # noqa: E731
        for name in ("items", "catalogue", "check"):
            monkeypatch.setattr(f"bench.data.{name}.published", known)
        yield server


@pytest.fixture
def data(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`data("get", …)`: exit status, output, error line."""

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return call


Verb = Callable[..., tuple[int, str, str]]

# --- get


def test_get_shows_licences_fetches_and_checks(
    data: Verb, server: FileServer, tmp_path: Path
) -> None:
    status, out, _ = data("get", "wnut17", "--yes")
    assert status == 0
    assert out.index("licence: CC BY 4.0") < out.index("as published")
    assert "Derczynski et al. 2017" in out
    folder = tmp_path / "cache/data/ner/wnut17"
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    asked = len(server.asked)
    status, out, _ = data("get", "wnut17")  # there already: nothing to ask, nothing to fetch
    assert (status, len(server.asked)) == (0, asked)
    assert "licence:" not in out


def test_get_into_a_folder(data: Verb, server: FileServer, tmp_path: Path) -> None:
    status, _, _ = data("get", "ner/wnut17", "--dir", str(tmp_path / "mine"), "--yes")
    assert status == 0
    assert (tmp_path / "mine/ner/wnut17/emerging.dev.conll").is_file()
    status, out, _ = data("check", str(tmp_path / "mine"))
    assert (status, "ner/wnut17" in out) == (0, True)


def test_get_asks_first(data: Verb, server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, err = data("get", "wnut17")
    assert (status, server.asked) == (2, [])
    assert "licence: CC BY 4.0" in out
    assert "add --yes" in err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    for answer, expected in (("n", 2), ("y", 0)):
        monkeypatch.setattr("bench.data.get.Confirm.ask", lambda *_, a=answer, **__: a == "y")
        assert data("get", "wnut17")[0] == expected


def test_get_goes_on_after_a_cut(data: Verb, server: FileServer, tmp_path: Path) -> None:
    server.cuts = [10, 5, 5, 5, 5]  # one for each attempt
    status, _, err = data("get", "wnut17", "--yes")
    assert status == 2
    assert "the next call goes on from what has arrived" in err
    assert data("get", "wnut17", "--yes")[0] == 0
    (path,) = tmp_path.rglob("wnut17train.conll")
    assert path.read_bytes() == FILES["wnut17train.conll"]
    assert [part for _, part in server.asked[:6]] == [
        *(None, "bytes=10-", "bytes=15-", "bytes=20-", "bytes=25-", "bytes=30-")
    ]


@pytest.mark.parametrize("trouble", ["404", "page", "checksum"])
def test_get_refuses_what_is_not_the_file(trouble: str, data: Verb, server: FileServer) -> None:
    name = "emerging.dev.conll"
    if trouble == "404":
        del server.files[name]
    elif trouble == "page":
        server.pages.add(name)
    else:
        server.files[name] = b"Oslo\tO\n"
    status, _, err = data("get", "wnut17", "--yes")
    assert status == 2
    assert f"{server.url}/{name}" in err
    assert {"404": "404", "page": "web page", "checksum": "checksum"}[trouble] in err
    assert len(err.splitlines()) == 1
    assert data("check", "wnut17")[0] == 2


@pytest.mark.parametrize("how", ["--offline", "HF_HUB_OFFLINE"])
def test_get_offline(
    how: str, data: Verb, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how != "--offline":
        monkeypatch.setenv(how, "1")
    status, _, err = data("get", "wnut17", "--yes", *([how] if how == "--offline" else []))
    assert (status, server.asked) == (2, [])
    assert f"{server.url}/wnut17train.conll" in err


def test_get_says_how_to_obtain_a_licensed_set(data: Verb, server: FileServer) -> None:
    status, out, err = data("get", "conll2003", "--yes")
    assert status == 2
    assert "Reuters' agreement" in out
    assert "NIST" in err
    assert "ner/conll2003" in err


def test_get_reports_a_set_that_differs(
    data: Verb, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source, *_) = items.published()
    other = replace(source, counts={**COUNTS, "dev": {"sentences": 2}})
    for name in ("items", "catalogue", "check"):
        monkeypatch.setattr(f"bench.data.{name}.published", lambda task=None: [other])
    status, out, _ = data("get", "wnut17", "--yes")
    assert status == 1
    assert "a subset, 50.0%" in out


def test_get_knows_what_was_meant(data: Verb, server: FileServer) -> None:
    status, _, err = data("get", "wnut")
    assert (status, "did you mean 'wnut17'?" in err) == (2, True)


def test_get_word_vectors(data: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("glove.840B.300d.txt", "the 1 2\n")
    with serving({"glove.840B.300d.zip": packed.getvalue()}) as server:
        url = f"{server.url}/glove.840B.300d.zip"
        archive_of = glove.Archive(url, hashlib.sha256(packed.getvalue()).hexdigest(), 1)
        monkeypatch.setattr(glove, "VECTORS", {"glove.840B.300d": archive_of})
        status, out, _ = data("get", "glove", "--yes")
    assert status == 0
    assert "Public Domain" in out
    assert glove.find("glove.840B.300d").read_text() == "the 1 2\n"


def test_get_weights(data: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"small_options.json": b"{}", "small_weights.hdf5": b"weights"}) as server:
        small = replace(presets.PRESETS["elmo-small"], url=f"{server.url}/small_")
        monkeypatch.setitem(presets.PRESETS, "elmo-small", small)
        assert data("get", "elmo-small", "--yes")[0] == 0
        assert data("get", "elmo-small", "--dir", str(tmp_path), "--yes")[0] == 0
    for folder in (tmp_path / "cache", tmp_path):
        assert (folder / "elmo-small" / "weights.hdf5").read_bytes() == b"weights"


# --- list


def test_list_says_what_is_there(data: Verb, server: FileServer, tmp_path: Path) -> None:
    status, out, _ = data("list")
    assert status == 0
    assert "missing: get wnut17" in out
    assert "missing: to be licensed" in out
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
    status, _, err = data("list", "nre")
    assert (status, "did you mean 'ner'?" in err) == (2, True)


def test_list_of_all_that_there_is(data: Verb) -> None:
    out = data("list")[1]
    for source in sources.published():
        assert source.name in out


# --- check


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


def test_check_of_nothing(data: Verb, server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    cases = {
        str(tmp_path / "empty"): "no files of a published set",
        "nowhere": "nothing is called 'nowhere'",
        "glove": "no data set",
    }
    for place, message in cases.items():
        status, _, err = data("check", place)
        assert (status, message in err) == (2, True), place
    status, _, err = data("check", str(tmp_path / "empty"), "--task", "nre")
    assert (status, "--task nre" in err) == (2, True)


def test_a_subset_of_snli_is_called_one(data: Verb, tmp_path: Path, snli_folder: Path) -> None:
    status, out, _ = data("check", str(snli_folder))
    assert status == 1
    assert "550,152 pairs" in out
    assert "60" in out
    assert "a subset, 0.0%" in out


# --- the front door


@pytest.mark.parametrize("verb", [(), ("list",), ("get",), ("check",)])
def test_help_has_examples_and_is_quick(verb: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "bench.data", *verb, "--help"]
    started = time.perf_counter()
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert time.perf_counter() - started < 5  # about 0.2 s on a machine that does nothing else
    assert "  python -m bench.data " in said


def test_a_run_on_a_set_by_name(
    bench: Callable[..., int], tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
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
    assert bench(*small, *once, "data=mini", "data.set=wnut17") == 2
