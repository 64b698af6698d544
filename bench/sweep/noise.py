"""The noise that an experiment asks for: each run on its dev set, with words misspelled."""

from __future__ import annotations

from omegaconf import DictConfig

from bench.errors import ConfigError
from bench.noise import Noise
from bench.sweep.job import Noisy, Places


def noisy(cfg: DictConfig, places: Places) -> list[Noisy]:
    """Return the evaluations of the sweep `cfg`, those under the same noise together.

    Raises ConfigError for a kind that there is not, a share that is no chance, where one of the two
    is missing, and beside ensembles, which no column of the shares would show.
    """
    levels = cfg.experiment.noise if cfg.experiment is not None else None
    if levels is None or not (levels.kinds or levels.shares):
        return []
    for key in ("kinds", "shares"):
        if not levels[key]:
            raise ConfigError(f"experiment.noise.{key}=[]: name one or more")
    if cfg.experiment.ensembles:
        raise ConfigError(
            "experiment.noise: does not go with experiment.ensembles, for which its table has no "
            "column: experiment.noise=null leaves it out"
        )
    noises = [Noise(kind, share, levels.seed) for kind in levels.kinds for share in levels.shares]
    return [Noisy(cell, job, noise) for noise in noises for cell, job in places]
