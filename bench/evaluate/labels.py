"""Whether the labels of other data are those that a run was trained on. No torch here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.console import counted
from bench.errors import ConfigError
from bench.run.labels import listed
from elmo_core.errors import did_you_mean
from tasks.formats.tags import OUTSIDE
from tasks.task import DataError, Example, Task


def check(
    task: Task, examples: Iterable[Example], names: Mapping[str, str], own: bool = False
) -> None:
    """Compare the labels of examples with those of training, both under their new `names`.

    Args:
        task: A task with the vocabulary of training.
        examples: What is to be scored.
        names: The new name of each label that gets one.
        own: They are of the run's own data, whose labels that training lacks are missed anyway.

    Raises:
        DataError: Gold has labels that the run cannot predict.
        ConfigError: A label that gets another name occurs nowhere.
    """
    known = set(task.label_names)
    gold = {label for example in examples for label in task.gold_labels(example)}
    for label in names:
        if label not in known | gold:
            hint = did_you_mean(label, known | gold) or f" (there is {listed(known | gold)})"
            raise ConfigError(f"--map {label}={names[label]}: no label {label!r}{hint}")
        if names[label] == OUTSIDE and OUTSIDE not in {*task.labels, *known, *gold}:
            raise ConfigError(
                f"--map {label}={OUTSIDE}: leaves out spans, and {OUTSIDE} is no label here; "
                f"--map {label}={label} counts {label} as missed"
            )
    names = task.all_names(names)
    met = {names.get(label, label) for label in known}
    unmet = {
        label
        for label in gold
        if names.get(label) not in (label, OUTSIDE) and names.get(label, label) not in met
    }
    if unmet and not own:
        raise DataError(
            f"{counted(len(unmet), 'label')} that the run was not trained on: {listed(unmet)} "
            f"(it knows {listed(known)}): --map FROM=TO reads a label of either side as another, "
            "--map X=X counts X as missed"
        )
