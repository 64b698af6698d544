"""The items that can be fetched, of whatever kind: data sets, word vectors, weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bench.console import on_terminal
from bench.errors import RunError
from elmo_core.downloads import cache, glove
from elmo_core.downloads.presets import PRESETS, Preset
from elmo_core.errors import did_you_mean
from tasks.base.published import File, Source, fetch, published

SHORT = {"glove": "glove.840B.300d"}
BUILT_IN = "mini"
"""What every task has, made by this package."""


@dataclass(frozen=True)
class Item:
    """Something that can be fetched.

    `place`, `is_there` and `fetch` take the user's folder, or None for the cache; `fetch` also
    whether to stay offline, and the names of all that is fetched.
    """

    name: str
    title: str
    origin: str
    megabytes: float | None
    licence: str
    citation: str
    place: Callable[[Path | None], Path]
    is_there: Callable[[Path | None], bool]
    fetch: Callable[[Path | None, bool, Sequence[str]], object]
    source: Source | None  # of a data set


def data_set(source: Source) -> Item:
    """Make the item of a published data set."""
    return Item(
        name=source.name,
        title=source.title,
        origin=source.origin,
        megabytes=source.megabytes,
        licence=source.licence,
        citation=source.citation,
        place=source.folder,
        is_there=lambda folder: source.is_in(source.folder(folder)),
        fetch=partial(_fetch, source),
        source=source,
    )


def _fetch(source: Source, folder: Path | None, offline: bool, _: Sequence[str]) -> Path:
    def watched(files: list[File]) -> Iterable[File]:
        console = Console(stderr=True)
        return track(files, source.name, console=console, transient=True, disable=not on_terminal())

    return fetch(source, folder, offline=offline, watch=watched)


def word_vectors(name: str) -> Item:
    """Make the item of published GloVe vectors."""
    return Item(
        name=name,
        title=f"GloVe vectors, {name}",
        origin=glove.SITE,
        megabytes=glove.VECTORS[name].megabytes,
        licence=glove.LICENCE,
        citation=glove.CITATION,
        place=partial(glove.cached, name),
        is_there=lambda folder: glove.cached(name, folder).is_file(),
        fetch=lambda folder, offline, names: glove.fetch(
            name, folder, offline=offline, besides=names
        ),
        source=None,
    )


def weights(preset: Preset) -> Item:
    """Make the item of a published biLM."""

    def place(folder: Path | None) -> Path:
        return cache.cache_folder(folder) / preset.name

    return Item(
        name=preset.name,
        title=f"a published biLM, {preset.parameters / 1e6:.1f} million parameters",
        origin="https://allennlp.org/elmo",
        megabytes=preset.megabytes,
        licence="none stated with the files",
        citation="Peters et al. 2018, Deep contextualized word representations",
        place=place,
        is_there=lambda folder: (place(folder) / "weights.hdf5").is_file(),
        fetch=lambda folder, offline, _: cache.locate(preset, folder, offline=offline),
        source=None,
    )


def others() -> list[Item]:
    """Return all items that are not data sets."""
    presets = (preset for preset in PRESETS.values() if preset.url)
    return [*map(word_vectors, glove.VECTORS), *map(weights, presets)]


def select(words: Sequence[str]) -> list[Item]:
    """Return the items of these names.

    A set that several tasks have is meant for all of them, unless its name begins with the task's
    (`srl/conll2012`). Raises RunError for a name that nothing has.
    """
    sets = [(f"{source.task}/{source.name}", data_set(source)) for source in published()]
    named = [*((item.name, item) for item in others()), *((i.name, i) for _, i in sets), *sets]
    chosen: list[Item] = []
    for word in words:
        found = [item for name, item in named if name == SHORT.get(word, word)]
        if not found and word.rpartition("/")[2] == BUILT_IN:
            raise RunError(f"{word} is built in (data=mini): the task's card describes it")
        if not found:
            hint = did_you_mean(word, [name for name, _ in named])
            raise RunError(f"nothing is called {word!r}{hint} (`python -m bench.data list`)")
        chosen += [item for item in found if item not in chosen]  # two names, one set
    return chosen
