"""The data sets that are looked for, and their sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.data.leaks.overlap import Collection, normalised
from bench.errors import RunError
from bench.overrides import composed
from bench.verbatim import quoted
from elmo_core.errors import did_you_mean
from tasks.base.published import SPLITS, Source, published
from tasks.task import DataError

AUDITED = SPLITS[1:]


@dataclass(frozen=True)
class Split:
    """A split of a data set: for each example, the numbers of its sentences in the collection."""

    name: str
    split: str
    examples: Mapping[str, list[int]]


def chosen(task: str | None, folder: Path | None) -> dict[str, list[str]]:
    """Return, for the name of each data set, the words of `python -m bench` that choose it.

    Without a folder, all that `list` shows as there, built-in data included; with one, the sets in
    it, or else its files, which are one task's. Raises RunError.
    """
    sources = published(task)
    tasks = list(dict.fromkeys(source.task for source in published()))
    if folder is None:
        if task is not None and task not in tasks:
            hint = did_you_mean(task, tasks)
            raise RunError(f"--task {task}: no such task{hint} (choose {', '.join(tasks)})")
        sets = {
            f"{name}/mini": [f"task={name}", "data=mini"] for name in tasks if task in (None, name)
        }
        return sets | dict(
            _of(each, each.folder()) for each in sources if each.is_in(each.folder())
        )
    if not folder.is_dir():
        raise RunError(f"--dir {folder}: no such folder")
    sets = dict(_of(each, place) for each in sources if (place := each.inside(folder)))
    have = {name.partition("/")[0] for name in sets}
    for name in [task] if task else tasks:
        if name not in have and (folder / name).is_dir():
            sets[f"{name}/{name}"] = [f"task={name}", f"data.dir={quoted(str(folder / name))}"]
    if sets or task is not None:
        return sets or {
            f"{task}/{folder.name}": [f"task={task}", f"data.dir={quoted(str(folder))}"]
        }
    raise RunError(
        f"--dir {folder}: no task's folder in it ({', '.join(tasks)}); if its files are one "
        "task's, say which: --task NAME"
    )


def _of(source: Source, place: Path) -> tuple[str, list[str]]:
    words = [f"task={source.task}", f"data={source.kinds[0]}", f"data.set={source.name}"]
    where = f"data.dir={quoted(str(place))}"
    return f"{source.task}/{source.name}", [*words, where]


def splits(sets: Mapping[str, list[str]], collection: Collection) -> Iterator[Split]:
    """Load dev and test of these sets, their sentences into the collection.

    Raises RunError, naming the set, for files that cannot be read.
    """
    from bench.run.build import task_of

    for name, words in sets.items():
        task = task_of(composed(words))
        for split in AUDITED:
            try:
                examples = task.load(split)
            except DataError as error:
                raise RunError(f"{name}, {split}: {error}") from error
            if examples is not None:
                found = {str(e["id"]): _numbers(task.sentences(e), collection) for e in examples}
                yield Split(name, split, found)


def _numbers(sentences: Iterable[Sequence[str]], collection: Collection) -> list[int]:
    """Add sentences to the collection; return the numbers of those that are long enough."""
    numbers = (collection.add(normalised(" ".join(words))) for words in sentences)
    return [number for number in numbers if number is not None]
