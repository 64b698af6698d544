"""Where sense-annotated text comes from, and what is in it."""

from __future__ import annotations

from pathlib import Path

from tasks.sources import Found, Source
from tasks.wsd.corpus import SUFFIX, read_sentences
from tasks.wsd.data import SETS, locate


def count(folder: Path, split: str) -> Found | None:
    """All sentences, those without an instance too; instances set by set."""
    paths = locate(folder, split)
    if not paths:
        return None
    sentences, instances = 0, dict.fromkeys(SETS[split], 0)
    for path in paths:
        found = [len(sentence.instances) for sentence in read_sentences(path)]
        sentences += len(found)
        instances[path.name.removesuffix(SUFFIX)] = sum(found)
    return Found(paths[0], {"sentences": sentences, **instances})


SOURCES = (
    Source(
        name="wsdeval",
        task="wsd",
        title="WSD evaluation framework: SemCor, Senseval and SemEval",
        kinds=("open", "paper"),
        origin="http://lcl.uniroma1.it/wsdeval",
        version="2017, WordNet 3.0",
        files=(),  # published without a version or a checksum
        megabytes=None,
        prepare=None,
        obtain="unpack WSD_Evaluation_Framework.zip of http://lcl.uniroma1.it/wsdeval and, for its "
        "dict/index.sense, WordNet-3.0.tar.gz of https://wordnet.princeton.edu",
        licence="for research; the words of SemCor are the Brown Corpus's, the senses WordNet's",
        citation="Raganato et al. 2017, Word sense disambiguation: a unified evaluation framework "
        "and empirical comparison; Miller et al. 1993, A semantic concordance",
        metric="f1",
        counts={
            "train": {"sentences": 37_176, "semcor": 226_036},
            "dev": {"sentences": 135, "semeval2007": 455},
            "test": {
                "sentences": 1_038,
                "senseval2": 2_282,
                "senseval3": 1_850,
                "semeval2013": 1_644,
                "semeval2015": 1_022,
            },
        },
        count=count,
    ),
)
