"""`python -m bench.neighbours SENTENCE --word WORD`: the command line and its answer."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.errors import RunError, exit_status
from bench.options import add_overrides, text_files
from elmo_core.arguments import path, whole_number
from elmo_core.help_text import HelpText
from elmo_core.imports import importing_torch

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from bench.neighbours.search import Neighbours, Occurrence
    from elmo_core import Encoder

PROGRAM = "python -m bench.neighbours"
EXAMPLES = f"""examples:
  {PROGRAM} "She saw a man in the park." --word saw
  {PROGRAM} "He wrote a play." --word play --corpus semcor.txt
  {PROGRAM} "The bank closed." --word bank --same-word
  {PROGRAM} "I saw the saw." --word saw#2 --json
  {PROGRAM} "The bank closed." --word bank encoder=elmo-base

The corpus is plain text, or tokenised sentences, one a line. Nearest is by cosine: contexts by the
layer that is asked for, words by layer 0, the encoder's vectors before any context.
"""
WINDOW = 12  # words shown on each side
Advance = Callable[[Sequence[str]], None]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    given = parser().parse_intermixed_args(arguments)
    with exit_status(debug=False):
        query = _query(given.sentence, given.word)
        encoder = _encoder(given.overrides)
        layer = _layer(given.layer, encoder)
        found = _search(given, encoder, query, layer)
        if given.json:
            print(json.dumps(_as_json(query, encoder, layer, found), indent=2, ensure_ascii=False))
        else:
            _show(query, encoder, layer, found)


def parser() -> ArgumentParser:
    found = ArgumentParser(
        PROGRAM,
        description="Contexts in a text in which a word is used as in a sentence of yours, beside "
        "the words that are nearest to it without context.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    found.add_argument("sentence", help="with the word in it")
    add_overrides(found)
    found.add_argument("--word", required=True, help="word of the sentence; WORD#2: its second")
    found.add_argument(
        "--corpus", type=path, help="text file, or folder of them (default: the built-in text)"
    )
    found.add_argument("--layer", type=int, help="from 0, the words alone (default: the top one)")
    found.add_argument("--same-word", action="store_true", help="only contexts of the word itself")
    found.add_argument(
        "--top", type=whole_number, default=5, help="neighbours of each kind (default: 5)"
    )
    found.add_argument("--json", action="store_true", help="for programs")
    return found


# -- what is asked


def _query(text: str, word: str) -> Occurrence:
    """Find the word in the sentence, as it is written or else in another case. Raises RunError."""
    from bench.neighbours.search import Occurrence
    from elmo_core.errors import did_you_mean
    from elmo_core.text.tokenizer import tokenize

    sentence = tuple(tokenize(text))
    name, _, number = word.rpartition("#")
    if word in sentence or not (name and number.isdecimal()):
        name, number = word, ""
    places = [i for i, token in enumerate(sentence) if token == name] or [
        i for i, token in enumerate(sentence) if token.casefold() == name.casefold()
    ]
    if not places:
        hint = did_you_mean(name, sentence)
        raise RunError(f"--word {word}: not in the sentence, {' | '.join(sentence)}{hint}")
    if not number and len(places) > 1:
        choices = " or ".join(f"{name}#{i}" for i in range(1, len(places) + 1))
        raise RunError(f"--word {word}: {len(places)} times in the sentence: --word {choices}")
    if number and not 1 <= int(number) <= len(places):
        raise RunError(f"--word {word}: the sentence has {name!r} {len(places)} times")
    return Occurrence(sentence, places[int(number or 1) - 1])


def _encoder(words: Sequence[str]) -> Encoder:
    with importing_torch():
        from bench.overrides import composed_with_encoder
        from bench.run.build import encoder_of

    encoder = encoder_of(composed_with_encoder(list(words)))
    assert encoder is not None
    return encoder


def _layer(given: int | None, encoder: Encoder) -> int:
    """Return the layer that is asked for, by default the top one. Raises RunError."""
    top = encoder.layers - 1
    if given is not None and not 0 <= given <= top:
        raise RunError(f"--layer {given}: {encoder.name} has layers 0 to {top}")
    return top if given is None else given


# -- the search


def _search(given: Namespace, encoder: Encoder, query: Occurrence, layer: int) -> Neighbours:
    """Search the corpus. Raises RunError where nothing is found."""
    from bench.neighbours.search import neighbours

    with _corpus(given.corpus) as (sentences, advance):
        found = neighbours(
            encoder,
            query,
            sentences,
            layer=layer,
            number=given.top,
            same_word=given.same_word,
            advance=advance,
        )
    if not found.sentences:
        raise RunError(f"{given.corpus}: no sentence in it")
    if not found.contexts:
        only = f"no other {query.word!r} in it: try without --same-word"
        why = only if given.same_word else "no sentence in it but yours, which does not count"
        raise RunError(f"{given.corpus or 'the built-in text'}: {why}")
    return found


@contextmanager
def _corpus(path: Path | None) -> Iterator[tuple[Iterator[list[str]], Advance]]:
    """Yield the corpus's sentences, and what moves a progress bar on by each that is read."""
    from bench.console import progress
    from elmo_core.text.files import size_of
    from elmo_core.text.sentences import read_sentences

    files = text_files(path)
    with progress("searching", size_of(files), "bytes") as bar:
        yield (
            (words for file in files for words in read_sentences(file)),
            lambda words: bar(len(" ".join(words).encode()) + 1),
        )


# -- the answer


def _show(query: Occurrence, encoder: Encoder, layer: int, found: Neighbours) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    contexts = Table("cosine", f"contexts, layer {layer}", box=None)
    for cosine, occurrence in found.contexts:
        contexts.add_row(f"{cosine:.3f}", _in_context(occurrence, console))
    static = Table("cosine", "words, layer 0", box=None)
    for cosine, word in found.static:
        static.add_row(f"{cosine:.3f}", Text(word))
    console.print(_in_context(query, console))
    what = f"nearest of {found.sentences:,} sentences, by {encoder.name}"
    console.print(Text(f"{what}\n", style="dim"))
    beside = Table.grid(padding=(0, 3))
    beside.add_row(contexts, static)
    console.print(beside)


def _in_context(occurrence: Occurrence, console: Console) -> Text:
    """Show the word between its neighbours, in colour or else between asterisks."""
    from rich.text import Text

    sentence, place = occurrence.sentence, occurrence.place
    begin, end = max(0, place - WINDOW), place + WINDOW + 1
    left, right = " ".join(sentence[begin:place]), " ".join(sentence[place + 1 : end])
    word = occurrence.word if console.color_system else f"*{occurrence.word}*"
    parts: list[str | tuple[str, str]] = [
        "… " * (begin > 0),
        left,
        " " * bool(left),
        (word, "bold green"),
    ]
    return Text.assemble(*parts, " " * bool(right), right, " …" * (end < len(sentence)))


def _as_json(query: Occurrence, encoder: Encoder, layer: int, found: Neighbours) -> dict[str, Any]:
    return {
        **_occurrence(query),
        "encoder": encoder.name,
        "layer": layer,
        "sentences": found.sentences,
        "contexts": [{"cosine": c, **_occurrence(one)} for c, one in found.contexts],
        "static": [{"cosine": cosine, "word": word} for cosine, word in found.static],
    }


def _occurrence(occurrence: Occurrence) -> dict[str, Any]:
    """Return an occurrence as JSON has it; `place` counts the tokens from 0."""
    return {
        "word": occurrence.word,
        "place": occurrence.place,
        "tokens": list(occurrence.sentence),
    }


if __name__ == "__main__":
    main()
