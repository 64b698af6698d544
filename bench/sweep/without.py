"""The rows and columns of an experiment that the command line leaves out."""

from __future__ import annotations

from omegaconf import DictConfig, flag_override

from bench.errors import ConfigError
from elmo_core.errors import did_you_mean

KINDS = ("columns", "rows")


def leave_out(name: str, experiment: DictConfig) -> None:
    """Remove the rows and columns in `experiment.without` from the experiment called `name`.

    The paper's numbers of a column, ensembles of it and comparisons with it go with it.

    Raises:
        ConfigError: There is no such row or column, or none is left.
    """
    with flag_override(experiment, "struct", False):
        for asked in experiment.without:
            kind, _, which = asked.partition(".")
            _require(name, experiment, kind, which)
            del experiment[kind][which]
            if not experiment[kind]:
                raise ConfigError(f"~experiment.{kind}.{which}: leaves {name} no {kind}: keep one")
            if kind == "columns":
                _forget(experiment, which)
            else:
                experiment.paper.pop(which, None)


def _require(name: str, experiment: DictConfig, kind: str, which: str) -> None:
    if kind not in KINDS:
        named = {
            each: experiment[each] for each in KINDS if isinstance(experiment[each], DictConfig)
        }
        meant = [f"; did you mean '{each}.{kind}'?" for each in named if kind in named[each]]
        what = f"experiment.without: {kind}: neither columns.NAME nor rows.NAME"
        raise ConfigError("".join([what, *meant]))
    if not isinstance(experiment.get(kind), DictConfig):
        hint = "; its rows are tasks: name those that you want, as task=snli,srl"
        raise ConfigError(f"~experiment.{kind}.{which}: {name} has no {kind} by name{hint}")
    known = list(map(str, experiment[kind]))
    if which not in known:
        hint = did_you_mean(which, known)
        choices = ", ".join(f"'~experiment.{kind}.{each}'" for each in known)
        raise ConfigError(f"~experiment.{kind}.{which}: not in {name}{hint} (choose {choices})")


def _forget(experiment: DictConfig, column: str) -> None:
    """Remove what speaks of a column that is gone."""
    for numbers in experiment.paper.values():
        numbers.pop(column, None)
    for ensemble, combined in list(experiment.ensembles.items()):
        if combined == column:
            del experiment.ensembles[ensemble]
            _forget(experiment, ensemble)
    if experiment.baseline == column:
        experiment.baseline = None
