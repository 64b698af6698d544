"""Small files that stand for large ones."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from elmo_core.downloads import archives
from elmo_core.downloads.archives import unpack
from elmo_core.errors import FetchError
from tasks.base import text_files
from tasks.base.text_files import read_lines
from tasks.squad import data as squad
from tasks.sst5 import data as sst5
from tasks.task import DataError
from tasks.wsd.corpus import read_sentences

LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE corpus [\n<!ENTITY a0 "ha ">\n'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">\n' for i in range(1, 10))
    + ']>\n<corpus><sentence id="s"><wf>&a9;</wf></sentence></corpus>\n'
)
OUTSIDE = (
    '<!DOCTYPE corpus [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'
    '<corpus><sentence id="s"><wf>&x;</wf></sentence></corpus>\n'
)


ELSEWHERE = (
    '<!DOCTYPE corpus SYSTEM "corpus.dtd">\n'
    '<corpus><sentence id="s"><wf>caf&eacute;</wf></sentence></corpus>\n'
)


@pytest.mark.parametrize(
    ("text", "line"),
    [(LAUGHS, 3), (OUTSIDE, 1), (ELSEWHERE, 2)],
    ids=["laughs", "outside", "elsewhere"],
)
def test_entities_of_xml_are_not_read(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "x.data.xml"
    path.write_text(text)
    with pytest.raises(DataError, match=rf"x\.data\.xml, line {line}: <!ENTITY \w+> is not read"):
        list(read_sentences(path))


def test_a_long_sentence_of_sentiment_is_refused(tmp_path: Path) -> None:
    tree = "(2 (2 a) " * 30_000 + "(2 b)" + ")" * 30_000
    (tmp_path / "train.txt").write_text(tree)
    with pytest.raises(DataError, match=r"train\.txt, line 1: a sentence of 30001 words"):
        sst5.read(tmp_path, "train", 3)


def test_a_long_paragraph_has_few_questions(tmp_path: Path) -> None:
    question = '{"id": "q", "question": "Q", "answers": [{"text": "a", "answer_start": 0}]}'
    questions = ", ".join(question.replace('"q"', f'"{i}"') for i in range(101))
    paragraph = f'{{"context": "{"a " * 50_000}", "qas": [{questions}]}}'
    (tmp_path / "dev.json").write_text(f'{{"data": [{{"paragraphs": [{paragraph}]}}]}}')
    with pytest.raises(DataError, match="paragraph 0: 101 questions on 100000 characters"):
        squad.read(tmp_path, "dev")


@pytest.mark.parametrize("content", [b"x" * 300_000, b"x\n" * 150_000], ids=["one line", "many"])
def test_a_gz_unpacks_to_a_multiple_of_its_size(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "LONGEST", 1000)
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(DataError, match=r"x\.gz, line \d+: more than"):
        list(read_lines(path))


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "FREE", 1 << 20)
    monkeypatch.setattr(archives, "TIMES", 2)


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small", b"x")
        archive.writestr("large", bytes(4 << 20))


def several(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in "abcd":
            archive.writestr(name, bytes(1 << 19))


def tarred(path: Path, size: int = 4 << 20) -> None:
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("large")
        member.size = size
        archive.addfile(member, io.BytesIO(bytes(size)))


def sparse(path: Path) -> None:
    """A header that says: 20 GB, of which nothing is stored."""
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("large")
        size = str(20 << 30)
        member.pax_headers = {
            "GNU.sparse.major": "0",
            "GNU.sparse.minor": "1",
            "GNU.sparse.size": size,
            "GNU.sparse.realsize": size,
            "GNU.sparse.map": f"{size},0",
        }
        archive.addfile(member)


def trailing(path: Path) -> None:
    """Nothing after the end of the archive but zeros."""
    path.write_bytes(gzip.compress(bytes(8 << 20)))


@pytest.mark.parametrize("pack", [zipped, several, tarred, sparse, trailing])
@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.usefixtures("bounded")
def test_an_archive_unpacks_to_a_multiple_of_its_size(pack, wanted: bool, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    pack(archive)
    if not wanted and pack in (zipped, several):  # what is not wanted of a zip is not read
        assert unpack(archive, tmp_path / "out", lambda _: None) == []
        return
    with pytest.raises(FetchError, match="archive: not unpacked: more comes out of it than 1 MiB"):
        unpack(archive, tmp_path / "out", lambda name: name if wanted else None)
    assert list((tmp_path / "out").iterdir()) == []
    assert archive.exists()


def test_a_header_is_no_bomb(tmp_path: Path) -> None:
    """tarfile would read it whole."""
    head = tarfile.TarInfo("x")
    head.type, head.size = tarfile.XHDTYPE, 1 << 28
    with gzip.open(tmp_path / "a", "wb") as file:
        file.write(head.tobuf(tarfile.USTAR_FORMAT) + bytes(1 << 20))
    with pytest.raises(FetchError, match="a: not unpacked: a header of 268,435,456 bytes"):
        unpack(tmp_path / "a", tmp_path / "out", lambda name: name)
