"""Published sets: what is known of each, how it gets here, what can go wrong on the way."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from importlib import import_module
from pathlib import Path

import pytest

import tasks
from elmo_core import fetch as downloads
from elmo_core.errors import FetchError
from tasks.coref.sources import LITBANK
from tasks.data import locate
from tasks.folder_task import FolderTask
from tasks.ner.sources import SOURCES as NER
from tasks.ner.sources import WHOLE, WIKIGOLD, WNUT17
from tasks.ner.task import NER as NERTask
from tasks.snli.sources import SOURCES as SNLI
from tasks.sources import MARK, SPLITS, File, Source, choose, fetch, published
from tasks.sst5.sources import SOURCES as SST5
from tasks.task import DataError
from tests.conftest import shared
from tests.file_server import FileServer, serving

TASKS = tasks.names()
ALL = published()

# --- what is known


def test_every_task_has_an_open_set_and_the_paper_s() -> None:
    for task in TASKS:
        for kind in ("open", "paper"):
            assert choose(_class_of(task).sources, kind) in ALL
    names = [source.folder(Path()) for source in ALL]
    assert len(set(names)) == len(names)


def test_nothing_can_be_left_out() -> None:
    for kind in (Source, File):
        assert all(f.default is f.default_factory is MISSING and f.kw_only for f in fields(kind))
    known = {f.name: getattr(WNUT17, f.name) for f in fields(Source)}
    for name in known:
        with pytest.raises(TypeError, match=name):
            Source(**{key: value for key, value in known.items() if key != name})


@pytest.mark.parametrize("source", ALL, ids=lambda s: f"{s.task}/{s.name}")
def test_the_facts_hold_together(source: Source) -> None:
    task = _class_of(source.task)
    assert source.metric == task.metric
    assert source in task.sources
    assert all((source.title, source.origin, source.version, source.licence, source.citation))
    assert set(source.kinds) <= {"open", "paper"}
    assert (source.obtain is None) == bool(source.files)
    assert set(source.counts) <= {*SPLITS, WHOLE}
    for file in source.files:
        pinned = re.search(r"hf://.*@([0-9a-f]{40})/|github[^/]*/.*/([0-9a-f]{7,40})[./]", file.url)
        assert pinned or file.sha256, file.url
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256 or "0" * 64)


def _class_of(task: str) -> type[FolderTask]:
    module = import_module(f"tasks.{task}")
    (found,) = (c for n in module.__all__ if issubclass(c := getattr(module, n), FolderTask))
    return found


def test_sets_are_chosen_by_name_or_by_what_they_serve_as() -> None:
    assert choose(NER, "open") is WNUT17
    assert choose(NER, "wikigold") is WIKIGOLD
    with pytest.raises(DataError, match=r"'wikigolt'; did you mean 'wikigold'\?: there is wnut17"):
        choose(NER, "wikigolt")


# --- what is counted

FOLDERS = {
    "ner/wnut17": "ner/wnut17",
    "ner/wikigold": "ner/wikigold",
    "srl/propbank-ewt": "srl/propbank-ewt",
    "coref/ontogum": "coref/ontogum",
    "coref/litbank": "coref/litbank",
    "sst5/sst5": "sst5",
    "snli/snli": "snli",
    "squad/squad": "squad",
    "pos/ud-ewt": "pos/ud-ewt",
}
SUBSETS = {("snli/snli", "train"), ("squad/squad", "train"), ("squad/squad", "dev")}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for name in sorted({path.split("/")[0] for path in FOLDERS.values()}):
        with tarfile.open(shared(f"data/{name}.tar.xz")) as archive:
            archive.extractall(folder, filter="data")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_counts_are_those_of_the_real_files(name: str, collection: Path) -> None:
    (source,) = (s for s in ALL if f"{s.task}/{s.name}" == name)
    for split, expected in source.counts.items():
        found = source.count(collection / FOLDERS[name], split)
        if split == "test":
            assert found is None
            continue
        assert found is not None
        if (name, split) in SUBSETS:
            assert all(found.counts[figure] < number for figure, number in expected.items())
        else:
            assert dict(found.counts) == expected


# --- how it gets here


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(downloads, "BACK_OFF", 0.0)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


WORDS = {
    "wnut17train.conll": b"Rolf\tB-person\nsings\tO\n\nOslo\tB-location\n",
    "emerging.dev.conll": b"Oslo\tB-location\n",
    "emerging.test.annotated": b"Rolf\tB-person\n",
}


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving(WORDS) as server:
        yield server


def here(source: Source, server: FileServer) -> Source:
    """The set as this server has it."""
    files = tuple(
        replace(
            file,
            url=f"{server.url}/{file.path}",
            sha256=file.sha256 and hashlib.sha256(server.files[file.path]).hexdigest(),
        )
        for file in source.files
        if file.path in server.files
    )
    return replace(source, files=files)


def test_a_set_is_fetched_once(server: FileServer) -> None:
    source = here(WNUT17, server)
    folder = fetch(source)
    assert {name: (folder / name).read_bytes() for name in WORDS} == WORDS
    assert all(fact in (folder / MARK).read_text() for fact in ("CC BY 4.0", WNUT17.version))
    assert fetch(source) == folder
    assert len(server.asked) == 3


def test_a_run_finds_what_was_fetched(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    source = here(WNUT17, server)
    monkeypatch.setattr(NERTask, "sources", (source, WIKIGOLD))
    for data in ("open", "wnut17"):
        train = NERTask(data=data).load("train")
        assert train is not None
        assert train["tokens"][:] == [["Rolf", "sings"], ["Oslo"]]
    assert len(server.asked) == 3


def test_a_cut_connection_is_resumed(server: FileServer) -> None:
    server.cuts = [10, 5]
    folder = fetch(here(WNUT17, server))
    name = "wnut17train.conll"
    assert (folder / name).read_bytes() == WORDS[name]
    assert server.asked[:3] == [(name, None), (name, "bytes=10-"), (name, "bytes=15-")]


def test_an_interrupted_set_is_not_there_yet(server: FileServer) -> None:
    source = here(WNUT17, server)
    held = server.files.pop("emerging.test.annotated")
    with pytest.raises(FetchError, match=r"emerging\.test\.annotated answered 404"):
        fetch(source)
    assert not source.is_in(source.folder())
    server.files["emerging.test.annotated"] = held
    fetch(source)
    assert [path for path, _ in server.asked].count("wnut17train.conll") == 1


def test_a_file_that_is_not_what_was_published_is_refused(server: FileServer) -> None:
    source = here(WNUT17, server)
    server.files["wnut17train.conll"] += b"more\tO\n"
    with pytest.raises(FetchError, match="checksum"):
        fetch(source)
    server.pages.add("wnut17train.conll")
    with pytest.raises(FetchError, match="web page"):
        fetch(source)
    assert not (source.folder() / "wnut17train.conll").exists()


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_offline(how: str, server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    source = here(WNUT17, server)
    if how == "environment":
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(FetchError) as caught:
        fetch(source, offline=how == "argument")
    target = source.folder() / "wnut17train.conll"
    assert str(target) in str(caught.value)
    assert server.asked == []
    for name, content in WORDS.items():
        (source.folder() / name).write_bytes(content)  # brought from elsewhere
    assert source.is_in(fetch(source, offline=True))


def test_processes_wait_for_each_other(server: FileServer) -> None:
    source = here(WNUT17, server)
    threads = [threading.Thread(target=fetch, args=(source,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.asked) == 3


def test_another_version_is_not_mixed_with_this_one(server: FileServer, tmp_path: Path) -> None:
    source = here(WNUT17, server)
    fetch(source, tmp_path)
    with pytest.raises(DataError, match=r"holds version e52a.* of wnut17, not 2: remove it"):
        fetch(replace(source, version="2"), tmp_path)


def test_a_licensed_set_says_what_to_do(tmp_path: Path) -> None:
    conll = choose(NER, "paper")
    with pytest.raises(DataError, match=r"NIST.*put them into .*ner/conll2003, or .*data\.dir"):
        fetch(conll)
    conll.folder(tmp_path).mkdir(parents=True)
    (conll.folder(tmp_path) / "eng.train").write_bytes(WORDS["wnut17train.conll"])
    assert fetch(conll, tmp_path) == tmp_path / "ner" / "conll2003"


def test_another_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = SNLI
    prefix = f"mirror/datasets/stanfordnlp/snli/resolve/{source.version}/plain_text"
    names = [file.url.rsplit("/", 1)[-1] for file in source.files]
    with serving({f"{prefix}/{name}": name.encode() for name in names}) as server:
        monkeypatch.setenv("HF_ENDPOINT", f"{server.url}/mirror/")
        folder = fetch(source)
    assert (folder / "dev.parquet").read_text() == "validation-00000-of-00001.parquet"


# --- archives


def test_trees_come_out_of_their_archive() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for split in SPLITS:
            archive.writestr(f"trees/{split}.txt", f"(3 (2 {split}) (4 good))\n")
        archive.writestr("trees/.DS_Store", "")
    (source,) = SST5
    with serving({source.files[0].path: content.getvalue()}) as server:
        folder = fetch(here(source, server))
    assert sorted(p.name for p in folder.iterdir() if p.name[0] != ".") == [
        *(MARK, "dev.txt", "test.txt", "train.txt")
    ]
    found = source.count(folder, "dev")
    assert found is not None
    assert (found.counts["sentences"], found.counts["positive"]) == (1, 1)


def litbank(*works: str) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for work in works:
            text = f"#begin document ({work}); part 0\n#end document\n".encode()
            member = tarfile.TarInfo(f"litbank-3e50/coref/conll/{work}_brat.conll")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return content.getvalue()


def test_litbank_is_divided() -> None:
    packed = litbank("11_alices_adventures", "215_the_call_of_the_wild", "4300_ulysses")
    with serving({LITBANK.files[0].path: packed}) as server:
        folder = fetch(here(LITBANK, server))
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*.conll")) == [
        "dev/215_the_call_of_the_wild_brat.conll",
        "test/4300_ulysses_brat.conll",
        "train/11_alices_adventures_brat.conll",
    ]


def test_a_damaged_archive_is_fetched_anew() -> None:
    packed = litbank(*(f"{i}_work" for i in range(200)))
    with serving({LITBANK.files[0].path: packed[:-30]}) as server:
        source = here(LITBANK, server)
        with pytest.raises(FetchError, match="damaged"):
            fetch(source)
        assert not source.is_in(source.folder())
        server.files[LITBANK.files[0].path] = packed
        fetch(source)
        assert len(server.asked) == 2


# --- collections


def test_a_collection_is_searched(tmp_path: Path) -> None:
    for inner in ("ner/wikigold", "ner/wnut17"):
        (tmp_path / inner).mkdir(parents=True)
    (tmp_path / "snli").mkdir()
    assert locate("ner", "open", tmp_path, NER) == tmp_path / "ner" / "wnut17"
    assert locate("ner", "wikigold", tmp_path, NER) == tmp_path / "ner" / "wikigold"
    assert locate("ner", "paper", tmp_path, NER) == tmp_path / "ner"
    assert locate("snli", "open", tmp_path, SNLI) == tmp_path / "snli"
    assert locate("sst5", "open", tmp_path, SST5) == tmp_path
