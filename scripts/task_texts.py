"""The training texts of the tasks, one tokenised sentence a line: elmo-mini reads them too.

Usage: python scripts/task_texts.py DATA OUT

DATA holds the open sets, a folder a task. Only training parts are read, and no labels.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from elmo_core.pretraining.sentences import split_sentences
from elmo_core.tokenizer import tokenize
from tasks.data import read_jsonl
from tasks.sst5.data import read

Sentences = Iterator[list[str]]


def snli(folder: Path) -> Sentences:
    for _, pair in read_jsonl(folder / "snli_1.0_train.jsonl"):
        yield tokenize(pair["sentence1"])
        yield tokenize(pair["sentence2"])


def squad(folder: Path) -> Sentences:
    articles = json.loads((folder / "train-v1.1.json").read_text(encoding="utf-8"))["data"]
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield from split_sentences(paragraph["context"])
            for question in paragraph["qas"]:
                yield tokenize(question["question"])


def sst5(folder: Path) -> Sentences:
    for sentence in read(folder, "train") or []:
        yield sentence["words"]


def columns(path: Path, word: int) -> Sentences:
    """A token a line, its word in the column of this number; an empty line behind a sentence."""
    sentence: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if line.strip():
            sentence.append(line.split()[word])
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def all_texts(data: Path) -> Iterator[tuple[str, Sentences]]:
    yield "snli", snli(data / "snli")
    yield "squad", squad(data / "squad")
    yield "sst5", sst5(data / "sst5")
    yield "wnut17", columns(data / "ner/wnut17/wnut17train.conll", 0)
    yield "propbank-ewt", columns(data / "srl/propbank-ewt/train.tsv", 3)
    yield "ontogum", columns(data / "coref/ontogum/train.conll", 3)
    for path in sorted((data / "coref/litbank/train").glob("*.conll")):
        yield f"litbank/{path.stem}", columns(path, 3)


if __name__ == "__main__":
    data, out = map(Path, sys.argv[1:])
    for name, sentences in all_texts(data):
        target = out / f"{name}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8") as file:
            file.writelines(" ".join(words) + "\n" for words in sentences if words)
