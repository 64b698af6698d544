"""`python -m bench`: compose a run from conf/ and the command line, and do it."""

from __future__ import annotations

import os
import sys

import hydra
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from bench import config, overrides


def job(cfg: DictConfig) -> None:
    """One run. torch and Lightning are imported only now, so that `--help` is quick."""
    from bench.errors import exit_status

    with exit_status(cfg.debug):
        config.check(cfg)
        from bench.run import run

        run(cfg)


def main() -> None:
    """Exit status: 0 done, 2 something the user can mend, 1 anything else."""
    arguments = sys.argv[1:]
    sys.argv[1:] = overrides.expand(arguments)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # let errors through to the lines below
    config.register()
    try:
        hydra.main(version_base="1.3", config_path=str(config.CONF), config_name="config")(job)()
    except (HydraException, OmegaConfBaseException) as error:
        print(f"error: {overrides.explain(sys.argv[1:], error)}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
