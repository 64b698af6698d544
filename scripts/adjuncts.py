#!/usr/bin/env python
"""How many adjuncts of built-in dev sentences are right, by whether training shows their nouns.

    python scripts/adjuncts.py RUN …      # folders of finished runs of task=srl on built-in data

Right is an adjunct whose place and role are. Beside it stands a guess by the words before the noun
alone: the role that training gives them most often.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.smallworld import ensure
from tasks.smallworld.adjuncts import ADJUNCTS
from tasks.srl.data import read
from tasks.srl.score import arguments

SHOWN = {
    (*each.beginning, noun.lstrip("*")): not noun.startswith("*")
    for each in ADJUNCTS
    for noun in each.nouns
}


def count(run: Path) -> tuple[Counter[bool], Counter[bool]]:
    """Count a run's adjuncts, all of them and the right ones; True stands for nouns shown."""
    found, right = Counter[bool](), Counter[bool]()
    with (run / "predictions.jsonl").open(encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for row in (row for row in rows if row["split"] == "dev"):
        words = row["drawn"]["text"].split()
        answer = arguments(row["prediction"])
        for argument in arguments(row["gold"]):
            start, end = argument[1][0]
            shown = SHOWN.get(tuple(words[start:end]))
            if shown is not None:
                found[shown] += 1
                right[shown] += argument in answer
    return found, right


def guessed() -> float:
    """Return how many adjuncts of dev whose noun training lacks a guess has right, in percent."""
    roles: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for words, role in adjuncts("train"):
        roles[words[:-1]][role] += 1
    new = [(words, role) for words, role in adjuncts("dev") if not SHOWN[words]]
    right = sum(roles[words[:-1]].most_common(1)[0][0] == role for words, role in new)
    return 100 * right / len(new)


def adjuncts(split: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each adjunct's words and its role."""
    for example in read(ensure("srl"), split) or ():
        for role, ((start, end), *_) in arguments(example["tags"]):
            words = tuple(example["words"][start:end])
            if words in SHOWN:
                yield words, role


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    for run in parser.parse_args().runs:
        try:
            found, right = count(run)
        except (OSError, LookupError, TypeError, ValueError) as error:
            parser.error(f"{run}: not a finished run of task=srl ({error!r})")
        if len(found) < 2:
            parser.error(f"{run}: not a run on built-in data")
        for shown, which in ((True, "that training shows"), (False, "that it does not")):
            share = 100 * right[shown] / found[shown]
            print(f"{run}: with nouns {which}, {share:.1f} % of {found[shown]} are right")
    print(f"by the words before those that it does not: {guessed():.1f} % have the right role")


if __name__ == "__main__":
    main()
