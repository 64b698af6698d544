"""Who is who throughout each story, in the official CoNLL-2012 format."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tasks.smallworld.document import Document, Sentence
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Style, retell

SIZES = {"train": 160, "dev": 140, "test": 140}  # stories: training takes each one as a batch
# So told, what is known is a pronoun, a name, the noun it had or another noun about as often as in
# OntoGUM (scripts/anaphors.py): 39, 35, 16 and 10 of a hundred times.
STYLE = Style(brevity=0.7, pronouns=1.0, variation=0.3)
# Document, part, token and word come first, clusters last. Between them: part of speech, parse,
# lemma, frameset, sense, speaker and name, none of them known.
UNTOLD = ("XX", "*", "-", "-", "-", "-", "*")


def write(folder: Path, parts: Parts) -> None:
    """Write `{train,dev,test}.conll`: stories, with every entity mentioned twice or more."""
    for split, size in SIZES.items():
        rng = random.Random(f"coref {split} {parts.seed}")
        with open(folder / f"{split}.conll", "w", encoding="utf-8", newline="\n") as file:
            for story in parts[split][0][:size]:
                file.writelines(_lines(retell(story, STYLE, rng)))


def _lines(document: Document) -> Iterator[str]:
    yield f"#begin document ({document.id}); part 000\n"
    times = Counter(m.entity for sentence in document.sentences for m in sentence.mentions)
    several = [entity for entity, n in times.items() if n > 1]
    numbers = {entity: number for number, entity in enumerate(several)}
    for sentence in document.sentences:
        cells = _cells(sentence, numbers)
        for i, (word, cell) in enumerate(zip(sentence.tokens, cells, strict=True)):
            yield "\t".join([document.id, "0", str(i), word, *UNTOLD, cell]) + "\n"
        yield "\n"
    yield "#end document\n"


def _cells(sentence: Sentence, numbers: Mapping[str, int]) -> list[str]:
    pieces: defaultdict[int, list[str]] = defaultdict(list)
    for mention in sentence.mentions:
        number, first, last = numbers.get(mention.entity), mention.start, mention.end - 1
        if number is None:
            continue
        if first == last:
            pieces[first].append(f"({number})")
        else:
            pieces[first].append(f"({number}")
            pieces[last].append(f"{number})")
    return ["|".join(pieces[i]) or "-" for i in range(len(sentence.tokens))]
