"""A command in namespaces of its own: folders that cannot be written, even by root; no network."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

UNSHARE = ("unshare", "--map-root-user", "--mount")
MOUNT = 'while [ "$1" != -- ]; do mount --bind -o ro "$1" "$1" || exit 77; shift; done; shift; "$@"'


def isolated(
    command: Sequence[str | Path],
    *,
    read_only: Sequence[Path] = (),
    network: bool = True,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; its mounts go with it. Skips the test where that is not allowed."""
    cut_off = [] if network else ["--net"]
    inside: list[str | Path] = [*UNSHARE, *cut_off, "sh", "-c", MOUNT, "sh", *read_only, "--"]
    try:
        allowed = subprocess.run([*inside, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("this system gives its users no namespaces (unshare)")
    return subprocess.run(
        [*inside, *command], capture_output=True, text=True, env={**os.environ, **environment}
    )
