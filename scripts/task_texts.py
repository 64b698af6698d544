"""The texts of the tasks, one tokenised sentence a line, without labels.

    python scripts/task_texts.py train DATA OUT   # what elmo-mini reads besides books
    python scripts/task_texts.py dev DATA OUT     # SNLI, SQuAD, SST: to measure perplexity on

OUT gets a file a set.
"""

import re
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path

from elmo_core.text.sentences import split_sentences
from elmo_core.text.tokenizer import tokenize
from tasks.base.files import find
from tasks.base.text_files import read_lines
from tasks.snli.data import names, rows
from tasks.squad.data import locate, records_of
from tasks.sst5.data import read

Sentences = Iterator[list[str]]
FIELD = re.compile(r"[^ \t]+")  # other white space is part of a word, as in tasks/srl/columns.py


def snli(folder: Path, split: str) -> Sentences:
    path = find(folder, names(split))
    if path is None:
        sys.exit(f"error: {folder} has no {split} of SNLI")
    for _, pair in rows(path):
        yield tokenize(pair["sentence1"])
        yield tokenize(pair["sentence2"])


def squad(folder: Path, split: str, what: tuple[str, ...] = ("contexts", "questions")) -> Sentences:
    path, before = locate(folder, split), None
    if path is None:
        sys.exit(f"error: {folder} has no {split} of SQuAD")
    for record in records_of(path):
        if "contexts" in what and record["context"] != before:
            yield from split_sentences(record["context"])
        before = record["context"]
        if "questions" in what:
            yield tokenize(record["question"])


def sst5(folder: Path, split: str) -> Sentences:
    found = read(folder, split)
    if found is None:
        sys.exit(f"error: {folder} has no {split} of SST-5")
    for sentence in found:
        yield sentence["words"]


def columns(path: Path, word: int) -> Sentences:
    """A token a line, its word in the column of this number; an empty line behind a sentence, or a
    lone tab.

    What begins with `#` is a comment, but where it is the word itself, such as a hashtag.
    """
    if not path.is_file():
        sys.exit(f"error: {path}: no such file")
    sentence: list[str] = []
    for _, line in read_lines(path):
        if word and line.startswith("#"):
            continue
        if fields := FIELD.findall(line):
            sentence.append(fields[word])
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def train(data: Path) -> Iterator[tuple[str, Sentences]]:
    yield "snli", snli(data / "snli", "train")
    yield "squad", squad(data / "squad", "train")
    yield "sst5", sst5(data / "sst5", "train")
    yield "wnut17", columns(data / "ner/wnut17/wnut17train.conll", 0)
    yield "propbank-ewt", columns(data / "srl/propbank-ewt/train.tsv", 3)
    yield "ontogum", columns(data / "coref/ontogum/train.conll", 3)
    litbank = data / "coref/litbank/train"
    books = sorted(litbank.glob("*.conll"))
    if not books:
        sys.exit(f"error: {litbank} has no .conll of LitBank")
    for path in books:
        yield f"litbank/{path.stem}", columns(path, 3)


def dev(data: Path) -> Iterator[tuple[str, Sentences]]:
    yield "snli", snli(data / "snli", "dev")
    yield "squad_contexts", squad(data / "squad", "dev", ("contexts",))
    yield "squad_questions", squad(data / "squad", "dev", ("questions",))
    yield "sst5", sst5(data / "sst5", "dev")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("split", choices=("train", "dev"))
    parser.add_argument("data", type=Path, help="the open sets, a folder a task")
    parser.add_argument("out", type=Path, help="a folder for the texts")
    given = parser.parse_args()
    for name, sentences in {"train": train, "dev": dev}[given.split](given.data):
        target = given.out / f"{name}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8") as file:
            file.writelines(" ".join(words) + "\n" for words in sentences if words)
