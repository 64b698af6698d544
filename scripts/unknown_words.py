#!/usr/bin/env python
"""What a NER head without word vectors learns of the unknown word, and how many names have one.

    python scripts/unknown_words.py FOLDER …   # with training and dev of named entities

A word that training shows once is read as unknown: what the head knows of such words it learns
there. Case does not count, as in the task.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from tasks.ner.data import read


def told(folder: Path) -> str:
    """Say how often an unknown word stands in a name: in training, and of dev's names."""
    train, dev = (
        [
            (word.lower(), tag != "O")
            for row in read(folder, split) or ()
            for word, tag in zip(row["tokens"], row["tags"], strict=True)
        ]
        for split in ("train", "dev")
    )
    counts = Counter(word for word, _ in train)
    unknown = [named for word, named in train if counts[word] == 1]
    names = [word for word, named in dev if named]
    return (
        f"{len(unknown):,} words stand in training once, {share(unknown)} % of them in names, of "
        f"all its tokens {share([named for _, named in train])} %; of {len(names):,} tokens in "
        f"dev's names {share([counts[word] < 2 for word in names])} % are unknown"
    )


def share(which: list[bool]) -> str:
    """Return how many of them are true, in percent."""
    return f"{100 * sum(which) / len(which):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    for folder in parser.parse_args().folders:
        try:
            print(f"{folder}: {told(folder)}")
        except (ArithmeticError, OSError, ValueError) as error:
            parser.error(f"{folder}: no named entities of training and dev ({error!r})")


if __name__ == "__main__":
    main()
