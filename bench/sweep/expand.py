"""Expansion of an experiment, or of a command line of several values, into single runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from hydra.core.override_parser.types import Override, Quote, QuotedString, Transformer
from omegaconf import DictConfig, OmegaConf

from bench.errors import ConfigError
from bench.experiment import View
from bench.overrides import expand
from bench.sweep.job import Cell
from bench.verbatim import escaped
from bench.words import parsed
from elmo_core.errors import did_you_mean

Rows = dict[str, dict[str, Any]]


def grid(given: Sequence[Override], default_task: str, default_seed: int) -> list[Cell]:
    """Return the cells of every combination of what has several values.

    Tasks are rows, seeds are seeds, and what else varies makes the columns. What is named twice is
    there once.
    """
    seeds = _seeds(given) or [default_seed]
    last = {o.get_key_element(): o for o in given if o.key_or_group not in ("seed", "plan")}
    rest = list(last.values())
    varying = {o.get_key_element() for o in rest if o.is_sweep_override()} - {"task"}
    cells = []
    for words in itertools.product(*map(_words, rest)):
        chosen = dict(word.partition("=")[::2] for word in words)
        row = chosen.get("task", default_task)
        column = " ".join(word for word in words if word.partition("=")[0] in varying)
        each = tuple(expand(list(words)))
        cells += [Cell(row, column, seed, each) for seed in seeds]
    return list(dict.fromkeys(cells))


def of_experiment(
    name: str, node: DictConfig, given: Sequence[Override], tasks: Sequence[str], default_task: str
) -> tuple[list[Cell], list[str]]:
    """Expand the experiment `node` into its cells; say in a line what is left out.

    `given` are the overrides of the command line: those that are not about the experiment itself
    hold for all runs. `tasks` are those that there are. Where neither the file nor `given` names
    one, the single row is `default_task`. Raises ConfigError for contradictions.
    """
    for key in node.given:
        if OmegaConf.is_missing(node.given, key):
            raise ConfigError(f"{name}: experiment.given.{key}=… is missing (see its file)")
    experiment = cast(dict[str, Any], OmegaConf.to_container(node, resolve=True))
    options = {override.key_or_group: override for override in given}
    rows, left_out = _rows(name, experiment["rows"], options, tasks, default_task)
    columns = _named(name, "columns", experiment["columns"])
    _check(name, experiment, columns, tasks)
    _check_ensembles(name, experiment["ensembles"], columns)
    axis = {column: changes.pop("x", None) for column, changes in columns.items()}
    own = _owners(name, rows, columns)
    if "seed" in own or "seed" in experiment["overrides"]:
        raise ConfigError(f"{name}: seed: give experiment.seeds=[1,2], or seed=1,2, for all cells")
    beneath = list(_beneath(name, given, own))
    common = experiment["overrides"]
    given_anew = tuple(f"{key}." for key in common if key in options)
    common = {k: v for k, v in common.items() if not f"{k}.".startswith(given_anew)}
    seeds = list(dict.fromkeys(_seeds(given) or experiment["seeds"]))
    if not seeds:
        raise ConfigError(f"{name}: experiment.seeds=[]: name one seed or more")
    if len(seeds) < 2:
        alone = "is left out: it takes two seeds or more (seed=1,2,…)"
        left_out += [f"column {ensemble!r} {alone}" for ensemble in experiment["ensembles"]]
    cells = [
        Cell(
            row,
            column,
            seed,
            words,
            axis[column],
        )
        for row, there in rows.items()
        for column, here in columns.items()
        for words in [tuple(expand([*written(common | there | here), *beneath]))]
        for seed in seeds
    ]
    return cells, left_out


def grouped(cfg: DictConfig) -> list[str]:
    """Name the logger's group after the experiment of the sweep `cfg`, where a logger has groups.

    W&B has them.
    """
    if cfg.experiment is None or cfg.logger.get("group", "") is not None:
        return []
    return [f"logger.group={cfg.hydra.runtime.choices['experiment']}"]


def _rows(
    name: str, rows: object, options: Mapping[str, Override], tasks: Sequence[str], default: str
) -> tuple[Rows, list[str]]:
    """Return the rows of the file, or those of `task=`, which need not stand in the file."""
    asked = _values(options["task"]) if "task" in options else []
    for task in asked:
        if task not in tasks:
            hint = f"{did_you_mean(task, tasks)} (choose {', '.join(tasks)})"
            raise ConfigError(f"task={task}: unknown{hint}")
    if rows is None or rows == "all":
        return {t: {"task": t} for t in asked or (tasks if rows else [default])}, []
    named = _named(name, "rows", rows)
    if not any("task" in changes for changes in named.values()):
        return named, []
    if asked:
        rest = {t: {"task": t} for t in asked if all(c.get("task") != t for c in named.values())}
        return {r: c for r, c in named.items() if c.get("task") in asked} | rest, []
    return _that_exist(name, named, tasks)


def _that_exist(name: str, rows: Rows, tasks: Sequence[str]) -> tuple[Rows, list[str]]:
    """Return the rows whose tasks are there, and a line for each of the others.

    A task is a folder, which may be missing.
    """
    missing = {r: c["task"] for r, c in rows.items() if c.get("task", tasks[0]) not in tasks}
    told = [
        f"row {row!r} is left out: no task {task!r} here{did_you_mean(task, tasks)}"
        for row, task in missing.items()
    ]
    if len(missing) == len(rows):
        raise ConfigError(f"{name}: {'; '.join(told)}")
    return {row: changes for row, changes in rows.items() if row not in missing}, told


def _named(name: str, what: str, content: object) -> Rows:
    """Return rows or columns by name; `what` they are stands in the ConfigError."""
    if not isinstance(content, dict) or not all(isinstance(c, dict) for c in content.values()):
        raise ConfigError(f"{name}: {what}: expected NAME: {{KEY: VALUE, …}}, …")
    return {str(key): dict(changes) for key, changes in content.items()}


def _check(name: str, experiment: Mapping[str, Any], columns: Rows, tasks: Sequence[str]) -> None:
    """Raise ConfigError for a number that is none, a row or column that does not exist, or a point
    of a curve that two columns have."""
    rows = experiment["rows"]
    named = isinstance(rows, dict)  # else they are tasks, whose folders may be missing
    known_rows = [*(map(str, rows) if named else ()), *tasks]
    for row in experiment["paper"]:
        hint = did_you_mean(row, known_rows)
        if row not in known_rows and (named or hint):
            raise ConfigError(f"{name}: paper: no row {row!r}{hint}")
    paper = [item for numbers in experiment["paper"].values() for item in numbers.items()]
    said = [("paper", column) for column, _ in paper]
    if experiment["baseline"] is not None:
        said.append(("baseline", experiment["baseline"]))
    known = [*columns, *experiment["ensembles"]]
    for key, column in said:
        if column not in known:
            raise ConfigError(f"{name}: {key}: no column {column!r}{did_you_mean(column, known)}")
    axis = [(column, changes["x"]) for column, changes in columns.items() if "x" in changes]
    for column, value in paper + axis:
        if not isinstance(value, int | float):
            raise ConfigError(f"{name}: {column}: {value!r} is no number")
    points: dict[float, str] = {}
    for column, x in axis if experiment["view"] is View.curve else ():
        if (other := points.setdefault(x, column)) != column:
            told = f"columns {other!r} and {column!r} are one point of the curve"
            raise ConfigError(f"{name}: x={x:g}: {told}: make rows of what else they differ in")


def _check_ensembles(name: str, ensembles: Mapping[str, str], columns: Rows) -> None:
    """Raise ConfigError unless each ensemble is a new column that combines an old one."""
    for new, column in ensembles.items():
        if new in columns:
            raise ConfigError(f"{name}: ensembles: {new!r} is a column already")
        if column not in columns:
            hint = did_you_mean(column, columns)
            raise ConfigError(f"{name}: ensembles: {new}: no column {column!r}{hint}")


def _owners(name: str, rows: Rows, columns: Rows) -> dict[str, str]:
    """Return which row or column sets each key. Raises ConfigError if both set one."""
    in_rows = {key: f"row {row!r}" for row, changes in rows.items() for key in changes}
    in_columns = {key: f"column {c!r}" for c, changes in columns.items() for key in changes}
    for key in in_rows.keys() & in_columns.keys():
        raise ConfigError(f"{name}: {key}: set by {in_rows[key]} and by {in_columns[key]}")
    return in_rows | in_columns


def _beneath(name: str, given: Sequence[Override], own: Mapping[str, str]) -> Iterator[str]:
    """Yield the words of the command line that hold for all runs. Raises ConfigError."""
    for override in given:
        key = override.key_or_group
        if key.startswith("experiment."):  # changes the table, not its runs
            if override.is_sweep_override():
                hint = f"a list stands in brackets: '{key}=[…]'"
                if key == "experiment.baseline":
                    column = str(override.input_line).partition("=")[2]
                    hint = f"a name with a comma takes quotes: '{key}=\"{column}\"'"
                raise ConfigError(f"{override.input_line}: one value, please; {hint}")
            continue
        if key in ("experiment", "plan", "seed", "task") and (key != "task" or "task" in own):
            continue
        whole = isinstance(override.value(), dict)  # of a section; a group's name sets no keys
        for theirs, where in own.items():
            inner = theirs.lstrip("+")
            if inner == key or (whole and inner.startswith(f"{key}.")):
                what = "it" if inner == key else inner
                raise ConfigError(f"{key}: {name} sets {what} itself ({where}): leave it out")
        if override.is_sweep_override():
            raise ConfigError(f"{override.input_line}: one value for all runs of {name}, please")
        yield str(override.input_line)


def _seeds(given: Sequence[Override]) -> list[int]:
    texts = [value for o in given if o.key_or_group == "seed" for value in _values(o)]
    try:
        return [int(text) for text in texts]
    except ValueError:
        raise ConfigError(f"seed={','.join(texts)}: must be whole numbers") from None


def _values(override: Override) -> list[str]:
    if not override.is_sweep_override():
        return [override.get_value_element_as_str()]
    if not override.is_discrete_sweep():
        raise ConfigError(
            f"{override.input_line}: an interval needs hydra/sweeper=search (or name the values: "
            f"{override.key_or_group}=0,0.01,1)"
        )
    values = list(override.sweep_string_iterator())
    if not values:
        raise ConfigError(f"{override.input_line}: no values")
    return values


def _words(override: Override) -> list[str]:
    if not override.is_sweep_override():
        return [str(override.input_line)]
    return [f"{override.get_key_element()}={value}" for value in _values(override)]


def written(changes: Mapping[str, Any]) -> Iterable[str]:
    """Write keys and values as words of the command line."""
    return (f"{key}={Transformer.str(_readable(value))}" for key, value in changes.items())


def _readable(value: Any) -> Any:
    """Return a value whose texts are in quotes where Hydra would read something else."""
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, str) and not _plain(value):
        return QuotedString(escaped(value), Quote.single)
    return value


@cache
def _plain(text: str) -> bool:
    """Return whether Hydra reads a text as what it is without quotes, also in a list."""
    override = parsed(f"key=[{Transformer.str(text)}]")
    return override is not None and override.value() == [text]
