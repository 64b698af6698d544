"""Coreference learns by heart what its objective shows it.

Lee et al. 2017, section 4, sum over the spans that survive pruning. Of a cluster of which pruning
leaves one mention or none, the loss sees nothing: no gradient brings the others back, and a model
of zero loss may lack a few clusters. Even where there is room for all spans, those that stay do not
cross, and what a wrong one displaces early may be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig
from torch import Tensor

from elmo_core import Placement
from tasks.coref import Coref
from tasks.coref.score import score

EPOCHS = 60  # half of them are enough


def left(clusters: Sequence[Any], kept: set[tuple[int, int]]) -> list[list[Any]]:
    """What pruning leaves of a document's clusters."""
    survivors = ([m for m in cluster if tuple(m) in kept] for cluster in clusters)
    return [cluster for cluster in survivors if len(cluster) > 1]


def figures(task: Coref, output: Mapping[str, Tensor], examples: Sequence[Any]) -> list[float]:
    """The average F1 on all gold, and on what pruning leaves of it."""
    rows, begin, kept = task.predict(dict(output), examples), 0, output["mentions"]
    whole, shown = [], []
    for row in rows:
        spans = {(a, b) for a, b in (kept - begin).tolist()}
        whole.append({"key": row["gold"], "response": row["prediction"]})
        shown.append({"key": left(row["gold"], spans), "response": row["prediction"]})
        begin += len(row["tokens"])
    return [score(documents)["conll_average"] for documents in (whole, shown)]


@pytest.mark.slow
def test_sixteen_documents(configured: Callable[..., DictConfig]) -> None:
    """Without dropout or a limit on spans; else as the paper trains: a document a step, Adam 1e-3,
    norms clipped."""
    cfg = configured("task=coref", "data=mini", "task.spans_per_word=10")
    task: Coref = instantiate({k: v for k, v in cfg.task.items() if k != "name"})
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    examples = [train[i] for i in range(16)]
    torch.manual_seed(0)
    model = task.model(Placement("none", 0, 0))
    for module in model.modules():
        if hasattr(module, "p"):
            module.p = 0.0
    together, batches = task.collate(examples), [task.collate([e]) for e in examples]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(EPOCHS):
        for batch in batches:
            optimizer.zero_grad()
            model(batch, None)["loss"].backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.training.clip_norm)
            optimizer.step()
        with torch.no_grad():
            whole, shown = figures(task, model(together, None), examples)
        if shown >= 99 and whole >= 97:
            return
    pytest.fail(f"after {EPOCHS} epochs: {shown:.1f} on what is shown, {whole:.1f} on all")
