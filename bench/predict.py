"""`python -m bench.predict RUN`: a trained head on new text.

One example a line, read as it comes, answered in batches; one JSON object a line comes out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any

from bench.errors import RunError, exit_status
from bench.options import add_trust
from elmo_core import strict_json
from elmo_core.arguments import path, whole_number
from elmo_core.help_text import HelpText
from elmo_core.imports import importing_torch

EXAMPLES = """examples:
  echo "A film without a heart." | python -m bench.predict runs/sst5/RUN
  echo '{"premise": "A man sleeps.", "hypothesis": "He runs."}' |
      python -m bench.predict runs/snli/RUN
  python -m bench.predict runs/squad/RUN --input in.jsonl --output out.jsonl

A line is a JSON object with the task's fields, which its card names (tasks/NAME/README.md), or,
where all it reads is `text`, plain text. A file of tokens in columns (CoNLL) is not read as one:
give {"tokens": ["Anna", "Reed", …]}, a sentence a line.
"""

COLUMNS = re.compile(r"-DOCSTART-|#begin document|.*\S\t|.*\s[BIES]-[A-Z]+\s*$")
"""Rows of files that have a token a line, in columns. Few texts look like one."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    parser = argparse.ArgumentParser(
        "python -m bench.predict",
        description="A trained head on new text.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    parser.add_argument("run", type=path, help="folder of a finished run: runs/TASK/RUN_ID")
    parser.add_argument(
        "--input",
        type=os.path.expanduser,
        default="-",
        help="file; - (the default) is standard input",
    )
    parser.add_argument("--output", type=path, help="file to make (default: standard output)")
    parser.add_argument(
        "--batch-size", type=whole_number, default=32, help="lines at a time (default: 32)"
    )
    add_trust(parser)
    given = parser.parse_args(arguments)
    with exit_status(debug=False), ExitStack() as files:
        for replaced in (given.output, _part(given.output)) if given.output else ():
            if _same_file(replaced, given.input):
                what = f"{replaced} is the input, which it would replace"
                raise RunError(f"--output {given.output}: {what}")
        predict = Predictor(given.run, given.trust)
        lines = files.enter_context(_opened(given.input))
        out = files.enter_context(_whole(given.output) if given.output else _standard_output())
        if lines.isatty():
            example = json.dumps(predict.task.example_input)
            print(f"type a line, such as {example}; Ctrl-D ends", file=sys.stderr)
        numbered = _told_of_columns(enumerate(lines, start=1))
        while batch := list(islice(numbered, 1 if lines.isatty() else given.batch_size)):
            for row in predict(batch):
                print(json.dumps(row, ensure_ascii=False), file=out, flush=True)


@contextmanager
def _whole(path: Path) -> Iterator[IO[str]]:
    """Give a file beside `path` that takes its place once all lines are answered.

    If something stops that, what was at `path` is still there, and the answers are beside it. A
    device or a pipe, such as /dev/stdout, is written to.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as file:
            yield file
        return
    part = _part(path)
    try:
        file = part.open("w", encoding="utf-8")
    except OSError as error:
        error.filename = str(path)
        raise
    with file:
        try:
            yield file
        except BaseException:
            file.flush()
            if part.stat().st_size:
                print(f"the answers so far are in {part}", file=sys.stderr)
            else:
                part.unlink()
            raise
    part.replace(path)


def _part(path: Path) -> Path:
    """Return the file that the answers for `path` are collected in."""
    return Path(f"{path}.part")


@contextmanager
def _standard_output() -> Iterator[IO[str]]:
    """Give standard output, in UTF-8 whatever the terminal says: JSON is."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    yield sys.stdout


def _same_file(output: Path, given: str) -> bool:
    return output.exists() and Path(given).exists() and output.samefile(given)


class Predictor:
    """A finished run that is applied to more text.

    Args:
        folder: The run's folder.
        trusted: Packages whose classes the run may name.

    Raises:
        RunError: `folder` holds no finished run, or names what is not trusted.
    """

    def __init__(self, folder: str | Path, trusted: Sequence[str] = ()) -> None:
        folder = Path(folder)
        with importing_torch():
            import torch

            from bench.run.build import device_of, encoder_of
            from bench.run.trained import configuration, reading, trained

        cfg = configuration(folder, trusted)
        with reading(folder, cfg, "encoder"):
            self.encoder = encoder_of(cfg)
        self.task, model = trained(folder, cfg, self.encoder)
        self.device = torch.device(device_of(cfg))
        self.model = model.to(self.device)

    def predict(self, *examples: Mapping[str, Any] | str) -> list[dict[str, Any]]:
        """Return the fields of each example, as its task's card names them, with the prediction.

        A string is the field `text`. All are one batch. Raises RunError for what is none.
        """
        lines = []
        for number, example in enumerate(examples, start=1):
            fields = {"text": example} if isinstance(example, str) else example
            if not isinstance(fields, Mapping):
                wanted = json.dumps(self.task.example_input)
                raise RunError(
                    f"example {number} is a {type(example).__name__}: give {wanted}, and several "
                    "as predict(*examples)"
                )
            lines.append((number, json.dumps(dict(fields))))
        return list(self(lines))

    def __call__(self, lines: list[tuple[int, str]]) -> Iterator[dict[str, Any]]:
        """Yield what each numbered line gave, unless it is empty, with the prediction.

        Raises RunError for a line that is none, once those before it are answered.
        """
        given: list[tuple[dict[str, Any], dict[str, Any]]] = []
        wrong: RunError | None = None
        for number, line in lines:
            if line.strip():
                try:
                    fields = _fields(number, line)
                    given.append((fields, self._parsed(number, fields)))
                except RunError as error:
                    wrong = error
                    break
        if given:
            yield from self._answered(given)
        if wrong is not None:
            raise wrong

    def _answered(
        self, given: Sequence[tuple[dict[str, Any], dict[str, Any]]]
    ) -> Iterator[dict[str, Any]]:
        """Yield the fields of each line, with the prediction of the example made of it."""
        import torch

        from elmo_core import pad
        from elmo_core.devices import moved, sent

        examples = [example for _, example in given]
        layers = None
        if self.encoder is not None:
            sentences = [words for example in examples for words in self.task.sentences(example)]
            layers = sent(pad(self.encoder.encode(sentences))[0], self.device)
        with torch.no_grad():
            output = self.model(moved(self.task.collate(examples), self.device), layers)
        for (fields, _), row in zip(given, self.task.predict(output, examples), strict=True):
            yield {**fields, **{key: row[key] for key in row if key not in ("gold", "answers")}}

    def _parsed(self, number: int, fields: dict[str, Any]) -> dict[str, Any]:
        """Make an example of a line. Raises RunError that names the line."""
        from tasks.task import DataError

        try:
            return {**self.task.parse(fields), "id": str(fields.get("id", number))}
        except DataError as error:
            example = json.dumps(self.task.example_input)
            raise RunError(f"line {number}: {error}; an example: {example}") from None


def _told_of_columns(numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Pass lines on, and warn of the first that looks like a row of a table."""
    told = False
    for number, line in numbered:
        if not told and not line.lstrip().startswith("{") and COLUMNS.match(line):
            told = True
            print(
                f"warning: line {number} looks like a row of a table (CoNLL, TSV): here each line "
                'is a text of its own; a sentence of tokens is {"tokens": ["Anna", "Reed", …]}',
                file=sys.stderr,
            )
        yield number, line


def _fields(number: int, line: str) -> dict[str, Any]:
    """Read a line: a JSON object, or plain text. Raises RunError that names the line."""
    if any("\ud800" <= letter <= "\udfff" for letter in line):
        raise RunError(f"line {number} is not UTF-8")
    if not line.lstrip().startswith("{"):
        if _is_list(line):
            raise RunError(f'line {number} is a list: tokens are given as {{"tokens": […]}}')
        return {"text": line.strip()}
    try:
        fields = strict_json.loads(line)
    except ValueError as error:
        raise RunError(f"line {number} is not JSON: {error}") from None
    return dict(fields)


def _is_list(line: str) -> bool:
    """Say whether a line is a list of words or of examples in JSON, which no text looks like.

    >>> [_is_list(line) for line in ('["Anna", "Reed"]', "[1]", "[1] Anna Reed", "[Laughs]")]
    [True, False, False, False]
    """
    try:
        found = strict_json.loads(line)
    except ValueError:
        return False
    return isinstance(found, list) and any(isinstance(each, str | dict) for each in found)


def _opened(name: str) -> IO[str]:
    if name == "-":
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8-sig", errors="surrogateescape")
        return sys.stdin
    try:
        return open(name, encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise RunError(f"{name}: {error.strerror}") from None


if __name__ == "__main__":
    main()
