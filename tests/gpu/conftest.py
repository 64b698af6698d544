"""The tests that need a GPU: `make gpu`, or `python -m pytest -m gpu tests/gpu`.

ELMO_BENCH_TRIED_ON=cpu tries them without one.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

TRIED_ON = os.environ.get("ELMO_BENCH_TRIED_ON", "cuda")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(scope="session")
def gpu() -> torch.device:
    """The device that is compared with the CPU; without a GPU the test is skipped."""
    if TRIED_ON == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return torch.device(TRIED_ON)


@pytest.fixture(scope="session")
def on_gpu(gpu: torch.device) -> list[str]:
    """The words of the command line that choose it."""
    return [f"trainer.accelerator={gpu.type}"]
