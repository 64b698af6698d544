"""What the audit says: a row for each split, its worst cases, the legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from bench.console import for_tables
from bench.data.leaks.overlap import KINDS, RUN, SHORTEST
from bench.data.leaks.search import Place
from bench.data.leaks.sets import Split

WORST = 3


def row_of(split: Split, found: Mapping[int, Place]) -> dict[str, Any]:
    """Count what was found of a split; an example counts once, for the worst."""
    hits = {
        example: max((found[n] for n in numbers if n in found), key=lambda place: place.rank)
        for example, numbers in split.examples.items()
        if any(n in found for n in numbers)
    }
    by_kind = {kind: [e for e, p in hits.items() if p.match.kind == kind] for kind in KINDS}
    worst: dict[int, dict[str, Any]] = {}  # a sentence once, whatever examples share it
    for example, place in sorted(hits.items(), key=lambda hit: hit[1].rank, reverse=True):
        numbers = split.examples[example]
        part = {"sentences": len(numbers), "found": sum(n in found for n in numbers)}
        worst.setdefault(place.match.sentence, {"id": example, **part, **_told(place)})
    sentences = {n for numbers in split.examples.values() for n in numbers}
    return {
        "set": split.name,
        "split": split.split,
        "examples": len(split.examples),
        "not_looked_for": sum(not numbers for numbers in split.examples.values()),
        **{kind: len(by_kind[kind]) for kind in KINDS},
        "sentences": len(sentences),
        "found": sum(n in found for n in sentences),
        "worst": list(worst.values())[:WORST],
        "ids": by_kind,
    }


def _told(place: Place) -> dict[str, Any]:
    match = place.match
    share = round(match.share, 3)
    return {"kind": match.kind, "words": match.words, "share": share, "where": place.where}


COLUMNS = ("examples", f"{RUN} words", "share", "nearly", "short", "not looked for", "sentences")
LEGEND = f"""\
An example counts once, for the worst. {RUN} words: so many or more in a row, of one sentence;
nearly: half of a sentence's runs of five words; short: a whole sentence of {SHORTEST} to {RUN - 1}
words; not looked for: its sentences are shorter still. Sentences: the share, of those that were
looked for, of which anything was found."""


def show(rows: Sequence[dict[str, Any]]) -> None:
    """Print the table, and the worst cases with the places where they stand."""
    out = for_tables()
    table = Table("set", "split", title="what stands in the text", title_justify="left")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for row in rows:
        counts = [f"{row[key]:,}" for key in ("near", "short", "not_looked_for")]
        shares = [_share(row["run"], row["examples"]), _share(row["found"], row["sentences"])]
        numbers = (f"{row['examples']:,}", f"{row['run']:,}", shares[0], *counts, shares[1])
        table.add_row(row["set"], row["split"], *numbers)
    out.print(table)
    out.print(LEGEND)
    for row in rows:
        for case in row["worst"]:
            line = f"{row['set']} {row['split']} {case['id']}: {_said(case)}, {case['where']}"
            out.print(escape(line), soft_wrap=True)


def _share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.2%}"


def _said(case: dict[str, Any]) -> str:
    """Say what was found of an example's worst sentence, and of how many of its sentences."""
    what = {
        "run": f"{case['words']} words in a row",
        "near": f"{case['share']:.0%} of a sentence of {case['words']} words",
        "short": f"a sentence of {case['words']} words",
    }[case["kind"]]
    several = case["sentences"] > 1
    return what + f" ({case['found']} of {case['sentences']} sentences)" * several
