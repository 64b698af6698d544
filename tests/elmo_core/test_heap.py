"""Memory is asked of the system once, and then kept."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import os, resource, sys
from elmo_core.heap import HUGE_PAGES, keep
if "keep" in sys.argv:
    keep()
import torch
kept = [torch.ones(2**16) for _ in range(4)]  # the heap ends with something that stays
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
torch.ones(2**24)  # 64 MB
before = faults()
for _ in range(8):
    torch.ones(2**24)
print(faults() - before, os.environ.get(HUGE_PAGES))
"""


def faults(*arguments: str, **variables: str) -> tuple[int, str]:
    """Count the pages that eight tensors of 64 MB, one after the other, ask of the system."""
    output = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        env={"PATH": "", **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    count, huge_pages = output.split()
    return int(count), huge_pages


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_what_a_tensor_gives_back_is_kept_for_the_next() -> None:
    kept, huge_pages = faults("keep")
    assert huge_pages == "1"
    assert 10 * kept < faults()[0]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_what_the_user_has_set_stays() -> None:
    given = {"THP_MEM_ALLOC_ENABLE": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
    count, huge_pages = faults("keep", **given)
    assert huge_pages == "0"
    assert count > 0.9 * faults(**given)[0] > 0  # as many as without `keep`
