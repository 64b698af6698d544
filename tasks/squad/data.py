"""SQuAD 1.1 readers: the official JSON, which SquadShifts shares, and the hub's parquet files."""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from datasets import Dataset

from tasks.base.files import find, to_dataset
from tasks.base.parquet import read_rows, read_schema
from tasks.base.text_files import read_json
from tasks.squad.tokens import Tokens, tokenise
from tasks.task import DataError

COPIES = 10_000_000  # characters of a paragraph, times its questions: each has a copy of it

log = logging.getLogger(__name__)


def names(split: str) -> list[str]:
    """Return the names that a split's file may have, in order of preference."""
    return [f"{split}-v1.1.json", f"{split}.json", f"{split}.parquet"]


def read(folder: Path, split: str, longest: int | None = None) -> Dataset | None:
    """Read the questions of a split; how many answers do not align with words is logged.

    Columns: `id`; `document_id`, the title of the article (see to_dataset); `context`, the
    paragraph as it is; `tokens`, its words, with the characters `starts` and `ends` of each;
    `question`, its words; `answers`, the acceptable texts; `spans`, the [first, last] word of each
    answer, or of the fewest words that cover it. A paragraph of more than `longest` words is cut
    to so many around the first answer. None if `folder` has no file for the split.
    """
    path = locate(folder, split)
    if path is None:
        return None
    tally: Counter[str] = Counter()
    dataset = to_dataset(_examples(records_of(path), path, longest, tally), path)
    log.info(
        "%s: %d questions, %d of %d answers not at the edges of words%s",
        *(path, len(dataset), tally["astray"], tally["answers"]),
        f", paragraphs of {tally['cut']} cut to {longest} words" if tally["cut"] else "",
    )
    return dataset


def locate(folder: Path, split: str) -> Path | None:
    """Find a file of an official name; for dev, the only other JSON file will do."""
    found = find(folder, names(split))
    if found is not None or split != "dev":
        return found
    paths = sorted(folder.glob("*.json"))
    others = [path for path in paths if not path.name.startswith(("train", "test", "."))]
    if len(others) > 1:
        listed = ", ".join(path.name for path in others)
        raise DataError(f"{folder}: which is dev? Rename one of {listed} to {names('dev')[0]}")
    return others[0] if others else None


# -- from a record to an example


def _examples(
    records: Iterator[dict[str, Any]], path: Path, longest: int | None, tally: Counter[str]
) -> Iterator[dict[str, Any]]:
    text, tokens = "", Tokens([], [], [])
    for record in records:
        where = f"{path}, question {record['id']}"
        if record["context"] != text:  # a paragraph's questions follow one another
            text = record["context"]
            tokens = tokenise(text)
        example, aligned = _example(record, tokens, where)
        tally["answers"] += len(aligned)
        tally["astray"] += aligned.count(False)
        if longest is not None and len(tokens.words) > longest:
            tally["cut"] += 1
            example = _cut(example, longest)
        yield example


def _example(
    record: Mapping[str, Any], tokens: Tokens, where: str
) -> tuple[dict[str, Any], list[bool]]:
    """Make the example, and say which of its answers begin and end where words do."""
    example = unanswered(record["context"], tokens, record["question"])
    if not (example["tokens"] and example["question"]):
        raise DataError(f"{where}: the {'question' if example['tokens'] else 'paragraph'} is empty")
    texts, starts = record["answers"]["text"], record["answers"]["answer_start"]
    if not texts:
        raise DataError(f"{where}: no answer (SQuAD 1.1 is read here, in which every one has some)")
    spans = [
        _span(record["context"], tokens, text, start, where)
        for text, start in zip(texts, starts, strict=True)
    ]
    aligned = [
        tokens.starts[first] == start and tokens.ends[last] == start + len(text)
        for (first, last), text, start in zip(spans, texts, starts, strict=True)
    ]
    named = {"id": record["id"], "document_id": record.get("title", "")}
    return {**named, **example, "answers": texts, "spans": spans}, aligned


def unanswered(context: str, tokens: Tokens, question: str) -> dict[str, Any]:
    """Return what an example says of a paragraph, with its tokens, and of a question."""
    return {
        "context": context,
        "tokens": tokens.words,
        "starts": tokens.starts,
        "ends": tokens.ends,
        "question": tokenise(question).words,
    }


def _span(context: str, tokens: Tokens, text: str, start: int, where: str) -> list[int]:
    """Find the first and the last of the fewest words that cover the answer."""
    if start < 0 or context[start : start + len(text)] != text:
        there = context[start : start + len(text)] if 0 <= start < len(context) else ""
        raise DataError(f"{where}: answer {text!r} is not at answer_start {start}, but {there!r}")
    first = bisect_right(tokens.ends, start)
    last = bisect_left(tokens.starts, start + len(text)) - 1
    if not text.strip() or first > last:
        raise DataError(f"{where}: answer {text!r} has no word")
    return [first, last]


def _cut(example: dict[str, Any], longest: int) -> dict[str, Any]:
    """Keep `longest` words of the example's paragraph, with the first answer somewhere in them.

    Where it lies is drawn, by the example's id: a fixed place would give the answer away.
    """
    (first, last), total = example["spans"][0], len(example["tokens"])
    earliest, latest = max(last + 1 - longest, 0), min(first, total - longest)
    begin = Random(example["id"]).randint(min(earliest, latest), latest)
    end = begin + longest
    inside = [[i - begin, j - begin] for i, j in example["spans"] if begin <= i and j < end]
    clipped = [first - begin, min(last, end - 1) - begin]  # longer than all that is kept
    words = {key: example[key][begin:end] for key in ("tokens", "starts", "ends")}
    return {**example, **words, "spans": inside or [clipped]}


# -- from a file to the hub's records: id, question, context, answers {text, answer_start}


def records_of(path: Path) -> Iterator[dict[str, Any]]:
    """Read the questions of a file in either edition; `title` is "" where none is told."""
    return (_read_parquet if path.suffix == ".parquet" else _read_json)(path)


def _read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    columns = ["id", "question", "context", "answers"]
    titles = ["title"] if "title" in read_schema(path).names else []
    for number, row in read_rows(path, *columns, *titles):
        where = f"{path}, row {number}"
        answers = _field(row, "answers", dict, where)
        texts = _field(answers, "text", list, where)
        starts = _field(answers, "answer_start", list, where)
        if len(texts) != len(starts):
            raise DataError(f"{where}: expected an answer_start for each text")
        pairs = zip(texts, starts, strict=True)
        listed = [{"text": text, "answer_start": start} for text, start in pairs]
        context = _field(row, "context", str, where)
        yield _record({**row, "answers": listed}, _title(row), context, path, where)


def _read_json(path: Path) -> Iterator[dict[str, Any]]:
    """Read articles of paragraphs of questions."""
    content = read_json(path)
    for i, article in enumerate(_field(content, "data", list, str(path))):
        title = _title(article)
        for j, paragraph in enumerate(_field(article, "paragraphs", list, f"{path}, article {i}")):
            where = f"{path}, article {i}, paragraph {j}"
            context = _field(paragraph, "context", str, where)
            questions = _field(paragraph, "qas", list, where)
            if len(context) * len(questions) > COPIES:
                raise DataError(
                    f"{where}: {len(questions)} questions on {len(context)} characters are too many"
                )
            for k, question in enumerate(questions):
                yield _record(question, title, context, path, f"{where}, question {k}")


def _title(article: Any) -> str:
    title = article.get("title") if isinstance(article, dict) else None
    return title if isinstance(title, str) else ""


def _record(question: Any, title: str, context: str, path: Path, where: str) -> dict[str, Any]:
    identifier = _field(question, "id", str, where)
    where = f"{path}, question {identifier}"
    answers = _field(question, "answers", list, where)
    return {
        "id": identifier,
        "title": title,
        "question": _field(question, "question", str, where),
        "context": context,
        "answers": {
            "text": [_field(answer, "text", str, where) for answer in answers],
            "answer_start": [_field(answer, "answer_start", int, where) for answer in answers],
        },
    }


def _field(node: Any, key: str, kind: type, where: str) -> Any:
    value = node.get(key) if isinstance(node, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):  # to Python, true is the number 1
        raise DataError(f"{where}: expected a key {key!r} with a {kind.__name__}")
    return value
