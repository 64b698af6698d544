"""Where sense-annotated text comes from, and what is in it."""

from __future__ import annotations

from pathlib import Path

from tasks.base.published import Found, Source
from tasks.wsd.corpus import SUFFIX, read_sentences
from tasks.wsd.data import SETS, locate


def count(folder: Path, split: str) -> Found | None:
    """Count all sentences, those without an instance too, and the instances set by set."""
    paths = locate(folder, split)
    if not paths:
        return None
    sentences, instances = 0, dict.fromkeys(SETS[split], 0)
    for path in paths:
        found = [len(sentence.instances) for sentence in read_sentences(path)]
        sentences += len(found)
        instances[path.name.removesuffix(SUFFIX)] = sum(found)
    of_sets = {f"instances of {name}": number for name, number in instances.items()}
    return Found(paths[0], {"sentences": sentences, **of_sets})


SEMCOR_3 = Source(
    name="semcor3",
    task="wsd",
    title="SemCor 3.0 and SemEval-2007 in the framework's format, with the Open English WordNet",
    kinds=("open",),
    origin="https://github.com/rubenIzquierdo/wsd_corpora, https://github.com/HSLCY/GlossBERT, "
    "https://github.com/globalwordnet/english-wordnet",
    version="c31b9b8, 64d282d, d94538a",
    files=(),  # the three are brought into one format by hand
    megabytes=None,
    prepare=None,
    obtain="write SemCor as semcor.data.xml and semcor.gold.key.txt, as the other set has them, "
    "and WordNet's senses as oewn_senses.tsv (tasks/wsd/README.md)",
    licence="WordNet's, with the Brown Corpus's words; SemEval-2007 for research; CC BY 4.0",
    citation="Miller et al. 1993, A semantic concordance; Pradhan et al. 2007, SemEval-2007 task "
    "17",
    metric="f1",
    counts={
        "train": {"sentences": 37_176, "instances of semcor": 234_136},
        "dev": {"sentences": 135, "instances of semeval2007": 455},
        "test": {},
    },
    count=count,
)

SOURCES = (
    SEMCOR_3,
    Source(
        name="wsdeval",
        task="wsd",
        title="WSD evaluation framework: SemCor, Senseval and SemEval",
        kinds=("paper",),
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
            "train": {"sentences": 37_176, "instances of semcor": 226_036},
            "dev": {"sentences": 135, "instances of semeval2007": 455},
            "test": {
                "sentences": 1_038,
                "instances of senseval2": 2_282,
                "instances of senseval3": 1_850,
                "instances of semeval2013": 1_644,
                "instances of semeval2015": 1_022,
            },
        },
        count=count,
    ),
)
