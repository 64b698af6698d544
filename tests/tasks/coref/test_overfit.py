"""Coreference learns sixteen documents by heart.

Lee et al. 2017, section 4, sum over the spans that survive pruning: what it leaves out gets no
gradient, and spans that stay do not cross, so that a wrong one may keep a mention out for good. So
here there is room for all spans, and none is wider than the widest mention.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

from elmo_core import Placement
from tasks.coref import Coref
from tasks.coref.score import score

EPOCHS = 60  # a third of them is enough


@pytest.mark.slow
def test_sixteen_documents(configured: Callable[..., DictConfig]) -> None:
    """Without dropout; else as the paper trains: a document a step, Adam 1e-3, norms clipped."""
    cfg = configured("task=coref", "data=mini", "task.spans_per_word=10", "task.max_width=6")
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
    found = 0.0
    for _ in range(EPOCHS):
        for batch in batches:
            optimizer.zero_grad()
            model(batch, None)["loss"].backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.training.clip_norm)
            optimizer.step()
        with torch.no_grad():
            rows = task.predict(model(together, None), examples)
        documents = [{"key": row["gold"], "response": row["prediction"]} for row in rows]
        if (found := score(documents)["conll_average"]) >= 99:
            return
    pytest.fail(f"after {EPOCHS} epochs: {found:.1f}")
