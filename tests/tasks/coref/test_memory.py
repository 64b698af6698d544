"""Peak memory of coreference at full size, each figure from a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LIMIT = 6 * 2**30

MEASURE = """
import json, random, resource, sys
import torch
from datasets import Dataset
from elmo_core import Placement
from tasks.coref import Coref

tokens, length, layers, dim, train = json.loads(sys.argv[1])
torch.set_num_threads(1)
drawn = random.Random(0)
vocabulary = ["".join(drawn.choices("abcdefghij", k=drawn.randint(1, 12))) for _ in range(5000)]
sentences = [
    drawn.choices(vocabulary, k=min(length, tokens - begin)) for begin in range(0, tokens, length)
]
mentions = [[place, place + 1] for place in range(0, tokens - 2, 9)]
example = {
    "id": "x",
    "genre": "",
    "sentences": sentences,
    "speakers": [["" for _ in sentence] for sentence in sentences],
    "clusters": [mentions[i::40] for i in range(40)],
}
task = Coref()
task.prepare(Dataset.from_list([example]))
model = task.model(Placement("input", layers, dim)).train(train)
batch = task.collate([example])
vectors = torch.randn(len(sentences), layers, batch["words"].shape[1], dim)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with torch.set_grad_enabled(train):
    output = model(batch, vectors)
if train:
    optimizer = torch.optim.Adam(p for p in model.parameters() if p.requires_grad)
    output["loss"].backward()
    optimizer.step()
usage = resource.getrusage(resource.RUSAGE_SELF)
spans, seconds = len(output["mentions"]), usage.ru_utime + usage.ru_stime
print(json.dumps([before * 1024, usage.ru_maxrss * 1024, spans, seconds]))
"""


def measure(
    tokens: int, sentence: int, layers: int, dim: int, *, train: bool
) -> tuple[int, int, int, float]:
    """Bytes before the model runs, and at most; spans that stay; CPU seconds of the process."""
    argument = json.dumps([tokens, sentence, layers, dim, train])
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, argument], check=True, capture_output=True, text=True
    )
    before, peak, spans, seconds = json.loads(run.stdout)
    return before, peak, spans, seconds


@pytest.mark.slow
def test_six_thousand_tokens_are_predicted() -> None:
    _, peak, spans, _ = measure(6000, 25, 3, 1024, train=False)
    assert spans == 2400
    assert peak < LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("sentence", [25, 60, 80])
def test_fifty_sentences_are_trained_on(sentence: int) -> None:
    _, peak, spans, _ = measure(80 * sentence, sentence, 3, 1024, train=True)
    assert spans == 20 * sentence  # 0.4 a word of 50 sentences
    assert peak < LIMIT


@pytest.mark.slow
def test_prediction_grows_with_the_length_of_a_document() -> None:
    """Not with its square: what a block of spans needs is bounded by the antecedents."""
    grown = [
        peak - before
        for before, peak, *_ in (measure(n, 25, 3, 256, train=False) for n in (1500, 3000, 6000))
    ]
    assert grown[2] - grown[1] < 3 * max(grown[1] - grown[0], 2**27)
