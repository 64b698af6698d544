"""What of a run's configuration decides its numbers, and the run id that is made of it.

No torch here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

from bench.config import SCHEMAS
from bench.world import world_size
from elmo_core.downloads.cache import kept_step

if TYPE_CHECKING:
    from bench.records import Finished

INDIFFERENT = ("paths", "logger", "experiment", "plan", "force", "debug")
"""Keys that change nothing in a run's numbers."""

COUNTED = {"trainer": ("precision", "limit_batches"), "features": ("precision",)}
"""Sections of which only these keys change a run's numbers."""

ADDED = {
    "data": ("set", "train_share", "control"),
    "training": ("ema", "scheduler_interval", "online_code"),
    "features": ("precision",),
}
"""Keys that are younger than the first run ids: at its default such a key is left out, so that the
ids of before stay as they are. Further keys of the schema belong here."""


NAMING = ("word_vectors", "encoder")
"""Where a configuration names files."""

OURS = "elmo_core."
FILES = ("word_vectors", "vectors", "source", "options", "weights", "model")
"""Under which keys: a file or a folder, or the name of something published."""

DRAW = ("seed", "fingerprint")
"""Which keys of an encoder (see `by_contents`) tell one draw of it from another."""


@dataclass(frozen=True)
class Choice:
    """What decides a run's numbers, as plain values: no paths, no logging, no device.

    Several processes share a step of training, so their number counts; that of one is left out.
    Without ELMo neither the encoder nor the mix counts, so that one baseline serves a whole sweep;
    λ counts only where there are weights to learn, word dropout where words are learned.

    Attributes:
        values: The keys that count, by section.
        content: A hash of the files in `data.dir`, which stands in the id for the path; None where
            there are none (bench/run/contents.py).
        files: A hash of each file of word vectors and of each encoder's, by its path, for which it
            stands in the id.
    """

    values: Mapping[str, Any]
    content: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        cfg: DictConfig,
        content: str | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Choice:
        """Take the choice out of a whole configuration, with its interpolations resolved."""
        values: Any = OmegaConf.to_container(cfg, resolve=True)
        for key in INDIFFERENT:
            values.pop(key, None)
        for section, counted in COUNTED.items():
            given = values.pop(section, {})
            values[section] = {key: given[key] for key in counted if key in given}
        if (processes := world_size(cfg.get("trainer", {}))) > 1:
            values["trainer"]["world_size"] = processes
        for section, added in ADDED.items():
            defaults = {key.name: key.default for key in fields(SCHEMAS[section])}
            for key in added:
                if values[section].get(key) == defaults[key]:
                    values[section].pop(key, None)
        if values.get("word_vectors") or not values.get("word_dropout"):
            values.pop("word_dropout", None)  # of words learned from scratch; younger than the ids
        if cfg.elmo.placement == "none":
            del values["encoder"], values["features"]
            values["elmo"] = {"placement": "none"}
        elif cfg.elmo.layers != "all":
            del values["elmo"]["l2"]
        if not values.get("features"):
            values.pop("features", None)
        if parts := _parts(values.get("encoder") or {}):
            values["encoder"]["order"] = parts
        return cls(values, content, files or {})

    @cached_property
    def run_id(self) -> str:
        """A name that is the same for the same choice: the placement and a hash."""
        return _id(self._with_files(self._with_content()))

    @property
    def ids_by_path(self) -> list[str]:
        """The run ids that earlier versions gave, the latest first.

        In one the paths of what a pretraining kept (`FOLDER@STEP`) stand, in one those of all word
        vectors and encoders, in one that of the data, too.
        """
        data = self._with_content()
        files = {path: digest for path, digest in self.files.items() if not kept_step(path)}
        besides = replace(self, files=files)._with_files(data)
        ids = dict.fromkeys(map(_id, (besides, data, self.values)))
        return [each for each in ids if each != self.run_id]

    @property
    def encoder(self) -> Any:
        """The encoder's keys, with a hash for each file that they name; None without ELMo."""
        return self._held(self.values.get("encoder"), "encoder")

    def shorter(self) -> Iterator[str]:
        """Yield the run ids of the same choice with fewer epochs, the longest first."""
        training, place = self.values["training"], "\0"
        values = {**self.values, "training": {**training, "max_epochs": place}}
        other = replace(self, values=values)
        text = _text(other._with_files(other._with_content()))
        before, after = text.split(json.dumps(place))  # once, since epochs may be a million
        for epochs in range(training["max_epochs"] - 1, 0, -1):
            yield _named(self.values, f"{before}{_text(epochs)}{after}")

    def _with_content(self) -> Mapping[str, Any]:
        if self.content is None:
            return self.values
        data = {**self.values["data"], "dir": None, "content": self.content}
        return {**self.values, "data": data}

    def _with_files(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        held = {key: self._held(values[key], key) for key in NAMING if key in values}
        return {**values, **held}

    def _held(self, value: Any, key: str) -> Any:
        """Put hashes for the files that a section, or a value under a key, names."""
        if isinstance(value, Mapping):
            return {name: self._held(item, name) for name, item in value.items()}
        known = key in FILES and isinstance(value, str) and value in self.files
        return {"content": self.files[value]} if known else value


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted key and the value of each leaf of nested dictionaries.

    >>> dict(leaves({"seed": 1, "elmo": {"l2": 0.1}}))
    {'seed': 1, 'elmo.l2': 0.1}
    """
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, node


def _id(values: Mapping[str, Any]) -> str:
    return _named(values, _text(values))


def _text(value: object) -> str:
    return json.dumps(canonical(value), sort_keys=True)


def _parts(encoder: Mapping[str, Any]) -> list[str]:
    """Return the encoders that stand side by side in one of ours, where their order, which counts,
    is not that of their names, in which the id has them."""
    nested = {key: value for key, value in encoder.items() if isinstance(value, Mapping)}
    parts = [key for key, value in nested.items() if "_target_" in value]
    return parts if is_ours(encoder) and parts != sorted(parts) else []


def _named(values: Mapping[str, Any], text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return f"{values['elmo']['placement']}-{digest}"


def canonical(value: object) -> object:
    """Write whole numbers as floats, so that 1 and 1.0 are one choice."""
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [canonical(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def by_contents(values: Mapping[str, Any], result: Finished) -> dict[str, Any]:
    """Return a choice in which word vectors and encoder are what they hold, not where they lie.

    Args:
        values: The choice's.
        result: Of its run, which knows what they held; one of an older version, not always.
    """
    chosen = dict(values)
    if vectors := result.trained_on.get("vectors"):
        chosen["word_vectors"] = vectors
    encoder = result.encoder and result.encoder.fingerprint
    if encoder and "encoder" in chosen:
        given = chosen["encoder"]
        left_out = FILES if is_ours(given) else ()
        kept = {key: value for key, value in given.items() if key not in left_out}
        chosen["encoder"] = {**kept, "fingerprint": encoder}
    return chosen


def is_ours(encoder: Mapping[str, Any]) -> bool:
    """Say whether an encoder's class is this project's, whose fingerprint tells all of it. That of
    a user's class may be a constant: only what it is given tells two of them apart."""
    return str(encoder.get("_target_", OURS)).startswith(OURS)
