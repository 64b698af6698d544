"""Text with a part of speech for each word: CoNLL-U, and the Penn Treebank's WSJ."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from datasets import Dataset

from tasks.base.files import find, to_dataset
from tasks.base.text_files import read_lines
from tasks.formats.conllu import read_sentences
from tasks.formats.treebank import unescape
from tasks.task import DataError

UPOS, XPOS = "upos", "xpos"
SECTIONS = {"train": range(19), "dev": range(19, 22), "test": range(22, 25)}  # of the WSJ
PIECE = re.compile(r"[()]|[^\s()]+")
NONE = ("", "_")  # in the place of a tag of CoNLL-U
TRACE = "-NONE-"  # the tag of what is not in the text

log = logging.getLogger(__name__)

Sentence = tuple[str, list[str], list[str]]
"""The document's name, "" if it is not known, tokens and their tags."""


def locate(folder: Path, split: str) -> list[Path]:
    """Find a split's files: one of CoNLL-U, or the treebank's, wherever below `folder` they lie.

    Raises DataError for files of several UD treebanks: the splits may be of different ones.
    """
    named = sorted(path.name for path in folder.glob(f"[!.]*-ud-{split}.conllu"))
    if len(named) > 1:
        raise DataError(f"{folder}: which is {split}, {' or '.join(named)}? Give each a folder")
    conllu = find(folder, (*named, f"{split}.conllu"))
    if conllu is not None:
        return [conllu]
    trees = sorted(folder.rglob("wsj_[0-2][0-9][0-9][0-9].mrg"))
    return [path for path in trees if int(path.stem[4:6]) in SECTIONS[split]]


def files(split: str) -> str:
    """Return the official names of a split's files, for the message that there is none."""
    return f"*-ud-{split}.conllu, {split}.conllu, or the Penn Treebank's wsj_*.mrg"


def check_tags(tags: str) -> None:
    """Raise ValueError where `tags` is neither "upos" nor "xpos"."""
    if tags not in (UPOS, XPOS):
        raise ValueError(f"tags={tags}: unknown (choose {UPOS} or {XPOS})")


def read(folder: Path, split: str, tags: str) -> Dataset | None:
    """Read the sentences of a split.

    Args:
        folder: where its files lie.
        split: "train", "dev" or "test".
        tags: "upos" or "xpos": which tags of CoNLL-U files.

    Returns:
        A Dataset with the columns `id`, `document_id` (see to_dataset; of the treebank, the file),
        `tokens`, `tags`; None if there is no file for the split.

    Raises:
        DataError: a row or tree is malformed; the message names file and line.
    """
    paths = locate(folder, split)
    if not paths:
        return None
    sentences = (sentence for path in paths for sentence in _sentences(path, tags))
    rows = [
        {"id": f"{split}-{number}", "document_id": document, "tokens": tokens, "tags": theirs}
        for number, (document, tokens, theirs) in enumerate(sentences, start=1)
    ]
    if rows and all(token == "_" for row in rows for token in row["tokens"]):
        raise DataError(f"{paths[0]}: every word is _: the words are yet to be put in")
    tokens = sum(len(row["tokens"]) for row in rows)
    log.info("%s: %d sentences, %d tokens", paths[0], len(rows), tokens)
    return to_dataset(rows, paths[0])


def _sentences(path: Path, tags: str) -> Iterator[Sentence]:
    if path.suffix == ".mrg":
        if tags != XPOS:
            raise DataError(f"{path}: the Penn Treebank has its own tags alone: task.tags={XPOS}")
        return ((path.stem, tokens, tags) for tokens, tags in read_trees(path))
    return _read_conllu(path, tags)


def _read_conllu(path: Path, tags: str) -> Iterator[Sentence]:
    for document, words in read_sentences(path):
        found = [word.upos if tags == UPOS else word.tag for word in words]
        missing = [word.line for word, tag in zip(words, found, strict=True) if tag.strip() in NONE]
        if missing:
            line = missing[0]
            raise DataError(f"{path}, line {line}: no {tags.upper()} (task.tags={UPOS} | {XPOS})")
        yield document or "", [word.form for word in words], found


def read_trees(path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Read the leaves of bracketed trees, `( (S (NP (NNP Pierre) …) …) )`, without traces.

    Words come as they are written outside a treebank.

    Raises:
        DataError: a tree is malformed; the message names file and line.
    """
    depth = 0
    opens = False  # whether the last bracket did: behind another one stands neither label nor word
    leaf: list[str] = []  # what the bracket at hand holds, besides brackets
    tokens: list[str] = []
    tags: list[str] = []
    for number, line in read_lines(path):
        for piece in PIECE.findall(line):
            if piece not in ("(", ")"):
                leaf.append(piece)
                continue
            behind, opens = not opens, piece == "("
            depth += 1 if opens else -1
            if depth < 0 or len(leaf) not in ((0, 1) if opens else (0, 2)) or (leaf and behind):
                raise DataError(f"{path}, line {number}: malformed tree at {line.strip()!r}")
            if len(leaf) == 2 and leaf[0] != TRACE:
                tags.append(leaf[0])
                tokens.append(unescape(leaf[1]))
            leaf = []
            if not depth and tokens:
                yield tokens, tags
                tokens, tags = [], []
    if depth or leaf:
        raise DataError(f"{path}: the last tree is not closed, or more follows it")
