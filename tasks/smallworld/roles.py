"""Semantic roles, in the columns of PropBank on the Web Treebank (tasks/srl/columns.py)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tasks.smallworld.adjuncts import adjoin
from tasks.smallworld.document import Predication, Sentence
from tasks.smallworld.parts import Parts


def write(folder: Path, parts: Parts) -> None:
    """Write `{train,dev,test}.tsv`: every sentence of the stories, with an adjunct or two."""
    for split in ("train", "dev", "test"):
        rng = random.Random(f"adjuncts {split} {parts.seed}")
        with open(folder / f"{split}.tsv", "w", encoding="utf-8", newline="\n") as file:
            for story in parts[split][0]:
                for number, sentence in enumerate(story.document.sentences):
                    longer = adjoin(sentence, rng, held_out=split != "train")
                    file.writelines(_rows(story.document.id, number, longer))
                    file.write("\n")


def _rows(document: str, number: int, sentence: Sentence) -> Iterator[str]:
    """Write columns: document, sentence, token, word, part of speech and parse (neither known),
    lemma, roleset, one column of brackets for each predicate."""
    predications = sorted(sentence.predications, key=lambda predication: predication.position)
    predicates = {predication.position: predication for predication in predications}
    columns = [_brackets(predication, len(sentence.tokens)) for predication in predications]
    for i, word in enumerate(sentence.tokens):
        lemma = predicates[i].lemma if i in predicates else ""
        sense = (lemma, f"{lemma}.01") if lemma else ("-", "-")
        brackets = (column[i] for column in columns)
        yield "\t".join([document, str(number), str(i), word, "XX", "*", *sense, *brackets]) + "\n"


def _brackets(predication: Predication, length: int) -> list[str]:
    spans = [(predication.position, predication.position + 1, "V")]
    spans += [(argument.start, argument.end, argument.role) for argument in predication.arguments]
    cells = ["*"] * length
    for start, end, role in spans:
        cells[start] = f"({role}" + cells[start]
        cells[end - 1] += ")"
    return cells
