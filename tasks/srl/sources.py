"""Where sets of semantic roles come from, and what is in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tasks.base.published import File, Found, Source, github_archive
from tasks.formats import conll2012, ud_ewt
from tasks.srl import propbank_ewt
from tasks.srl.columns import read_columns
from tasks.srl.data import locate

PROPBANK = "4abade0b53ce4a181e1d98b3518101c1a44d395a"


def count(folder: Path, split: str) -> Found | None:
    """Count the documents, sentences, tokens and predicates of a split."""
    path, files = locate(folder, split)
    if path is None:
        return None
    marked: Counter[str] = Counter()
    documents, sentences, tokens, predicates = set(), 0, 0, 0
    for file in files:
        for sentence in read_columns(file, marked):
            documents.add(sentence.document)
            sentences += 1
            tokens += len(sentence.words)
            predicates += len(sentence.propositions)
    parts = marked["documents"] or len(documents)  # of CoNLL-2012's documents the parts count
    counts = {"documents": parts, "sentences": sentences, "tokens": tokens}
    return Found(path, {**counts, "predicates": predicates})


SOURCES = (
    Source(
        name="propbank-ewt",
        task="srl",
        title="PropBank on the English Web Treebank",
        kinds=("open",),
        origin="https://github.com/propbank/propbank-release, with the words of "
        "https://github.com/UniversalDependencies/UD_English-EWT",
        version=f"{PROPBANK} + {ud_ewt.COMMIT}",
        files=(
            File(
                url=github_archive("propbank/propbank-release", PROPBANK),
                path=propbank_ewt.RELEASE,
                sha256=None,
            ),
            *ud_ewt.FILES,
        ),
        megabytes=None,
        prepare=propbank_ewt.prepare,
        obtain=None,
        licence="CC BY-SA 4.0",
        citation="Palmer et al. 2005, The Proposition Bank; Silveira et al. 2014, A gold standard "
        "dependency corpus for English",
        metric="f1",
        counts={
            "train": {
                "documents": 540,
                "sentences": 12_441,
                "tokens": 202_533,
                "predicates": 40_102,
            },
            "dev": {
                "documents": 297,
                "sentences": 1_958,
                "tokens": 24_809,
                "predicates": 4_943,
            },
            "test": {},
        },
        count=count,
    ),
    conll2012.source(
        "srl",
        version="conll-formatted-ontonotes-5.0 v12",
        files_from="release v12 of https://github.com/ontonotes/conll-formatted-ontonotes-5.0 "
        "makes the folders train, development and conll-2012-test",
        citation="Pradhan et al. 2013, Towards robust linguistic analysis using OntoNotes",
        metric="f1",
        counts=conll2012.ONTONOTES,
        count=count,
    ),
)
