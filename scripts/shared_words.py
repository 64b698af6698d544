#!/usr/bin/env python
"""How many of its question's words the sentence with the answer has, in SQuAD 1.1's format.

    python scripts/shared_words.py FOLDER …   # of its training and dev questions

Counted are names (with a capital, not at the question's beginning) and other words, without
scikit-learn's stop words; a word is there in any of its forms. A sentence ends at a full stop, a
question or an exclamation mark.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from tasks.squad.data import read

ENDINGS = ("ing", "ed", "es", "s", "e")
KINDS = ("names", "other words")


def stem(word: str) -> str:
    """Return a word without its ending: phones, phoned and phoning are one."""
    word = word.lower()
    cut = next((e for e in ENDINGS if word.endswith(e) and len(word) - len(e) > 2), "")
    return word.removesuffix(cut)


def asked(question: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the kind and the stem of each word of a question that is counted."""
    for place, word in enumerate(question):
        if word[0].isalnum() and word.lower() not in ENGLISH_STOP_WORDS:
            yield KINDS[not (word[0].isupper() and place)], stem(word)


def sentences(words: Sequence[str], answer: int) -> tuple[list[set[str]], int]:
    """Return the stems of each sentence, and which one has the word `answer`."""
    found: list[set[str]] = [set()]
    where = 0
    for place, word in enumerate(words):
        found[-1].add(stem(word))
        if place == answer:
            where = len(found) - 1
        if word in ".?!":
            found.append(set())
    return found, where


def told(folder: Path, split: str) -> str:
    """Say what a split's questions share with their paragraphs."""
    counts = Counter[str | tuple[str, str]]()
    for example in read(folder, split) or ():
        parts, where = sentences(example["tokens"], example["spans"][0][0])
        words = list(asked(example["question"]))
        shared = [sum(word in part for _, word in words) for part in parts]
        counts["questions"] += 1
        counts["none"] += not shared[where]
        counts["most"] += shared[where] > max([0, *shared[:where], *shared[where + 1 :]])
        for kind, word in words:
            counts[kind] += 1
            counts[kind, "sentence"] += word in parts[where]
            counts[kind, "paragraph"] += any(word in part for part in parts)
    each = [
        f"{counts[kind] / counts['questions']:.2f} {kind}, "
        f"{100 * counts[kind, 'sentence'] / counts[kind]:.1f} % of them in the answer's sentence, "
        f"{100 * counts[kind, 'paragraph'] / counts[kind]:.1f} % in the paragraph"
        for kind in KINDS
    ]
    most, none = (100 * counts[name] / counts["questions"] for name in ("most", "none"))
    return (
        f"{counts['questions']} questions of {'; '.join(each)}; the answer's sentence has more of "
        f"them than any other in {most:.1f} % of the questions, none in {none:.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    for folder in parser.parse_args().folders:
        for split in ("train", "dev"):
            try:
                print(f"{folder}, {split}: {told(folder, split)}")
            except (ArithmeticError, OSError, ValueError) as error:
                parser.error(f"{folder}: no SQuAD 1.1 questions of {split} ({error!r})")


if __name__ == "__main__":
    main()
