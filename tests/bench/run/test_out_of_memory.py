"""What a run says that ran out of memory."""

from __future__ import annotations

import pytest
from omegaconf import OmegaConf

from bench.errors import RunError
from bench.run.out_of_memory import explained, of_batch
from tasks.snli import SNLI

CFG = OmegaConf.create({"features": {"mode": "auto"}})
GPU = OmegaConf.create({"features": {"mode": "gpu"}})


def test_the_longest_example_is_named() -> None:
    task = SNLI(word_dim=4, hidden=4)
    batch = [{"id": str(size), "premise": ["a"] * size, "hypothesis": ["b"]} for size in (2, 9, 4)]
    said = of_batch(task, batch)
    assert f"in a batch of 3, whose longest example, 9, has {task.size(batch[1])} tokens" in said
    assert "before the first batch" in of_batch(task, [])


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory"),
    ],
)
def test_what_allocators_say_is_explained(error: Exception) -> None:
    with pytest.raises(RunError, match=r"^lower it$"), explained(CFG, lambda: "lower it"):
        raise error
    with pytest.raises(RunError, match=r"or features=auto$"), explained(GPU, lambda: "lower it"):
        raise error


def test_other_errors_go_through() -> None:
    with pytest.raises(RuntimeError, match="shapes"), explained(CFG, lambda: "lower it"):
        raise RuntimeError("shapes cannot be multiplied")
    with pytest.raises(RunError, match="told already"), explained(CFG, lambda: "lower it"):
        raise RunError("told already: out of memory")
