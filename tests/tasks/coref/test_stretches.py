"""What training sees of a long document: one stretch of it, as a document of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from elmo_core import Placement
from tasks.coref import Coref
from tasks.coref.model import stretches

SENTENCES = ["abc", "bde", "efgc"]  # letters are words


def test_training_sees_a_stretch_of_each_document() -> None:
    document = torch.tensor([0] * 7 + [1] * 2 + [2] * 4)
    begins = set()
    for seed in range(60):
        torch.manual_seed(seed)
        seen = stretches(document, 3)
        assert document[seen].bincount().tolist() == [3, 2, 3]
        first = seen[:7].nonzero().squeeze(1)
        assert (first.diff() == 1).all()
        begins.add(int(first[0]))
    assert begins == {0, 1, 2, 3, 4}


def test_a_stretch_is_read_as_a_document_of_its_own() -> None:
    """With its own layers, speakers and gold: its loss is that of the sentence alone."""
    sizes: dict[str, Any] = {"word_dim": 8, "hidden": 6, "feed_forward": 20, "char_filters": 2}
    task = Coref(**sizes, dropout=0.0, lexical_dropout=0.0)
    task.restore({"words": list("abcdefg"), "dim": 8, "genres": []})
    task.sizes = replace(task.sizes, spans_per_word=1000.0, max_sentences=1)
    model: Any = task.model(Placement("input+output", 3, 4, dropout=0.0))
    layers = torch.randn(3, 3, 4, 4)

    def example(*kept: int) -> dict[str, Any]:
        begins = [sum(len(SENTENCES[j]) for j in kept if j < i) for i in kept]
        speakers = [[f"{j % (i + 1)}" for j in range(len(SENTENCES[i]))] for i in kept]
        given = task.parse({"sentences": [list(SENTENCES[i]) for i in kept], "speakers": speakers})
        gold = [[[at, at], [at + i, at + 2]] for i, at in zip(kept, begins, strict=True)]
        return {**given, "clusters": gold}

    def loss(kept: tuple[int, ...], layers: torch.Tensor) -> float:
        return model(task.collate([example(*kept)]), layers)["loss"].item()

    model.eval()
    alone = [loss((i,), layers[i : i + 1, :, : len(SENTENCES[i])]) for i in range(3)]
    assert min(abs(alone[i] - alone[j]) for i in range(3) for j in range(i)) > 1e-3
    model.train()
    seen = set()
    for seed in range(20):
        torch.manual_seed(seed)
        found = loss((0, 1, 2), layers)
        (which,) = [i for i, one in enumerate(alone) if abs(one - found) < 1e-5]
        seen.add(which)
    assert seen == {0, 1, 2}
