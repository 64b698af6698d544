"""The library is chosen by what the machine is and the user says, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
import torch

from elmo_core.errors import OptionsError
from elmo_core.products import path

Machine = Callable[..., None]

PROGRAM = """
import hashlib, torch
from elmo_core.bilm.bilm import BiLM
from elmo_core.encoders.elmo import ElmoEncoder
from elmo_core.products import linear
from tasks.nn.recurrent.bilstm import BiLSTM
from tests.elmo_core.conftest import TINY

torch.manual_seed(0)
torch.set_num_threads(1)
options = {**TINY, "lstm": {**TINY["lstm"], "dim": 512, "projection_dim": 64}}
bilm = BiLM(options)
bilm.initialise(torch.Generator().manual_seed(0))
encoded = ElmoEncoder(bilm, "tiny").encode([["a", "word", "or", "two"], ["three"]] * 20)

lstm = BiLSTM(200, 100)
optimizer = torch.optim.Adam(lstm.parameters())
lengths = torch.randint(1, 13, (40,))
lstm(torch.randn(40, 12, 200), lengths).square().sum().backward()
optimizer.step()

digest = hashlib.sha256()
for tensor in (*encoded, *lstm.parameters()):
    digest.update(tensor.detach().numpy().tobytes())
print(digest.hexdigest())
"""


@pytest.mark.parametrize("library", path.PATHS)
def test_two_processes_compute_the_same_bits(library: str) -> None:
    if library == "onednn" and not path.has_onednn():
        pytest.skip("this PyTorch has no oneDNN")
    environment = {**os.environ, path.VARIABLE: library}
    command = [sys.executable, "-c", PROGRAM]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(2)]
    first, second = (process.communicate()[0] for process in both)
    assert len(first) == 65  # a digest and a line's end: it did not fail
    assert first == second


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A machine, by its processor, with nothing decided yet and nothing said by the user."""

    def made(vendor: str, capability: str, *, mkl: bool = True, onednn: bool = True) -> None:
        monkeypatch.delenv(path.VARIABLE, raising=False)
        monkeypatch.setattr(path, "_processor", lambda: f"vendor_id : {vendor}")
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
        monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: mkl)
        monkeypatch.setattr(path, "has_onednn", lambda: onednn)

    path._decided.cache_clear()
    path.packs.cache_clear()
    yield made
    path._decided.cache_clear()
    path.packs.cache_clear()


@pytest.mark.parametrize(
    ("vendor", "capability", "others", "chosen", "packs"),
    [
        ("AuthenticAMD", "AVX512", {}, "onednn", True),
        ("AuthenticAMD", "AVX2", {}, "torch", True),
        ("GenuineIntel", "AVX512", {}, "torch", True),
        ("GenuineIntel", "AVX2", {}, "torch", True),
        ("AuthenticAMD", "AVX512", {"mkl": False}, "torch", True),
        ("AuthenticAMD", "AVX512", {"onednn": False}, "torch", False),
        ("an Arm", "DEFAULT", {}, "torch", False),
    ],
)
def test_the_machine_decides(
    machine: Machine,
    vendor: str,
    capability: str,
    others: dict[str, bool],
    chosen: str,
    packs: bool,
) -> None:
    machine(vendor, capability, **others)
    assert (path.chosen(), path.packs()) == (chosen, packs)


@pytest.mark.parametrize("library", path.PATHS)
def test_the_user_may_overrule_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    machine("GenuineIntel", "AVX2")
    monkeypatch.setenv(path.VARIABLE, library)
    assert (path.chosen(), path.packs()) == (library, library == "onednn")


def test_what_cannot_be_chosen(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine("AuthenticAMD", "AVX512", onednn=False)
    monkeypatch.setenv(path.VARIABLE, "mkl")
    with pytest.raises(OptionsError, match="ELMO_BENCH_PRODUCTS=mkl: choose onednn or torch"):
        path.chosen()
    monkeypatch.setenv(path.VARIABLE, "onednn")
    with pytest.raises(OptionsError, match="no oneDNN"):
        path.chosen()
