#!/usr/bin/env python
"""Which senses the nearest average chooses, by how often training showed them.

    python scripts/sense_frequency.py RUN …      # folders of finished runs of task=wsd

An average counts as much whether it is of one instance or of a hundred. Of the instances whose
lemma training showed in several senses: how many have a sense of each frequency as gold, how many
of these are right; how many were given such a sense, how many of these are right.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from safetensors import safe_open

BOUNDS = {0: "0", 1: "1", 2: "2–3", 4: "4–9", 10: "10–99", 100: "100 or more"}


def frequencies(run: Path) -> dict[str, dict[str, int]]:
    """Read how often training showed each sense of each lemma."""
    senses = json.loads((run / "vocabulary.json").read_text(encoding="utf-8"))["senses"]
    with safe_open(run / "head.safetensors", framework="pt") as head:
        (name,) = (key for key in head.keys() if key.split(".")[-1] == "counts")  # noqa: SIM118
        counts = iter(head.get_tensor(name).tolist())
    return {lemma: {key: next(counts) for key in keys} for lemma, keys in senses.items()}


def answers(run: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield lemma, right senses and answer of each instance of dev."""
    with (run / "predictions.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["split"] == "dev":
                yield from zip(row["lemmas"], row["gold"], row["prediction"], strict=True)


def table(run: Path) -> Iterator[str]:
    """Yield what is right in all, and the lines of a Markdown table."""
    known = frequencies(run)
    of_gold, of_answer = Counter[int](), Counter[int]()
    gold_right, answer_right = Counter[int](), Counter[int]()
    usual = 0
    for lemma, right_ones, answer in answers(run):
        counts = known.get(lemma, {})
        if len(counts) < 2:
            continue
        right = bool(set(right_ones) & set(answer))
        usual += max(counts, key=lambda key: counts[key]) in right_ones
        here = _class(max(counts.get(key, 0) for key in right_ones))
        there = _class(max((counts.get(key, 0) for key in answer), default=0))
        of_gold[here] += 1
        gold_right[here] += right
        of_answer[there] += 1
        answer_right[there] += right
    both = sum(of_gold.values())
    right_share, usual_share = _share(gold_right.total(), both), _share(usual, both)
    yield f"{both:,} instances: {right_share} % right; the most frequent sense {usual_share} %"
    yield ""
    yield "| shown | gold | right | chosen | right |"
    yield "| ---: | ---: | ---: | ---: | ---: |"
    for i, name in enumerate(BOUNDS.values()):
        gold = f"{of_gold[i]:,} | {_share(gold_right[i], of_gold[i])} %"
        chosen = f"{of_answer[i]:,} | {_share(answer_right[i], of_answer[i])} %"
        yield f"| {name} | {gold} | {chosen} |"


def _class(count: int) -> int:
    return bisect_right(list(BOUNDS), count) - 1


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a run's folder")
    for run in parser.parse_args().runs:
        try:
            lines = [*table(run)]
        except (OSError, LookupError, TypeError, ValueError) as error:
            parser.error(f"{run}: not a finished run of task=wsd ({error!r})")
        print(f"{run.name}:", *lines, "", sep="\n")


if __name__ == "__main__":
    main()
