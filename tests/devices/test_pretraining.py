"""A step of pretraining on a pretended accelerator: the CPU's numbers, and no waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.pretraining.corpus import Corpus, encode
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.streams import Streams
from elmo_core.pretraining.vocabulary import Vocabulary
from tests.devices.pretended import Traffic
from tests.elmo_core.conftest import TINY

Accelerator = tuple[torch.device, Traffic]
TRAINING = Training(batch_size=4, unroll_steps=5, n_negative_samples_batch=8, dropout=0.0)
TEXT = [[f"word{(7 * i + j) % 40}" for j in range(9)] for i in range(30)]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    vocabulary = Vocabulary.of(sorted({word for words in TEXT for word in words}))
    encode(TEXT, vocabulary, tmp_path)
    return Corpus(tmp_path, vocabulary, 50)


def trained(corpus: Corpus, device: torch.device, window: Any) -> PretrainingModule:
    """Take one step, as Lightning would."""
    torch.manual_seed(0)
    model = LanguageModel(BiLM(TINY), len(corpus.vocabulary), TRAINING.dropout)
    module = PretrainingModule(model, corpus, TRAINING).to(device)
    module.training_step(window, 0).backward()
    module.configure_gradient_clipping(None)  # type: ignore[arg-type]
    return module


def test_a_step(corpus: Corpus, accelerator: Accelerator) -> None:
    device, traffic = accelerator
    window = Streams(corpus, TRAINING.batch_size, TRAINING.unroll_steps).window(0)
    moved = type(window)(*(tensor.to(device) for tensor in window))
    traffic.restart()
    ours = trained(corpus, device, moved)
    waits = {place: n for place, n in traffic.waits.items() if not place.startswith("elsewhere")}
    assert sum(waits.values()) == 1, waits  # the longest of the words that it spells
    theirs = trained(corpus, torch.device("cpu"), window)
    assert ours.recent_loss == pytest.approx(theirs.recent_loss, rel=1e-5)
    for (name, mine), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert mine.grad is not None, name
        torch.testing.assert_close(mine.grad.cpu(), other.grad, atol=1e-5, rtol=1e-4)


def test_a_step_after_a_checkpoint_that_was_loaded_before_the_model_was_moved(
    corpus: Corpus, accelerator: Accelerator
) -> None:
    device, _ = accelerator
    window = Streams(corpus, TRAINING.batch_size, TRAINING.unroll_steps).window(0)
    before = trained(corpus, torch.device("cpu"), window)
    checkpoint: dict[str, Any] = {"global_step": 0}
    before.on_save_checkpoint(checkpoint)
    module = PretrainingModule(LanguageModel(BiLM(TINY), len(corpus.vocabulary)), corpus, TRAINING)
    module.on_load_checkpoint(checkpoint)
    module.to(device)
    module.on_train_start()
    moved = type(window)(*(tensor.to(device) for tensor in window))
    assert torch.isfinite(module.training_step(moved, 0).detach().cpu())


def test_a_loss_that_is_no_number_is_found_when_it_is_looked_at(
    corpus: Corpus, accelerator: Accelerator
) -> None:
    device, _ = accelerator
    module = PretrainingModule(LanguageModel(BiLM(TINY), 40), corpus, TRAINING)
    module._note("loss", torch.tensor(1.0).to(device))
    module._note("loss", torch.tensor(float("nan")).to(device))
    with pytest.raises(TrainingError, match="the loss of step 1 is nan"):
        module.look()
