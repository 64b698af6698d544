"""What a run was done with: machine, versions, command. Nothing in here decides a number.

It names no person and no host. No torch at import: a finished run is told without it.
"""

from __future__ import annotations

import platform
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, distributions, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

from bench.records import Sitting

if TYPE_CHECKING:
    from pytorch_lightning import Trainer

SUITE = "elmo-bench"
CHECKOUT = Path(__file__).resolve().parents[2]


def sitting(trainer: Trainer, program: str = "python -m bench") -> Sitting:
    """Describe this process, a `program` that is about to work with `trainer`."""
    import torch

    from elmo_core import products

    commit, dirty = _revision()
    device = trainer.strategy.root_device.type
    return Sitting(
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=f"{program} {shlex.join(sys.argv[1:])}",
        commit=commit,
        dirty=dirty,
        platform=platform.platform(),
        processor=device_name(device),
        threads=torch.get_num_threads(),
        world_size=trainer.world_size,
        precision=str(trainer.precision),
        torch=str(torch.__version__),  # it is a class of its own
        products=products.chosen() if device == "cpu" else "torch",
    )


def versions() -> dict[str, str]:
    """Return the versions of Python, of this suite, and of what it depends on directly."""
    found = {"python": platform.python_version(), SUITE: version(SUITE)}
    for requirement in requires(SUITE) or ():
        name, marker = re.split(r"[^\w.-]", requirement, maxsplit=1)[0], requirement.partition(";")
        if "extra" not in marker[2]:
            with suppress(PackageNotFoundError):  # a run may have been done without it
                found[name] = version(name)
    return found


def environment() -> str:
    """List every installed package, as `pip freeze` does: one `name==version` a line."""
    # Each of these reads the package's file; `version` would read it again.
    found = set[str]()
    for each in distributions():
        with suppress(FileNotFoundError, KeyError):  # half removed
            found.add(f"{each.metadata['Name']}=={each.metadata['Version']}")
    return "".join(f"{line}\n" for line in sorted(found, key=str.lower))


def device_name(device: str) -> str:
    """Return the name of this machine's GPU, for `cuda` or `cuda:0`, or of its CPU."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def _revision() -> tuple[str | None, bool | None]:
    """Return the commit of this suite's checkout and whether it has changes; None without git."""
    if not (CHECKOUT / ".git").exists():
        return None, None
    try:
        commit = _git("rev-parse", "HEAD").strip()
        return commit, bool(_git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(*words: str) -> str:
    command = ["git", "-C", str(CHECKOUT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
