"""The join of PropBank's skeletons and the treebank's words."""

from __future__ import annotations

import io
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from elmo_core.downloads.archives import unpack
from tasks.formats import ud_ewt
from tasks.formats.conllu import Word, read_conllu
from tasks.srl.data import read
from tasks.srl.propbank_ewt import RELEASE, join, prepare
from tasks.task import DataError
from tests.conftest import shared

# --- by hand


def words(text: str) -> list[Word]:
    """`The/DT dog/NN` → words."""
    pairs = (piece.rsplit("/", 1) for piece in text.split())
    return [Word(form, "_", tag, "_", 0) for form, tag in pairs]


def skeleton(*tags: str) -> list[list[str]]:
    """Rows without words: the tags of a sentence, one of which is its verb."""
    return [
        ["d", "0", str(i), "[WORD]", tag, "*", "-", "-", "(V*)" if tag == "VBZ" else "*"]
        for i, tag in enumerate(tags)
    ]


def joined(sentences: Iterable[list[list[str]]], treebank: Iterable[str]) -> list[str]:
    found = join(list(sentences), [words(text) for text in treebank])
    return [" ".join(row[3] for row in sentence) for sentence in found]


def test_equally_many_words_belong_together() -> None:
    sentences = [skeleton("DT", "NN", "VBZ", "."), skeleton("UH", "RB", "JJ", ".")]
    assert joined(sentences, ["A/DT dog/NN barks/VBZ ./.", "oh/UH so/RB loud/RB ./."]) == [
        "A dog barks .",
        "oh so loud .",  # three of four tags agree
    ]
    assert joined(sentences, ["A/DT dog/NN barks/VBZ ./.", "oh/UH so/JJ loud/RB ./."]) == [
        "A dog barks ."
    ]


def test_a_sentence_may_be_two_in_the_treebank() -> None:
    sentences = [skeleton("NN", "VBZ", "UH"), skeleton("RB", ".")]
    assert joined(sentences, ["Dog/NN barks/VBZ", "wow/UH", "So/RB ./."]) == [
        "Dog barks wow",
        "So .",
    ]


def test_elsewhere_sentences_whose_tags_all_agree_are_taken_in_order() -> None:
    sentences = [
        skeleton("NN", "VBZ", "."),
        skeleton("NN", "POS"),  # one word by now
        skeleton("DT", "NN", "VBZ", "."),  # a tag was corrected
        skeleton("NN", "VBZ", "."),
    ]
    treebank = [
        "Dog/NN barks/VBZ ./.",
        "dogs/NNS",
        "A/DT cat/NNP sits/VBZ ./.",
        "Cat/NN is/VBZ ./.",
    ]
    assert joined(sentences, treebank) == ["Dog barks .", "Cat is ."]
    assert joined(sentences[1:], treebank[:2]) == ["Dog barks ."]


def release(path: Path, files: Mapping[str, str]) -> None:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, text in files.items():
            content = text.encode()
            member = tarfile.TarInfo(f"propbank-release-4abade0/data/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


SKELETON = """\
google/ewt/reviews/00/1.xml 0 0 [WORD] NNP (TOP(S(NP*) -     -       (ARG0*)
google/ewt/reviews/00/1.xml 0 1 [WORD] VBZ (VP*)       sing  sing.01 (V*)
google/ewt/reviews/00/1.xml 0 2 [WORD] .   *))         -     -       *

"""
CONLLU = """\
# newdoc id = reviews-1
# text = Rolf sings.
1-2\tRolf's\t_\t_\t_\t_\t_\t_\t_\t_
1\tRolf\tRolf\tPROPN\tNNP\t_\t0\troot\t_\t_
2\tsings\tsing\tVERB\tVBZ\t_\t1\tx\t_\tSpaceAfter=No
2.1\tsings\tsing\tVERB\tVBZ\t_\t_\t_\t_\t_
3\t.\t.\tPUNCT\t.\t_\t1\tx\t_\t_

# newdoc id = reviews-2
1\tNo\tno\tDET\tDT\t_\t0\troot\t_\t_

"""


def downloads(folder: Path, text: str = SKELETON, treebank: str = CONLLU) -> Path:
    folder.mkdir()
    for split in ("train", "dev", "test"):
        (folder / ud_ewt.name(split)).write_text(treebank)
    release(folder / RELEASE, {"google/ewt/reviews/00/1.xml.gold_skel": text, "frames.txt": ""})
    return folder


def test_the_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    prepare(downloads(tmp_path / "downloads"), tmp_path)
    assert (tmp_path / "dev.tsv").read_text() == (
        "google/ewt/reviews/00/1.xml\t0\t0\tRolf\tNNP\t(TOP(S(NP*)\t-\t-\t(ARG0*)\n"
        "google/ewt/reviews/00/1.xml\t0\t1\tsings\tVBZ\t(VP*)\tsing\tsing.01\t(V*)\n"
        "google/ewt/reviews/00/1.xml\t0\t2\t.\t.\t*))\t-\t-\t*\n\n"
    )
    examples = read(tmp_path, "test")
    assert examples is not None
    assert examples[0]["tags"] == ["B-ARG0", "B-V", "O"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"text": SKELETON.replace("[WORD] VBZ", "sings VBZ")}, r"line 2: expected \[WORD\]"),
        ({"treebank": CONLLU.replace("\t0\troot", "\troot")}, r"line 4: expected 10 columns"),
        ({"treebank": CONLLU.replace("newdoc", "doc")}, r"line 4: no '# newdoc id =' before it"),
    ],
)
def test_other_files_are_refused(changes: dict[str, str], says: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=says):
        prepare(downloads(tmp_path / "downloads", **changes), tmp_path)


# --- against the real words: the skeletons are made of the joined file, so what the join drops is
# put back as a sentence that no longer fits


def skeletons(path: Path, treebank: Path) -> dict[str, str]:
    documents: defaultdict[str, dict[int, list[list[str]]]] = defaultdict(dict)
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines()]
        if rows:
            documents[rows[0][0]][int(rows[0][1])] = rows
    theirs = {document.name: document.sentences for document in read_conllu(treebank)}
    files = {}
    for name, kept in documents.items():
        genre, _, file = name.removeprefix("google/ewt/").split("/")
        sentences = theirs[f"{genre}-{file.removesuffix('.xml')}"]
        files[f"{name}.gold_skel"] = "\n".join(_skeleton(kept, sentences))
    return files


def _skeleton(kept: dict[int, list[list[str]]], sentences: list[list[Word]]) -> Iterable[str]:
    total = sum(map(len, kept.values())) == sum(map(len, sentences))
    corrected = not total and any(
        row[4] != word.tag
        for number, rows in kept.items()
        for row, word in zip(rows, sentences[number], strict=True)
    )
    for number in range(max(kept) + 1 if total else len(sentences)):
        rows = kept.get(number)
        if rows is None:  # as many words where other tags were corrected too, else one more
            size = len(sentences[number]) + (not corrected)
            rows = [["d", str(number), str(i), "", "XX", "*", "-", "-"] for i in range(size)]
        yield "".join("  ".join([*row[:3], "[WORD]", *row[4:]]) + " \n" for row in rows)


def same_as_the_shared_file(split: str, folder: Path) -> bool:
    given, made = folder / "downloads", folder / "made"
    for name, inner in (("srl", f"{split}.tsv"), ("pos", f"en_ewt-ud-{split}.conllu")):
        archive = folder / name
        archive.write_bytes(shared(f"data/{name}.tar.xz").read_bytes())
        unpack(archive, given, lambda path, inner=inner: inner if path.endswith(inner) else None)
    for other in {"train", "dev", "test"} - {split}:
        (given / ud_ewt.name(other)).write_text("")
    expected = given / f"{split}.tsv"
    release(given / RELEASE, skeletons(expected, given / ud_ewt.name(split)))
    prepare(given, made)
    return (made / expected.name).read_bytes() == expected.read_bytes()


def test_the_development_set_is_joined_byte_for_byte(tmp_path: Path) -> None:
    assert same_as_the_shared_file("dev", tmp_path)


@pytest.mark.slow
def test_the_training_set_is_joined_byte_for_byte(tmp_path: Path) -> None:
    assert same_as_the_shared_file("train", tmp_path)
