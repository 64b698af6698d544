"""Text files → a folder to train on.

    train/  heldout/   one tokenised sentence a line, one file per input file
    vocabulary.txt     the output vocabulary
    encoded/           both as numbers
    prepare.json       what was asked for      report.json   what came out, written last

Every file is written under another name and renamed, so one that is there is whole: a second call
does what the first one left undone.
"""

from __future__ import annotations

import json
import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import islice, takewhile
from pathlib import Path

from elmo_core.errors import TextError
from elmo_core.packages import needed
from elmo_core.pretraining.corpus import TOKENS, TYPES, encode
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.vocabulary import Vocabulary
from elmo_core.text.files import find_texts, read_lines, read_tokenised
from elmo_core.text.sentences import read_sentences
from elmo_core.whole_files import replacing, sha256_of, tidy, write_text

TRAIN, HELDOUT, ENCODED = "train", "heldout", "encoded"
PARTS = TRAIN, HELDOUT
VOCABULARY, SETTINGS, REPORT = "vocabulary.txt", "prepare.json", "report.json"
BLOCK = 100
"""Neighbouring sentences that are held out together: what stands around a sentence tells of it."""


@dataclass(frozen=True)
class Request:
    """What a corpus is made of; `heldout` is a share of the text."""

    form: str = "auto"
    heldout: float = 0.01
    min_count: int = 3
    max_words: int | None = None


@dataclass(frozen=True)
class Report:
    """What came out; tokens are words, coverage is the share that the vocabulary can say."""

    sentences: int
    tokens: int
    types: int
    vocabulary: int
    coverage: float
    heldout_tokens: int
    heldout_coverage: float
    files: dict[str, str] = field(default_factory=dict)  # SHA-256 of what is read in training


def prepare(inputs: Sequence[Path], out: Path, request: Request | None = None) -> Report:
    """Make, or finish, a folder to train on. The package's docstring has an example.

    Args:
        inputs: text files, or folders of them, in UTF-8. What lies in `out` below such a folder is
            left out.
        out: the folder to make; one that an earlier call left unfinished is finished.
        request: what is kept out, and which words the vocabulary has.

    Returns:
        What came out: counts, and how much of the text the vocabulary covers.

    Raises:
        TextError: a text is missing, or would be a file where another needs a folder, or is not
            UTF-8; the message names the file and the line, and nothing has been made.
        CorpusError: the texts are empty, nothing is held out (neither leaves anything in the
            folder), the folder was begun with another request, other texts or by an older version,
            or a file in it is damaged.
        OSError: a text cannot be opened, or the disk is full.
    """
    request = request or Request()
    files = find_texts(inputs, out)
    _check_places(files)
    _claim(out, request, files)
    texts = {(out / part / name).parent for part in PARTS for name in files}
    for folder in texts | {out / ENCODED / part for part in PARTS}:
        tidy(folder)
    if (out / REPORT).is_file():
        return read_report(out)
    with needed("rich", "preparing a corpus"):
        from rich.console import Console
        from rich.progress import Progress
    with Progress(console=Console(stderr=True)) as progress:
        total = sum(path.stat().st_size for path in files.values())
        task = progress.add_task("tokenising", total=total)
        for name, path in files.items():
            progress.update(task, description=name[-40:])
            if not (out / TRAIN / name).is_file():
                _tokenise(path, out, name, request)
            progress.advance(task, path.stat().st_size)
        if reason := _too_small(out, list(files), request):
            _withdraw(out, list(files))
            raise CorpusError(reason)
        progress.update(task, description="counting and encoding")
        report = _number(out, list(files), request)
    write_text(out / REPORT, json.dumps(asdict(report), indent=1))
    return report


def read_report(out: Path) -> Report:
    """Read what came out of an earlier `prepare`. Raises CorpusError, TextError, OSError."""
    try:
        found = Report(**json.loads((out / REPORT).read_text(encoding="utf-8")))
        types = {name: dict if name == "files" else int | float for name in vars(found)}
        if not all(isinstance(vars(found)[name], kind) for name, kind in types.items()):
            raise TypeError
        return found
    except (ValueError, TypeError, RecursionError):
        raise _damaged(out / REPORT, "unreadable", "remove it") from None


def verify(out: Path) -> None:
    """Compare what training reads with the checksums in the report, where it has them.

    Raises:
        CorpusError: A file has changed since it was prepared, or is gone.
    """
    if not (out / REPORT).is_file():  # encoded by hand
        return
    for name, written in read_report(out).files.items():
        path = out / name
        if not path.is_file():
            raise _damaged(path, "missing", f"remove {out / REPORT}")
        if sha256_of(path) != written:
            raise _damaged(path, "not as it was prepared", f"remove {out / REPORT}")


def _damaged(path: Path, reason: str, first: str) -> CorpusError:
    return CorpusError(f"{path}: damaged ({reason}): {first}, and prepare the text again")


def _check_places(files: dict[str, Path]) -> None:
    """Raise TextError where one text would be a file where another one needs a folder."""
    for name, path in files.items():
        for folder in map(str, Path(name).parents):
            if folder in files:
                raise TextError(
                    f"{files[folder]} and {path}: one would be a file where the other needs a "
                    "folder: rename one"
                )


def _claim(out: Path, request: Request, files: dict[str, Path]) -> None:
    """Note what a folder is made of, or compare it with what it was begun with."""
    contents = {name: sha256_of(path) for name, path in files.items()}
    wanted = {"schema": 2, "request": asdict(request), "files": contents}  # 1: their sizes
    path = out / SETTINGS
    if not path.is_file():
        for text in files.values():  # what is none is told before hours are spent on the others
            deque(read_lines(text), maxlen=0)
        write_text(path, json.dumps(wanted, indent=1))
        return
    try:
        begun = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise CorpusError(f"{path}: damaged (not JSON): choose another folder") from None
    if begun != wanted:
        raise CorpusError(
            f"{out} was begun with other texts or settings, or by an older version: choose another "
            "folder"
        )


def _tokenise(path: Path, out: Path, name: str, request: Request) -> None:
    """Write a file's two parts; the training part, whose presence says "done", comes last."""
    with ExitStack() as stack:
        parts = []
        for part in PARTS:  # left in the opposite order
            temporary = stack.enter_context(replacing(out / part / name))
            parts.append(stack.enter_context(open(temporary, "w", encoding="utf-8")))
        for block in _blocks(read_sentences(path, request.form)):
            parts[_place(block) < request.heldout].write(block)


def _blocks(sentences: Iterable[Sequence[str]]) -> Iterator[str]:
    lines = (" ".join(words) + "\n" for words in sentences)
    while block := "".join(islice(lines, BLOCK)):
        yield block


def _place(block: str) -> float:
    """Draw a number below 1 by the text alone: more files, or another order, move no sentence."""
    digest = sha256(block.encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _too_small(out: Path, names: list[str], request: Request) -> str | None:
    """Say why the tokenised texts are no corpus, if they are none."""
    train, heldout = (read_tokenised([out / part / name for name in names]) for part in PARTS)
    if next(train, None) is None:
        return f"{out}: no sentence to train on: the texts are empty or all held out"
    if next(heldout, None) is None:
        return f"{out}: nothing is held out: {_too_few(out, names, request)}"
    return None


def _too_few(out: Path, names: list[str], request: Request) -> str:
    """Say what can be done where all blocks are there to train on."""
    texts = (_blocks(read_tokenised([out / TRAIN / name])) for name in names)
    places = [_place(block) for blocks in texts for block in blocks]
    if len(places) == 1:
        return f"{BLOCK} neighbouring sentences go together, and there are no more: give more text"
    return (
        f"{BLOCK} neighbouring sentences go together, and a share of {request.heldout} is none of "
        f"these {len(places):,}: give a larger one, at least --heldout "
        f"{math.ceil(min(places) * 1000) / 1000}"
    )


def _withdraw(out: Path, names: list[str]) -> None:
    """Remove what was tokenised, and the claim last, so that other settings can begin here."""
    for path in (out / part / name for part in PARTS for name in names):
        path.unlink(missing_ok=True)
        for folder in takewhile(lambda folder: folder != out, path.parents):
            with suppress(OSError):  # it holds something else
                folder.rmdir()
    (out / SETTINGS).unlink()
    with suppress(OSError):
        out.rmdir()


def _number(out: Path, names: list[str], request: Request) -> Report:
    """Count, choose the vocabulary, encode."""
    counts: Counter[str] = Counter()
    sentences = 0
    train, heldout = ([out / part / name for name in names] for part in PARTS)
    for words in read_tokenised(train):
        counts.update(words)
        sentences += 1
    # Equal counts in alphabetical order: the same text gives the same file.
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    frequent = (word for word, count in ranked if count >= request.min_count)
    vocabulary = Vocabulary.of(islice(frequent, request.max_words))
    vocabulary.write(out / VOCABULARY)
    read = [VOCABULARY]
    for part, paths in ((TRAIN, train), (HELDOUT, heldout)):
        encode(read_tokenised(paths), vocabulary, out / ENCODED / part)
        read += [f"{ENCODED}/{part}/{name}" for name in (TOKENS, TYPES)]
    held: Counter[bool] = Counter()
    for words in read_tokenised(heldout):
        held.update(word in vocabulary.ids for word in words)
    return Report(
        sentences=sentences,
        tokens=counts.total(),
        types=len(counts),
        vocabulary=len(vocabulary),
        coverage=sum(counts[word] for word in vocabulary.ids) / counts.total(),
        heldout_tokens=held.total(),
        heldout_coverage=held[True] / held.total(),
        files={name: sha256_of(out / name) for name in read},
    )
