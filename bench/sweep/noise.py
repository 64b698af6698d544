"""The noise that an experiment asks for: each run on its dev set, with words misspelled."""

from __future__ import annotations

from omegaconf import DictConfig

from bench.errors import ConfigError
from bench.noise import Noise
from bench.sweep.job import Noisy, Places


def noisy(cfg: DictConfig, places: Places) -> list[Noisy]:
    """Return the evaluations of the sweep `cfg`, those under the same noise together.

    Raises ConfigError for a kind that there is not, a share that is no chance, and where one of
    the two is missing.
    """
    levels = cfg.experiment.noise if cfg.experiment is not None else None
    if levels is None or not (levels.kinds or levels.shares):
        return []
    for key in ("kinds", "shares"):
        if not levels[key]:
            raise ConfigError(f"experiment.noise.{key}=[]: name one or more")
    noises = [Noise(kind, share, levels.seed) for kind in levels.kinds for share in levels.shares]
    return [Noisy(cell, job, noise) for noise in noises for cell, job in places]
