#!/usr/bin/env python
"""How a coreference set calls what it has told of, and how often a run knows what is meant.

    python scripts/anaphors.py FILE.conll …   # shares: pronouns, names, the noun it had, another
    python scripts/anaphors.py RUN …          # of each kind, how many of dev's a run has right,
                                              # and their mean over the runs of an encoder

Third persons, and nouns with an article or a demonstrative; all others are left out. A noun is
another if the last word was not in any mention before. Right is a mention whose nearest one before
it, in the run's cluster, means the same.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean

from tasks.coref.columns import read_columns

KINDS = ("pronoun", "name", "same noun", "other noun")
PRONOUNS = "he him his himself she her hers herself it its itself they them their theirs themselves"
LEFT_OUT = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves
this that these those who whom whose which there here one then"""
DETERMINERS = "the this that these those"

Span = tuple[int, int]
Clusters = Sequence[Sequence[Sequence[int]]]


def spans(clusters: Clusters) -> list[list[Span]]:
    """Return the mentions of each cluster in their order."""
    return [sorted((first, last) for first, last in cluster) for cluster in clusters]


def anaphors(tokens: Sequence[str], clusters: Clusters) -> Iterator[tuple[str, int, Span]]:
    """Yield, of each mention but a cluster's first, its kind, its cluster's number and its span."""
    pronouns, left_out, determiners = map(str.split, (PRONOUNS, LEFT_OUT, DETERMINERS))
    for number, cluster in enumerate(spans(clusters)):
        before: set[str] = set()
        for place, (first, last) in enumerate(cluster):
            words = [token.lower() for token in tokens[first : last + 1]]
            if first == last and words[0] in pronouns:
                kind = "pronoun"
            elif first == last and words[0] in left_out:
                kind = ""
            elif tokens[last][0].isupper():
                kind = "name"
            elif words[0] in determiners:
                kind = "same noun" if words[-1] in before else "other noun"
            else:
                kind = ""
            if kind and place:
                yield kind, number, (first, last)
            before.update(words)


def of_file(path: Path) -> Counter[str]:
    """Count the kinds in a file of CoNLL-2012 columns."""
    found = Counter[str]()
    for document in read_columns(path):
        tokens = [token for sentence in document.sentences for token in sentence]
        found.update(kind for kind, _, _ in anaphors(tokens, document.clusters))
    return found


def of_run(run: Path) -> tuple[Counter[str], Counter[str]]:
    """Count the kinds in a run's dev set, all of them and the right ones."""
    found, right = Counter[str](), Counter[str]()
    with (run / "predictions.jsonl").open(encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["split"] == "dev"]
    for row in rows:
        meant = {span: n for n, cluster in enumerate(spans(row["gold"])) for span in cluster}
        pairs = (pair for cluster in spans(row["prediction"]) for pair in pairwise(cluster))
        nearest = {span: before for before, span in pairs}
        for kind, number, span in anaphors(row["tokens"], row["gold"]):
            found[kind] += 1
            right[kind] += span in nearest and meant.get(nearest[span]) == number
    return found, right


def encoder(run: Path) -> str:
    """Return the name of a run's encoder, none without ELMo."""
    result = json.loads((run / "result.json").read_text(encoding="utf-8"))
    return str((result["encoder"] or {"name": "none"})["name"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE or RUN")
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for path in parser.parse_args().paths:
        try:
            if path.is_dir():
                name, (found, right) = encoder(path), of_run(path)
            else:
                name, found, right = "", of_file(path), None
        except (OSError, LookupError, TypeError, ValueError) as error:
            parser.error(f"{path}: neither a file of coreference nor a finished run ({error!r})")
        for kind in (kind for kind in KINDS if found[kind]):
            n = found[kind]
            if right is None:
                print(f"{path}: {kind}: {100 * n / found.total():.1f} % of {found.total()}")
            else:
                shares[name, kind].append(100 * right[kind] / n)
                print(f"{path}: {kind}: {shares[name, kind][-1]:.1f} % of {n} are right")
    for (name, kind), each in shares.items():
        if len(each) > 1:
            print(f"{name}, {len(each)} runs: {kind}: {mean(each):.1f} % are right")


if __name__ == "__main__":
    main()
