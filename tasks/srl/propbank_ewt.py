"""PropBank's annotation of the English Web Treebank, joined to the words of the treebank.

The release has skeletons: all columns, with `[WORD]` for each word. The words are in the Universal
Dependencies edition of the same treebank. It has corrected tags, words and sentence boundaries
since, so the two are aligned document by document, and what does not match is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain, islice
from pathlib import Path

from elmo_core.downloads.archives import unpack
from elmo_core.whole_files import write_text
from tasks.base.published import SPLITS
from tasks.base.text_files import read_lines
from tasks.formats import ud_ewt
from tasks.formats.conllu import Word, read_conllu
from tasks.task import DataError

RELEASE = "propbank-release.tar.gz"
AGREEMENT = 0.75  # of a sentence's tags, at least
_WORD, _TAG = 3, 4

Row = list[str]


def prepare(downloads: Path, folder: Path) -> None:
    """Write `train.tsv`, `dev.tsv` and `test.tsv` from release and treebank: columns between tabs,
    a blank line after each sentence, documents by name. Raises DataError for files that are not
    what they were."""
    root = downloads / "skeletons"
    paths = unpack(downloads / RELEASE, root, _skeleton)
    skeletons = {_name(path.relative_to(root)): path for path in sorted(paths)}
    for split in SPLITS:
        treebank = read_conllu(downloads / ud_ewt.name(split))
        sentences = {document.name: document.sentences for document in treebank}
        rows = (
            row
            for name, path in skeletons.items()
            if name in sentences
            for sentence in join(read_skeleton(path), sentences[name])
            for row in [*sentence, []]
        )
        write_text(folder / f"{split}.tsv", "".join("\t".join(row) + "\n" for row in rows))


def _skeleton(name: str) -> str | None:
    """Name a skeleton: `…/data/google/ewt/answers/00/x.xml.gold_skel` is
    `answers/00/x.xml.gold_skel`."""
    _, found, path = name.partition("/data/google/ewt/")
    return path if found and path.endswith(".gold_skel") else None


def _name(skeleton: Path) -> str:
    """Return the name of the same document in the treebank: `answers-x`."""
    return f"{skeleton.parts[0]}-{skeleton.name.removesuffix('.xml.gold_skel')}"


def read_skeleton(path: Path) -> list[list[Row]]:
    """Read sentences as rows of fields."""
    sentences: list[list[Row]] = [[]]
    for number, line in read_lines(path):
        fields = line.split()
        if not fields and sentences[-1]:
            sentences.append([])
        elif fields and (len(fields) <= _TAG or fields[_WORD] != "[WORD]"):
            raise DataError(f"{path}, line {number}: expected [WORD] in column {_WORD + 1}")
        elif fields:
            sentences[-1].append(fields)
    return sentences if sentences[-1] else sentences[:-1]


def join(skeleton: list[list[Row]], treebank: list[list[Word]]) -> Iterator[list[Row]]:
    """Give the sentences of a document their words.

    Where skeleton and treebank have equally many tokens, these belong together one by one, and a
    sentence counts if three quarters of its tags agree (it may be two in the treebank). Elsewhere
    whole sentences are aligned, and one counts if all of its tags agree.
    """
    words = list(chain.from_iterable(treebank))
    if len(words) == sum(map(len, skeleton)):
        yield from _one_by_one(skeleton, iter(words))
        return
    ours = [tuple(row[_TAG] for row in sentence) for sentence in skeleton]
    theirs = [tuple(word.tag for word in sentence) for sentence in treebank]
    for i, j, length in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        for k in range(length):
            yield _with_words(skeleton[i + k], treebank[j + k])


def _one_by_one(skeleton: list[list[Row]], words: Iterator[Word]) -> Iterator[list[Row]]:
    for sentence in skeleton:
        theirs = list(islice(words, len(sentence)))
        same = sum(row[_TAG] == word.tag for row, word in zip(sentence, theirs, strict=True))
        if same >= AGREEMENT * len(sentence):
            yield _with_words(sentence, theirs)


def _with_words(sentence: list[Row], words: list[Word]) -> list[Row]:
    return [
        [*row[:_WORD], word.form, *row[_TAG:]] for row, word in zip(sentence, words, strict=True)
    ]
