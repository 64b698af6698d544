"""The first sense of every lemma, from a sense inventory: WordNet's own, or the Open English
WordNet's as a table."""

from __future__ import annotations

import re
from pathlib import Path

from tasks.base.text_files import read_lines
from tasks.task import DataError

FILES = ("index.sense", "oewn_senses.tsv")
KEY = re.compile(r"(.+)%([1-5]):\d\d:\d\d:.*:.*")
RANK = re.compile(r"[0-9]{1,9}")
LETTERS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # 5: adjectives that cluster around 3


def read_first_senses(path: Path) -> dict[str, str]:
    """Read the key of the first sense of each lemma with its part of speech (`long#a`).

    A line has a sense's key, offset, number and count, between blanks (WordNet's `index.sense`); or
    key, lemma, part of speech, number and synset, between tabs. There `State` and `state` are
    numbered separately, so of senses of the same number those of a lemma without capitals come
    first, and else the first in the file counts. Raises DataError with file and line.
    """
    first: dict[str, tuple[int, bool, str]] = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        fields = line.split("\t" if "\t" in line else " ")
        key = KEY.fullmatch(fields[0])
        rank = {4: fields[2:3], 5: fields[3:4]}.get(len(fields), [])
        if key is None or not (rank and RANK.fullmatch(rank[0])):
            raise DataError(f"{path}, line {number}: expected a sense, found {line.strip()!r}")
        lemma = f"{key[1].lower()}#{LETTERS[key[2]]}"
        place = int(rank[0]), fields[1] != fields[1].lower()  # an offset has no capitals
        if lemma not in first or place < first[lemma][:2]:
            first[lemma] = *place, fields[0]
    if not first:
        raise DataError(f"{path}: no sense in it")
    return {lemma: key for lemma, (*_, key) in first.items()}
