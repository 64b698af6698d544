"""prepare: what it writes, what it refuses, and that it goes on where it was stopped."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from elmo_core.errors import TextError
from elmo_core.pretraining import prepare as preparing
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.prepare import Request, prepare
from elmo_core.pretraining.vocabulary import Vocabulary

SIDES = ("train", "heldout")
HALF = Request(heldout=0.5, min_count=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two texts of 400 different sentences each."""
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("a", "b"):
        lines = (f"{name} sentence number {i} .\n" for i in range(400))
        (texts / name).write_text("".join(lines))
    return texts


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_every_sentence_lands_on_one_side_in_whole_blocks(folder: Path, tmp_path: Path) -> None:
    report = prepare([folder], tmp_path / "out", HALF)
    for name in ("a", "b"):
        train, heldout = (lines(tmp_path / f"out/{side}/texts/{name}") for side in SIDES)
        assert sorted(train + heldout) == sorted(lines(folder / name))
        assert len(heldout) % preparing.BLOCK == 0
    assert report.tokens + report.heldout_tokens == 800 * 5
    assert 0 < report.heldout_tokens < 800 * 5


def test_more_texts_move_no_sentence_to_the_other_side(folder: Path, tmp_path: Path) -> None:
    prepare([folder], tmp_path / "both", HALF)
    prepare([folder / "a"], tmp_path / "one", Request(heldout=0.5, min_count=1))
    assert lines(tmp_path / "one/train/a") == lines(tmp_path / "both/train/texts/a")


def test_a_compressed_text_gives_the_same_corpus(folder: Path, tmp_path: Path) -> None:
    whole = prepare([folder], tmp_path / "whole", HALF)
    (folder / "a.gz").write_bytes(gzip.compress((folder / "a").read_bytes()))
    (folder / "a").unlink()
    assert prepare([folder], tmp_path / "out", HALF) == whole
    assert lines(tmp_path / "out/train/texts/a") == lines(tmp_path / "whole/train/texts/a")


def test_what_a_killed_process_left_is_removed(folder: Path, tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as dead:
        pass
    folders = [
        tmp_path / "out" / name for name in ("train/texts", "heldout/texts", "encoded/train")
    ]
    left = [path / f".a.0123abcd.{dead.pid}.tmp" for path in folders]
    at_work = folders[0] / f".a.0123abcd.{os.getpid()}.tmp"
    for path in (*left, at_work):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half of it")
    prepare([folder], tmp_path / "out", HALF)
    assert not any(path.exists() for path in left)
    assert at_work.exists()


def test_a_text_called_as_the_folder_of_another(folder: Path, tmp_path: Path) -> None:
    (folder / "b.gz").write_bytes(gzip.compress((folder / "b").read_bytes()))
    (folder / "b").unlink()
    (folder / "b").mkdir()
    (folder / "b" / "c").write_text("A text .\n")
    with pytest.raises(TextError, match=r"b\.gz and .*b/c: one would be a file where"):
        prepare([folder], tmp_path / "out", HALF)
    assert not (tmp_path / "out").exists()


def test_the_vocabulary_is_sorted_by_count_and_its_coverage_right(
    text: Path, tmp_path: Path
) -> None:
    report = prepare([text], tmp_path / "out", Request(heldout=0.3, max_words=4))
    words = Vocabulary.read(tmp_path / "out" / "vocabulary.txt").words
    assert words[:6] == ("<S>", "</S>", "<UNK>", ".", "a", "the")  # 1 each a sentence, by alphabet
    assert (len(words), report.vocabulary) == (7, 7)
    train = (tmp_path / "out/train/text.txt").read_text().split()
    assert report.coverage == sum(word in words for word in train) / len(train)


def test_a_second_call_does_only_what_is_left(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    read = preparing.read_sentences

    def dying(path: Path, form: str) -> Iterator[list[str]]:
        yield from read(path, form)
        if path.name == "b":
            raise SystemError("killed")

    def watched(path: Path, form: str) -> Iterator[list[str]]:
        asked.append(path.name)
        return read(path, form)

    monkeypatch.setattr(preparing, "read_sentences", dying)
    with pytest.raises(SystemError):
        prepare([folder], tmp_path / "out", HALF)
    monkeypatch.setattr(preparing, "read_sentences", watched)
    first = prepare([folder], tmp_path / "out", HALF)
    assert asked == ["b"]
    assert prepare([folder], tmp_path / "out", HALF) == first
    assert asked == ["b"]


def test_what_it_wrote_below_the_texts_is_no_text(folder: Path) -> None:
    first = prepare([folder], folder / "corpus", HALF)
    assert prepare([folder], folder / "corpus", HALF) == first
    (folder / "c").write_text("one more .\n")
    with pytest.raises(CorpusError, match="begun with other texts"):
        prepare([folder], folder / "corpus", HALF)


def test_a_broken_line_is_told_before_anything_is_made(folder: Path, tmp_path: Path) -> None:
    """So that the same command goes on with the text once it is mended."""
    mended = (folder / "b").read_bytes()
    (folder / "b").write_bytes(b"fine\nbroken \xff\n" + mended)
    with pytest.raises(TextError, match=r"b, line 2"):
        prepare([folder], tmp_path / "out", HALF)
    assert not (tmp_path / "out").exists()
    (folder / "b").write_bytes(mended)
    assert prepare([folder], tmp_path / "out", HALF).heldout_tokens > 0


def test_another_request_is_refused(folder: Path, tmp_path: Path) -> None:
    prepare([folder], tmp_path / "out", HALF)
    with pytest.raises(CorpusError, match="begun with other texts or settings"):
        prepare([folder], tmp_path / "out", Request(heldout=0.5, min_count=3))


def test_a_text_that_has_changed_is_refused_whatever_its_size(folder: Path, tmp_path: Path) -> None:
    prepare([folder], tmp_path / "out", HALF)
    (folder / "b").write_text((folder / "b").read_text().replace("number 7 ", "number 8 "))
    with pytest.raises(CorpusError, match="begun with other texts or settings"):
        prepare([folder], tmp_path / "out", HALF)


def test_a_folder_of_an_older_version_is_refused(folder: Path, tmp_path: Path) -> None:
    """It knows the sizes of its texts alone: whether they are still the same, nobody can say."""
    prepare([folder], tmp_path / "out", HALF)
    path = tmp_path / "out" / preparing.SETTINGS
    begun = json.loads(path.read_text())
    sizes = {name: (tmp_path / name).stat().st_size for name in begun["files"]}
    path.write_text(json.dumps({**begun, "schema": 1, "files": sizes}))
    with pytest.raises(CorpusError, match="by an older version: choose another folder"):
        prepare([folder], tmp_path / "out", HALF)


@pytest.mark.parametrize(
    ("content", "share", "message"),
    [("", 0.5, "no sentence to train on"), ("a b\n", 0.0, "there are no more: give more text")],
)
def test_a_corpus_without_text(tmp_path: Path, content: str, share: float, message: str) -> None:
    (tmp_path / "text").write_text(content)
    with pytest.raises(CorpusError, match=message):
        prepare([tmp_path / "text"], tmp_path / "out", Request(heldout=share, min_count=1))
    assert not (tmp_path / "out").exists()


def test_after_a_text_too_short_other_settings_can_begin_there(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (out / "train" / "texts").mkdir(parents=True)
    (out / "train" / "texts" / "of the user").write_text("kept")
    with pytest.raises(CorpusError, match="nothing is held out"):
        prepare([folder], out, Request(heldout=0.0))
    assert [path.name for path in out.rglob("*") if path.is_file()] == ["of the user"]
    assert prepare([folder], out, HALF) == prepare([folder], tmp_path / "fresh", HALF)


def test_a_text_too_short_names_a_share_that_is_enough(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nothing is held out") as caught:
        prepare([folder / "a"], tmp_path / "out", Request(heldout=0.1))
    share = float(str(caught.value).rpartition("--heldout ")[2])
    assert prepare([folder / "a"], tmp_path / "out", Request(heldout=share)).heldout_tokens == 500


def test_what_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="no such file"):
        prepare([tmp_path / "gone"], tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TextError, match="no text"):
        prepare([tmp_path / "empty"], tmp_path / "out")


def test_a_vocabulary_needs_its_boundaries(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("the\n<S>\n</S>\n")
    with pytest.raises(CorpusError, match="first three words must be <S>, </S>, <UNK>"):
        Vocabulary.read(tmp_path / "words")
