"""Word senses, in the files of the WSD evaluation framework, with a sense inventory.

After each sentence of a story comes an aside with a word of two senses, about one of its people.
The predicates of the stories have one sense each.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tasks.smallworld.document import Sentence
from tasks.smallworld.lexicon import VERBS
from tasks.smallworld.parts import Parts
from tasks.smallworld.sense_words import CONTEXTS
from tasks.smallworld.stories import Story

SETS = {"train": "semcor", "dev": "semeval2007", "test": "senseval2"}
SIZES = {"train": 120, "dev": 60, "test": 60}  # stories
USUAL = 0.55  # of the asides, the share in which a word has its first sense
NOVELTY = 0.4  # of those of dev and test, the share with a context that training does not show
POS = {"1": "NOUN", "2": "VERB", "3": "ADJ"}
UNTOLD = "X"  # the part of speech of words whose sense is not asked for


class Told(NamedTuple):
    """A sentence, one word of which has a sense."""

    tokens: Sequence[str]
    position: int
    key: str


Texts = Sequence[tuple[str, Sequence[Told]]]
"""Ids of texts and their sentences."""


def write(folder: Path, parts: Parts) -> None:
    """Write `SET/SET.data.xml` and `SET/SET.gold.key.txt` for each of SETS, and `index.sense`."""
    for split, name in SETS.items():
        rng = random.Random(f"senses {split} {parts.seed}")
        novelty = 0.0 if split == "train" else NOVELTY
        stories = parts[split][0][: SIZES[split]]
        texts = [(f"d{i:03}", list(_told(story, rng, novelty))) for i, story in enumerate(stories)]
        _save(folder / name / f"{name}.data.xml", _xml(name, texts))
        _save(folder / name / f"{name}.gold.key.txt", _keys(texts))
    _save(folder / "index.sense", _inventory())


def _save(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def _told(story: Story, rng: random.Random, novelty: float) -> Iterator[Told]:
    """Tell the story's sentences, an aside after each."""
    sentences = story.document.sentences
    people = [name for sentence in sentences for name in _people(sentence)] or ["somebody"]
    for sentence in sentences:
        (predication,) = sentence.predications
        yield Told(sentence.tokens, predication.position, PREDICATES[predication.lemma])
        yield _aside(rng, novelty, rng.choice(people))


def _people(sentence: Sentence) -> Iterator[str]:
    for mention in sentence.mentions:
        if mention.named and mention.kind == "person":
            yield " ".join(sentence.tokens[mention.start : mention.name_end])


def _aside(rng: random.Random, novelty: float, person: str) -> Told:
    keys = rng.choice(list(AMBIGUOUS.values()))
    key = keys[0] if rng.random() < USUAL else rng.choice(keys[1:])
    novel = rng.random() < novelty
    context = rng.choice([c for c in CONTEXTS[key] if c.startswith("*") == novel])
    tokens = context.lstrip("*").format(person).split()
    position = next(i for i, token in enumerate(tokens) if token.startswith("["))
    tokens[position] = tokens[position].strip("[]")
    tokens[0] = tokens[0][0].upper() + tokens[0][1:]
    return Told((*tokens, "."), position, key)


def _xml(name: str, texts: Texts) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<corpus lang="en" source="{name}">'
    for text, sentences in texts:
        yield f'<text id="{text}">'
        for number, told in enumerate(sentences):
            yield f'<sentence id="{text}.s{number:03}">'
            yield from _words(_instance(text, number), told)
            yield "</sentence>"
        yield "</text>"
    yield "</corpus>"


def _words(instance: str, told: Told) -> Iterator[str]:
    lemma, _, kind = told.key.partition("%")
    for i, token in enumerate(told.tokens):
        if i == told.position:
            yield (
                f'<instance id="{instance}" lemma="{lemma}" pos="{POS[kind[0]]}">{token}</instance>'
            )
        else:
            yield f'<wf lemma="{token.lower()}" pos="{UNTOLD}">{token}</wf>'


def _keys(texts: Texts) -> Iterator[str]:
    for text, sentences in texts:
        for number, told in enumerate(sentences):
            yield f"{_instance(text, number)} {told.key}"


def _instance(text: str, number: int) -> str:
    return f"{text}.s{number:03}.t000"


def _inventory() -> list[str]:
    """Write WordNet's `index.sense`: key, offset (there is none), number, count (of no corpus)."""
    every = [*AMBIGUOUS.values(), *([key] for key in PREDICATES.values())]
    return sorted(f"{key} 00000000 {i} 0" for keys in every for i, key in enumerate(keys, start=1))


def _by_lemma() -> dict[str, list[str]]:
    """List, for each lemma, the keys of its senses in their order."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key in CONTEXTS:
        found[key.partition("%")[0]].append(key)
    return found


AMBIGUOUS = _by_lemma()
PREDICATES = {
    verb.base: f"{verb.base}%{3 if verb.meaning.frame == 'state' else 2}:00:00::" for verb in VERBS
}
