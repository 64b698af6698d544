"""What runs are evaluated on, and the name and the command of such an evaluation. No torch here."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from omegaconf import DictConfig

from bench.evaluate import PROGRAM
from bench.noise import Noise
from bench.run.trust import flags


@dataclass(frozen=True)
class Asked:
    """What finished runs are to be scored on.

    Attributes:
        data: The node `data` of a configuration; None for the data that a run was trained on.
        splits: Which splits of it; one that the data does not have is left out.
        names: The new name of each label that is read as another.
        noise: What spells words otherwise; None leaves them as they are.
    """

    data: DictConfig | None
    splits: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    noise: Noise | None = None


def evaluation_id(run_id: str, asked: Asked, prints: Mapping[str, str]) -> str:
    """Return the name of an evaluation's folder: the run's id, and a hash of what it is scored on.

    Args:
        run_id: The run's.
        asked: What is asked for.
        prints: The fingerprint of each split. Those of the run's own data do not count, so that
            the name is known before anything is read.
    """
    data = prints if asked.data is not None else dict.fromkeys(asked.splits, "own")
    noise = asked.noise and asdict(asked.noise)
    text = json.dumps([data, asked.names, noise], sort_keys=True)
    return f"{run_id}-on-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def command(folder: Path, asked: Asked, trusted: Iterable[str] = ()) -> str:
    """Return what scores the run in `folder`, which needs these packages, again, for a shell."""
    words = [str(folder), *flags(trusted)]
    if asked.data is not None:
        keys = {"data": asked.data.name, "data.set": asked.data.set, "data.dir": asked.data.dir}
        words += [f"{key}={value}" for key, value in keys.items() if value]
    for name, new in asked.names.items():
        words += ["--map", f"{name}={new}"]
    if asked.noise is not None:
        words += ["--noise", f"{asked.noise.kind}={asked.noise.share:g}"]
        words += ["--noise-seed", str(asked.noise.seed)]
    for split in asked.splits:
        words += ["--split", split]
    return f"{PROGRAM} {shlex.join(words)}"
