"""Sense-annotated text in the WSD evaluation framework's files (Raganato et al. 2017):
`NAME.data.xml`, and beside it `NAME.gold.key.txt` with the senses of each instance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.parsers import expat

from tasks.base.text_files import read_lines
from tasks.formats.treebank import unescape
from tasks.task import DataError

SUFFIX, KEYS = ".data.xml", ".gold.key.txt"
CHUNK = 1 << 16  # bytes that are parsed at a time: a corpus is never in memory as a tree
WORDS = ("wf", "instance")
LETTERS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@dataclass(frozen=True)
class Instance:
    """A word, or several, whose sense is asked for."""

    id: str
    lemma: str  # with its part of speech: `take_place#v`
    start: int  # token
    end: int  # token after the last
    line: int


@dataclass(frozen=True)
class Sentence:
    """Tokens, and the instances among them whose senses are asked for."""

    id: str
    tokens: list[str]
    instances: list[Instance]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Read the sentences, in order, without a treebank's escapes. Raises DataError with file and
    line."""
    reader = _Reader(path)
    try:
        with path.open("rb") as file:
            for chunk in iter(partial(file.read, CHUNK), b""):
                reader.parser.Parse(chunk)
                yield from reader.take()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:  # what is not UTF-8 is "not well-formed"
        what = expat.ErrorString(error.code)
        raise DataError(f"{path}, line {error.lineno}: not XML ({what})") from None


def read_keys(path: Path) -> dict[str, list[str]]:
    """Read the senses' keys of each instance; any of several is right. Raises DataError with the
    line."""
    if not path.is_file():
        raise DataError(
            f"no file {path}, which has the senses of {path.name.split('.')[0]}{SUFFIX}"
        )
    keys: dict[str, list[str]] = {}
    for number, line in read_lines(path):
        name, *senses = line.split() or [""]
        if name and not senses:
            raise DataError(f"{path}, line {number}: no sense of {name}")
        keys.setdefault(name, []).extend(senses)
    keys.pop("", None)
    return keys


class _Reader:
    """The parser of a corpus, called by Expat, which alone tells the line that an element stands
    in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parser = expat.ParserCreate("UTF-8")  # whatever the file says of itself
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.entity  # one that another file would declare
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.finished: list[Sentence] = []
        self.sentence: Sentence | None = None
        self.word: dict[str, str] | None = None  # the attributes of the one at hand
        self.text: list[str] = []
        self.seen: set[str] = set()  # instances

    def entity(self, name: str, *_: object) -> None:
        """Refuse entities: a few declarations can stand for gigabytes of text, or for other
        files."""
        raise self.error(f"<!ENTITY {name}> is not read: write what it stands for")

    def take(self) -> list[Sentence]:
        """Return the sentences that are complete and were not taken yet."""
        taken, self.finished = self.finished, []
        return taken

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open a sentence or a word."""
        inside = self.sentence is not None
        misplaced = inside if tag == "sentence" else tag in WORDS and not inside
        if misplaced or self.word is not None:
            raise self.error(f"<{tag}> where none may stand")
        if tag == "sentence":
            self.sentence = Sentence(self.needed(tag, attributes, "id"), [], [])
        elif tag in WORDS:
            self.word, self.text = attributes, []

    def data(self, text: str) -> None:
        """Add to the text of the word at hand."""
        if self.word is not None:
            self.text.append(text)
        elif self.sentence is not None and text.strip():
            raise self.error(f"{text.strip()!r} in a sentence, but in no word (<wf>, <instance>)")

    def end(self, tag: str) -> None:
        """Close a sentence or a word."""
        sentence, word = self.sentence, self.word
        if sentence is None:
            return
        if tag == "sentence":
            self.finished.append(sentence)
            self.sentence = None
        elif word is not None:
            start = len(sentence.tokens)
            sentence.tokens.extend(map(unescape, "".join(self.text).split()))
            if len(sentence.tokens) == start:
                raise self.error(f"<{tag}> without a word")
            if tag == "instance":
                sentence.instances.append(self.instance(word, start, len(sentence.tokens)))
            self.word = None

    def instance(self, word: dict[str, str], start: int, end: int) -> Instance:
        """Make an instance of a word's attributes."""
        name, lemma, pos = (self.needed("instance", word, key) for key in ("id", "lemma", "pos"))
        if name in self.seen:
            raise self.error(f"the instance {name} occurs twice")
        self.seen.add(name)
        if pos not in LETTERS:
            raise self.error(f"pos={pos!r} of {name}: unknown (one of {', '.join(LETTERS)})")
        place = self.parser.CurrentLineNumber
        return Instance(name, f"{lemma.lower()}#{LETTERS[pos]}", start, end, place)

    def needed(self, tag: str, attributes: dict[str, str], key: str) -> str:
        """Return an attribute; raise DataError where it is missing or empty."""
        if not attributes.get(key):
            raise self.error(f"<{tag}> without {key}")
        return attributes[key]

    def error(self, what: str) -> DataError:
        """Make a DataError that names the file and the parser's line."""
        return DataError(f"{self.path}, line {self.parser.CurrentLineNumber}: {what}")
