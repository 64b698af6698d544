"""Peak memory of training on SQuAD at full size, on paragraphs of any length."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

LIMIT = 6 * 2**30
WORDS = {"train": 3000, "dev": 700}  # of the longest paragraph

TRAIN = """
import resource, sys
import torch
from bench.overrides import composed
from bench.run.run import run

class Wide:
    name, layers, dim, fingerprint = "wide", 3, 1024, "wide-1"
    numbers = torch.randn(layers, 1000, dim)

    def to(self, device):
        return self

    def encode(self, sentences):
        return [self.numbers[:, : len(words)].clone() for words in sentences]

sys.modules["wide"] = sys.modules["__main__"]
torch.set_num_threads(1)
result = run(composed([*sys.argv[1:], "encoder._target_=wide.Wide", "features=live"]))
print(result.counts["train"], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def _paragraph(drawn: random.Random, number: int, longest: int) -> dict[str, object]:
    words = ["".join(drawn.choices("abcdefghij", k=4)) for _ in range(drawn.randint(20, longest))]
    places = [drawn.randrange(len(words)) for _ in range(4)]
    qas = [
        {
            "id": f"{number}-{place}-{i}",
            "question": "Which word ?",
            "answers": [{"text": words[place], "answer_start": 5 * place}],
        }
        for i, place in enumerate(places)
    ]
    return {"context": " ".join(words), "qas": qas}


@pytest.mark.slow
def test_paragraphs_of_any_length_are_trained_on(tmp_path: Path) -> None:
    """ELMo of the published size at both places."""
    drawn = random.Random(0)
    for name, paragraphs in (("train", 300), ("dev", 20)):
        made = [_paragraph(drawn, i, WORDS[name]) for i in range(paragraphs)]
        file = {"version": "1.1", "data": [{"title": "made up", "paragraphs": made}]}
        (tmp_path / f"{name}-v1.1.json").write_text(json.dumps(file), encoding="utf-8")
    words = ["task=squad", f"data.dir={tmp_path}", "elmo.placement=input+output"]
    words += ["training.max_epochs=1", f"paths.runs={tmp_path}/runs", "trainer=cpu"]
    run = subprocess.run(
        [sys.executable, "-c", TRAIN, *words], check=True, capture_output=True, text=True
    )
    examples, peak = map(int, run.stdout.splitlines()[-1].split())
    assert examples == 1200
    assert peak < LIMIT, f"{peak / 2**30:.1f} GiB"
