"""What is on disk about runs and experiments, as types: the one schema of both. No torch here.

    <runs>/<task>/<run_id>/result.json      a `Finished` run, ensemble or evaluation, or a `Failed`
                                            run
    <runs>/.experiments/<name>-<hash>.json  a `Manifest`: an experiment and the cells of its table

`read_result` and `read_manifest` read them, `to_json` gives what is written. A key that this
version does not know is ignored; what an older record may lack has a default.

results.py      result.json
sections.py     its parts
manifests.py    an experiment's file
searches.py     its part about what was tried on dev
references.py   a file of reference results
arrays.py       numbers in it, small
typed_json.py   dataclasses to and from JSON
old.py          what earlier versions wrote
damaged.py      whatever is wrong with a file, in one line
"""

from __future__ import annotations

from bench.records.damaged import DamagedRecord
from bench.records.manifests import (
    BETWEEN,
    CLEAN,
    Manifest,
    ManifestCell,
    noisy_parts,
    noisy_row,
    read_manifest,
)
from bench.records.results import SCHEMA, Failed, Finished, Result, data_name, read_result
from bench.records.searches import Searched, Trial
from bench.records.sections import (
    CodedLabels,
    Elmo,
    EncoderFacts,
    Epoch,
    Evaluation,
    MemberScore,
    Mix,
    OnlineCode,
    Primary,
    Sitting,
)

__all__ = [
    "BETWEEN",
    "CLEAN",
    "SCHEMA",
    "CodedLabels",
    "DamagedRecord",
    "Elmo",
    "EncoderFacts",
    "Epoch",
    "Evaluation",
    "Failed",
    "Finished",
    "Manifest",
    "ManifestCell",
    "MemberScore",
    "Mix",
    "OnlineCode",
    "Primary",
    "Result",
    "Searched",
    "Sitting",
    "Trial",
    "data_name",
    "noisy_parts",
    "noisy_row",
    "read_manifest",
    "read_result",
]
