"""What Hydra is to know of ours: the sweeper, the search and the launchers.

Hydra looks for plugins in the package `hydra_plugins`, but what lies there is loaded by every Hydra
program of the environment.
"""

from __future__ import annotations

from contextlib import suppress

from hydra.core.plugins import Plugins
from hydra.plugins.plugin import Plugin

from bench.sweep.cores import Cores
from bench.sweep.gpus import Gpus
from bench.sweep.search import Search
from bench.sweep.sweeper import Sweep

PLUGINS: dict[str, type[Plugin]] = {  # by the names in conf/hydra/
    "hydra_plugins.elmo_bench.Sweep": Sweep,
    "hydra_plugins.elmo_bench.Search": Search,
    "hydra_plugins.elmo_bench.Cores": Cores,
    "hydra_plugins.elmo_bench.Gpus": Gpus,
}

SUBMITIT_LOCAL = "hydra_plugins.hydra_submitit_launcher.submitit_launcher.LocalLauncher"
"""What `hydra/launcher=submitit_local` names, in whose place ours is taken."""


def register() -> None:
    """Make them known to Hydra."""
    known = Plugins.instance().class_name_to_class
    known.update(PLUGINS)
    with suppress(ImportError):  # of an extra
        from bench.sweep.slurm_launcher import Local, Slurm

        known["hydra_plugins.elmo_bench.Slurm"] = Slurm
        known[SUBMITIT_LOCAL] = Local
