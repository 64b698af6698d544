"""`python -m bench.data get`: what is fetched, what is refused, what goes on after a cut."""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.data import items
from elmo_core.downloads import glove, presets
from tests.bench.data.conftest import COUNTS, FILES, Verb
from tests.file_server import FileServer, serving


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
    assert data("get", "wnut17", "ner/wnut17") == (0, out, "")  # two names of one set


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


def test_get_offline(data: Verb, server: FileServer) -> None:
    status, _, err = data("get", "wnut17", "--yes", "--offline")
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
    assert f"to fetch wnut17 anew, remove {source.folder()}" in out


def test_get_knows_what_was_meant(data: Verb, server: FileServer) -> None:
    status, _, err = data("get", "wnut")
    assert (status, "did you mean 'wnut17'?" in err) == (2, True)


def test_get_word_vectors(data: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_get_word_vectors_of_one_archive(data: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for dim in (50, 100, 200):
            archive.writestr(f"glove.6B.{dim}d.txt", f"the {dim}\n")
    with serving({"glove.6B.zip": packed.getvalue()}) as server:
        url = f"{server.url}/glove.6B.zip"
        archive_of = glove.Archive(url, hashlib.sha256(packed.getvalue()).hexdigest(), 1)
        names = [f"glove.6B.{dim}d" for dim in (50, 100, 200)]
        monkeypatch.setattr(glove, "VECTORS", dict.fromkeys(names, archive_of))
        fetched, download = list[str](), glove.download

        def counting(url: str, *given: Any, **named: Any) -> Path:
            fetched.append(url)
            return download(url, *given, **named)

        monkeypatch.setattr(glove, "download", counting)
        glove.cached(names[2]).parent.mkdir(parents=True)
        glove.cached(names[2]).write_text("mine")
        assert data("get", *names, "--yes")[0] == 0
    assert fetched == [url]
    found = [glove.find(name).read_text() for name in names]
    assert found == ["the 50\n", "the 100\n", "mine"]


def test_get_weights(data: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"small_options.json": b"{}", "small_weights.hdf5": b"weights"}) as server:
        small = replace(presets.PRESETS["elmo-small"], url=f"{server.url}/small_")
        monkeypatch.setitem(presets.PRESETS, "elmo-small", small)
        assert data("get", "elmo-small", "--yes")[0] == 0
        assert data("get", "elmo-small", "--dir", str(tmp_path), "--yes")[0] == 0
    for folder in (tmp_path / "cache", tmp_path):
        assert (folder / "elmo-small" / "weights.hdf5").read_bytes() == b"weights"
