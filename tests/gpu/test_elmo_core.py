"""The featurizer and pretraining on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from elmo_core import load_encoder
from elmo_core.bilm.chars import sentence_ids
from elmo_core.bilm.options import Options
from elmo_core.pretraining.prepare import Request, prepare
from elmo_core.pretraining.progress import read_log
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.train import train
from tests.devices.text import sentences
from tests.elmo_core.conftest import TINY


def test_vectors_are_float32s(gpu: torch.device) -> None:
    """Rounding alone parts them from float64's: on a CPU by 6e-7 in the mean, and by 3e-5 at most,
    where a word is repeated; in bfloat16 by a thousand times as much."""
    encoder = load_encoder("elmo-mini").to(gpu)
    text = [*sentences(300), ["long"] * 400]
    found = encoder.encode(text)
    assert all(layers.device.type == "cpu" for layers in found)
    exact = load_encoder("elmo-mini").bilm.double()
    expected = [exact(sentence_ids([words]))[0][0, :, 1:-1] for words in text]
    errors = torch.cat([(a - b).flatten() for a, b in zip(found, expected, strict=True)])
    assert errors.square().mean().sqrt() < 2e-6
    assert errors.abs().max() < 1e-4


def test_autocast_does_not_change_them(gpu: torch.device) -> None:
    encoder = load_encoder("elmo-mini").to(gpu)
    expected = encoder.encode(sentences(20))
    with torch.autocast(gpu.type, torch.bfloat16):
        found = encoder.encode(sentences(20))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_pretraining_goes_as_on_a_cpu(gpu: torch.device, precision: str, tmp_path: Path) -> None:
    """Without dropout; in float32 alike, in half precision nearly."""
    text = tmp_path / "text.txt"
    text.write_text("".join(f"Bank {i % 7} closed at noon on day {i % 5} .\n" for i in range(900)))
    prepare([text], tmp_path / "corpus", Request("tokenised", heldout=0.3, min_count=1))
    options = Options.parse(TINY)
    training = Training(
        batch_size=8, unroll_steps=5, epochs=0.3, dropout=0.0, optimizer="adam", learning_rate=0.01
    )
    found = {}
    for name, device, in_precision in (("cpu", "cpu", "32-true"), ("gpu", gpu.type, precision)):
        train(
            tmp_path / "corpus",
            tmp_path / name,
            options,
            training,
            every=10,
            accelerator=device,
            precision=in_precision,
        )
        found[name] = [float(row["heldout_average"]) for row in read_log(tmp_path / name)]
    assert len(found["cpu"]) > 1
    assert found["gpu"] == pytest.approx(found["cpu"], rel=1e-3 if precision == "32-true" else 0.05)
