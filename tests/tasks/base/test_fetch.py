"""How a published set gets here: fetched once, resumed, refused, unpacked, found."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from elmo_core.errors import FetchError
from elmo_core.locks import locked
from tasks.base.files import locate
from tasks.base.published import MARK, SPLITS, Source, choose, fetch
from tasks.coref.sources import LITBANK
from tasks.coref.task import Coref
from tasks.ner.sources import SOURCES as NER
from tasks.ner.sources import WIKIGOLD, WNUT17
from tasks.ner.task import NER as NERTask
from tasks.snli.sources import SOURCES as SNLI
from tasks.sst5.sources import SOURCES as SST5
from tasks.task import DataError
from tests.file_server import WNUT17_FILES as FILES
from tests.file_server import FileServer, serving


@pytest.fixture(autouse=True)
def _surroundings(local_downloads: None) -> None: ...


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving(FILES) as server:
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
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
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


def test_an_interrupted_set_is_not_there_yet(server: FileServer) -> None:
    source = here(WNUT17, server)
    held = server.files.pop("emerging.test.annotated")
    with pytest.raises(FetchError, match=r"emerging\.test\.annotated answered 404"):
        fetch(source)
    assert not source.is_in(source.folder())
    assert not (source.folder() / "emerging.test.annotated").exists()
    server.files["emerging.test.annotated"] = held
    fetch(source)
    assert [path for path, _ in server.asked].count("wnut17train.conll") == 1


def test_offline(server: FileServer) -> None:
    source = here(WNUT17, server)
    with pytest.raises(FetchError) as caught:
        fetch(source, offline=True)
    target = source.folder() / "wnut17train.conll"
    assert str(target) in str(caught.value)
    assert server.asked == []
    for name, content in FILES.items():
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
    with pytest.raises(DataError, match="cannot be downloaded"):  # nothing is in it yet
        fetch(conll, tmp_path)
    (conll.folder(tmp_path) / "eng.train").write_bytes(FILES["wnut17train.conll"])
    assert fetch(conll, tmp_path) == tmp_path / "ner" / "conll2003"


def test_another_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = SNLI
    prefix = f"mirror/datasets/stanfordnlp/snli/resolve/{source.version}/plain_text"
    names = [file.url.rsplit("/", 1)[-1] for file in source.files]
    with serving({f"{prefix}/{name}": name.encode() for name in names}) as server:
        monkeypatch.setenv("HF_ENDPOINT", f"{server.url}/mirror/")
        folder = fetch(replace(source, counts={}))
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


def test_an_archive_without_the_trees_is_no_set_and_stays() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("PTB/train.txt", "(3 (2 train) (4 good))\n")
    (source,) = SST5
    with serving({source.files[0].path: content.getvalue()}) as server:
        source = here(source, server)
        for _ in range(2):
            with pytest.raises(DataError, match=r"sst5: no train .*: remove .*downloads, and the"):
                fetch(source)
        assert not source.is_in(source.folder())
        (packed,) = (source.folder() / "downloads").glob("*.zip")
        packed.write_bytes(b"another file, put there by hand")
        with pytest.raises(DataError, match="another file than"):
            fetch(source)
        assert packed.read_bytes() == b"another file, put there by hand"


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


def test_who_waited_prepares_nothing_again() -> None:
    """A download that was prepared is gone: it is the prepared set that is looked for."""
    with serving({LITBANK.files[0].path: litbank("11_alices_adventures")}) as server:
        source = replace(here(LITBANK, server), counts={})
        source.folder().mkdir(parents=True)
        threads = [threading.Thread(target=fetch, args=(source,)) for _ in range(3)]
        with locked(source.folder() / ".lock"):
            for thread in threads:
                thread.start()
            time.sleep(0.3)  # until all have seen that it is not there
        for thread in threads:
            thread.join()
        assert len(server.asked) == 1


# --- collections


def test_a_collection_is_searched(tmp_path: Path) -> None:
    for inner in ("ner/wikigold", "ner/wnut17"):
        (tmp_path / inner).mkdir(parents=True)
    (tmp_path / "snli").mkdir()
    assert locate("ner", "open", tmp_path, NER) == tmp_path / "ner" / "wnut17"
    assert locate("ner", "wikigold", tmp_path, NER) == tmp_path / "ner" / "wikigold"
    assert locate("ner", "paper", tmp_path, NER) == tmp_path / "ner"
    assert locate("ner", "house", tmp_path, NER) == tmp_path / "ner"
    assert locate("ner", "wikigold", tmp_path / "ner", NER) == tmp_path / "ner" / "wikigold"
    copy = tmp_path / "ner" / "wikigold"
    assert locate("ner", "wikigold", copy, NER) == copy
    copy.rmdir()  # what else lies there is not the set that is named
    for folder in (tmp_path, tmp_path / "ner"):
        with pytest.raises(DataError, match=rf"data\.set=wikigold: not in {folder}, .* wnut17"):
            locate("ner", "wikigold", folder, NER)
    assert locate("snli", "open", tmp_path, SNLI) == tmp_path / "snli"
    assert locate("sst5", "open", tmp_path, SST5) == tmp_path


def test_of_several_open_sets_the_first_is_meant(tmp_path: Path) -> None:
    """Another of them that lies there is not read in its place."""
    first, second = (source for source in NER if "open" in source.kinds)
    second.folder(tmp_path).mkdir(parents=True)
    assert locate("ner", "open", tmp_path, NER) == tmp_path / "ner"
    first.folder(tmp_path).mkdir()
    assert locate("ner", "open", tmp_path, NER) == first.folder(tmp_path)


def test_a_named_set_is_not_its_neighbour(tmp_path: Path) -> None:
    """Coreference looks for its files up to three levels down."""
    lines = "#begin document (x); part 000\n" + "\t".join(["x", "0", "0", "Ada", *"--------"])
    for inner in ("ontogum/train.conll", "litbank/train/1_a.conll"):
        (tmp_path / "coref" / inner).parent.mkdir(parents=True)
        (tmp_path / "coref" / inner).write_text(f"{lines}\n#end document\n")
    for folder in (tmp_path, tmp_path / "coref"):
        (path,) = Coref(data="ontogum", folder=folder).paths("train")
        assert path == tmp_path / "coref" / "ontogum" / "train.conll"
        (path,) = Coref(data="open", folder=folder).paths("train")
        assert path == tmp_path / "coref" / "ontogum" / "train.conll"
    shutil.rmtree(tmp_path / "coref" / "ontogum")
    with pytest.raises(DataError, match=r"data\.set=ontogum: not in .*, which has litbank"):
        Coref(data="ontogum", folder=tmp_path).paths("train")


def test_a_task_without_built_in_data_says_what_to_give() -> None:
    with pytest.raises(DataError, match=r"no built-in data for mine: .*data\.dir=FOLDER"):
        locate("mine", "mini", None, [])
