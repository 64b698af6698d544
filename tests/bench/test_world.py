"""Run ids ask for the number of processes before Lightning does: both must read the same."""

from __future__ import annotations

import pytest
import pytorch_lightning as pl

from bench.world import world_size


@pytest.mark.parametrize(("devices", "expected"), [("1", 1), ("2", 2), ("auto", 1), ("-1", 1)])
def test_as_lightning_counts(devices: str, expected: int) -> None:
    assert world_size({"accelerator": "cpu", "devices": devices}) == expected
    if devices != "-1":  # which Lightning takes of GPUs alone
        trainer = pl.Trainer(accelerator="cpu", devices=devices, barebones=True)
        assert trainer.world_size == expected


@pytest.mark.parametrize(("devices", "expected"), [("0,2", 2), ("3,", 1), ("8", 8)])
def test_of_gpus_by_number_or_index(devices: str, expected: int) -> None:
    assert world_size({"accelerator": "gpu", "devices": devices}) == expected
