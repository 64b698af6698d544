"""The memory that a process may use, on a machine whose files are made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from elmo_core import control_groups, memory

GB = 10**9


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """50 GB that are free, without any control group."""
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
    monkeypatch.setattr(control_groups, "CGROUPS", tmp_path / "cgroup")
    written(tmp_path, "proc/meminfo", f"MemTotal: 9 kB\nMemAvailable:  {50 * GB // 1024} kB\n")
    return tmp_path


def written(folder: Path, name: str, text: str | int) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def test_without_control_groups(machine: Path) -> None:
    assert memory.free_memory() == 50 * GB // 1024 * 1024


@pytest.mark.parametrize("group", ["/", "/job/step", "/not/mounted/here"])
def test_version_2(machine: Path, group: str) -> None:
    """A limit of any group around the process's own holds."""
    written(machine, "proc/self/cgroup", f"0::{group}")
    written(machine, "cgroup/memory.max", 8 * GB)
    written(machine, "cgroup/memory.current", 5 * GB)
    written(machine, "cgroup/memory.stat", f"anon 7\ninactive_file {2 * GB}\nactive_file 3")
    assert memory.free_memory() == 5 * GB
    assert memory.all_memory() <= 8 * GB


def test_version_1(machine: Path) -> None:
    written(machine, "proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n3:pids:/\n0::/")
    written(machine, "cgroup/memory/a/memory.limit_in_bytes", 4 * GB)
    written(machine, "cgroup/memory/a/memory.usage_in_bytes", 5 * GB)
    written(machine, "cgroup/memory/memory.limit_in_bytes", 2**63 - 4096)
    written(machine, "cgroup/memory/memory.usage_in_bytes", 9 * GB)
    assert memory.free_memory() == 0


def test_this_machine() -> None:
    assert 0 < memory.free_memory() <= memory.all_memory()


def test_version_1_counts_the_files_of_the_groups_below(machine: Path) -> None:
    written(machine, "proc/self/cgroup", "4:memory:/job/step/task")
    written(machine, "cgroup/memory/job/memory.limit_in_bytes", 16 * GB)
    written(machine, "cgroup/memory/job/memory.usage_in_bytes", 13 * GB)
    stat = f"inactive_file 0\ntotal_inactive_file {7 * GB}"
    written(machine, "cgroup/memory/job/memory.stat", stat)
    assert memory.free_memory() == 10 * GB
