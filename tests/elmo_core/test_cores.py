"""Cores that a process may use, and how torch's threads share them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from elmo_core import control_groups, cores


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight cores, of control groups that the test makes up."""
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
    monkeypatch.setattr(control_groups, "CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    return tmp_path


def written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


def test_this_machine() -> None:
    assert 1 <= cores.usable_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8),
        ({"cgroup/cpu.max": "max 100000"}, 8),
        ({"cgroup/cpu.max": "250000 100000"}, 3),
        ({"cgroup/cpu.max": "5000 100000"}, 1),
        ({"cgroup/cpu.max": "900000 100000", "cgroup/job/cpu.max": "400000 100000"}, 4),
        ({"cgroup/cpu.max": "200000 100000", "cgroup/job/cpu.max": "400000 100000"}, 2),
        ({"cgroup/cpu.max": "of another time"}, 8),
    ],
)
def test_a_limit_of_control_groups_holds(
    machine: Path, files: dict[str, str], expected: int
) -> None:
    """A limit of any group around the process's own holds; a part of a core counts as one."""
    written(machine, {"proc/self/cgroup": "0::/job/step", **files})
    assert cores.usable_cores() == expected


@pytest.mark.parametrize(("quota", "expected"), [("-1", 8), ("200000", 2), ("", 8)])
def test_a_limit_of_control_groups_of_version_1_holds(
    machine: Path, quota: str, expected: int
) -> None:
    group = "cgroup/cpu/a/cpu.cfs_"
    files = {f"{group}quota_us": quota, f"{group}period_us": "100000"}
    written(machine, {"proc/self/cgroup": "4:memory:/b\n2:cpu,cpuacct:/a\n0::/", **files})
    assert cores.usable_cores() == expected


def test_torch_has_no_more_threads_than_there_are_cores(
    monkeypatch: pytest.MonkeyPatch, threads: Callable[[int], None]
) -> None:
    monkeypatch.delenv(cores.THREADS, raising=False)
    monkeypatch.setattr(cores, "usable_cores", lambda: 2)
    threads(3)
    cores.fit()
    assert torch.get_num_threads() == 2
    threads(1)
    cores.fit()
    assert torch.get_num_threads() == 1


def test_threads_that_the_user_asks_for_are_not_taken(
    monkeypatch: pytest.MonkeyPatch, threads: Callable[[int], None]
) -> None:
    monkeypatch.setenv(cores.THREADS, "3")
    monkeypatch.setattr(cores, "usable_cores", lambda: 2)
    threads(3)
    cores.fit()
    assert torch.get_num_threads() == 3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "10000"),
        ({cores.SPINS: "7"}, "7"),
        ({cores.POLICY: "PASSIVE"}, None),
    ],
)
def test_what_the_library_of_threads_is_told(given: dict[str, str], expected: str | None) -> None:
    """What torch's own OpenMP reads, where it is GNU's, is said as it is loaded."""
    script = (
        "from elmo_core.imports import importing_torch\n"
        "with importing_torch():\n    import torch\n"
        "import os\nprint(os.environ.get('GOMP_SPINCOUNT'))"
    )
    variables = {
        key: os.environ[key] for key in os.environ if key not in (cores.SPINS, cores.POLICY)
    }
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env={**variables, "OMP_DISPLAY_ENV": "VERBOSE", **given},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == [str(expected)]
    if expected and "GOMP_SPINCOUNT" in ended.stderr:
        assert f"GOMP_SPINCOUNT = '{expected}'" in ended.stderr
