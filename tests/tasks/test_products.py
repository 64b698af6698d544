"""Heads learn the same, whichever library computes their products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig

from elmo_core import Placement
from elmo_core.products import learned, path

STEPS = 50
EARLY = 12  # before rounding has grown: damage that is small shows here
DIM = 16

SIZES = {
    "squad": ["word_dim=8", "char_dim=4", "char_filters=8", "hidden=12"],
    "snli": ["word_dim=8", "hidden=16"],
    "srl": ["word_dim=8", "predicate_dim=4", "hidden=16", "layers=4"],
    "coref": ["word_dim=8", "char_filters=4", "hidden=12", "feed_forward=12", "feature_dim=4"],
    "ner": ["word_dim=8", "char_dim=4", "char_filters=8", "hidden=[12,8]"],
    "sst5": ["word_dim=8", "hidden=12"],
}
"""The paper's six heads, made small."""


@pytest.fixture(params=SIZES)
def losses(
    request: pytest.FixtureRequest,
    configured: Callable[..., DictConfig],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[], list[float]]:
    """`losses()`: those of the first steps, dropout on."""
    name = request.param
    words = (f"task={name}", "data=mini", "recipe=paper")
    cfg = configured(*words, *(f"task.{size}" for size in SIZES[name]))
    task = instantiate({key: value for key, value in cfg.task.items() if key != "name"})
    train = task.load("train")
    task.prepare(train)
    number = 1 if name == "coref" else 4
    batches = [[train[number * k + i] for i in range(number)] for k in range(4)]
    given = [(task.collate(examples), _layers(task, examples)) for examples in batches]
    monkeypatch.setattr(learned, "SMALLEST", 0)  # small products, too

    def measured() -> list[float]:
        torch.manual_seed(0)
        model = task.model(Placement(cfg.elmo.placement, 3, DIM, dropout=cfg.elmo.dropout))
        optimizer = instantiate(cfg.training.optimizer, params=model.parameters())
        found = []
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = model(*given[step % len(given)])["loss"]
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            found.append(loss.item())
        return found

    return measured


def _layers(task: Any, examples: list[Any]) -> torch.Tensor:
    sentences = [s for example in examples for s in task.sentences(example)]
    generator = torch.Generator().manual_seed(0)
    return torch.randn(len(sentences), 3, max(map(len, sentences)), DIM, generator=generator)


@pytest.mark.skipif(not path.has_onednn(), reason="this PyTorch has no oneDNN")
def test_the_first_losses_agree(losses: Callable[[], list[float]]) -> None:
    with path.using("onednn"):
        ours = losses()
    with path.using("torch"):
        theirs = losses()
    assert ours != theirs  # other products did come in
    assert min(theirs) < theirs[0]  # and something was learned
    assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)
    assert ours[:EARLY] == pytest.approx(theirs[:EARLY], rel=1e-5, abs=1e-5)
