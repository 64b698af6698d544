"""What words of the command line say of encoders: paths, configurations, models of the hub."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from bench.config import CONF
from bench.explanation import own_folders
from bench.words import parsed
from elmo_core.errors import WeightsError

MODEL = re.compile(r"(encoder(?:\.\w+)*)\.model=([\w-][\w.-]*(?:/[\w.-]+)?)")
"""A model of the hub by its name, or a folder."""


def is_path(value: str) -> bool:
    """Say whether `encoder=VALUE` names a file or a folder, and no configuration."""
    return bool(value) and ("/" in value or is_there(value)) and _configuration(value) is None


def is_there(value: str) -> bool:
    """Say whether a file or folder of this name is there, or one of which it names a step."""
    folder = value.rpartition("@")[0] or value  # of FOLDER@STEP
    return any(Path(path).expanduser().exists() for path in (value, folder))


def commits(words: list[str]) -> Iterator[str]:
    """Yield the commit that each model of the hub has now, as the word that pins it.

    Only encoders that take a `revision` are pinned; where one is given, it stands.
    """
    keys = {word.partition("=")[0].lstrip("+") for word in words}
    chosen = dict(word.lstrip("+").partition("=")[::2] for word in words)
    for part, model in _on_hub(words).items():
        if f"{part}.revision" not in keys and _takes_revision(_at(part, chosen)):
            from elmo_core.encoders.hub import commit

            with suppress(WeightsError):  # the run says so, if there will be one
                yield f"{part}.revision={commit(model)}"


def _at(part: str, chosen: Mapping[str, str]) -> str:
    """Return which encoder is chosen for a key, by these words or by the file of the whole that it
    is a part of; nothing where neither says."""
    whole, _, name = part.rpartition(".")
    if not whole:
        return chosen.get(part, "")
    return chosen.get(f"encoder@{part}") or dict(_parts(_at(whole, chosen))).get(name, "")


def _parts(name: str, *within: str) -> Iterator[tuple[str, str]]:
    """Yield the parts that an encoder's file begins with, each with its encoder."""
    for each in _defaults(name):
        if isinstance(each, Mapping):  # also `override /encoder@PART: ENCODER`
            yield from ((str(k).rpartition("encoder@")[2], str(v)) for k, v in each.items())
        elif "@" in str(each):
            encoder, _, part = str(each).partition("@")
            yield part, encoder
        elif each not in ("_self_", name, *within):
            yield from _parts(str(each), name, *within)


def _takes_revision(name: str, *within: str) -> bool:
    """Say whether an encoder has the key: its own, or that of another with which it begins."""
    begun = [each for each in _defaults(name) if isinstance(each, str)]
    return "revision" in _content(name) or any(
        _takes_revision(each, name, *within)
        for each in begun
        if each not in ("_self_", name, *within)
    )


def _defaults(name: str) -> list[Any]:
    found = _content(name).get("defaults")
    listed = found if isinstance(found, list) else []
    return [each.removeprefix("/encoder/") if isinstance(each, str) else each for each in listed]


def _content(name: str) -> Mapping[str, Any]:
    """Read the configuration of an encoder; nothing where there is none, or Hydra refuses it."""
    with suppress(YAMLError, OSError, OmegaConfBaseException, ValueError):
        if (file := _configuration(name)) is not None:
            content: Any = OmegaConf.to_container(OmegaConf.load(file))
            return content if isinstance(content, dict) else {}
    return {}


def _configuration(name: str) -> Path | None:
    """Return the configuration of an encoder of this name, ours or the user's; None without one."""
    given = [word for word in sys.argv if word.startswith("hydra.searchpath=")]
    own = own_folders(sys.argv[1:], [found for word in given if (found := parsed(word))])
    folders = [CONF, *map(_place, own)]
    files = (folder / "encoder" / f"{name}.yaml" for folder in folders)
    return next((file for file in files if file.exists()), None)


def _place(folder: str) -> Path:
    """Return where a folder of Hydra's search path lies: by its path, or in a package."""
    kind, _, name = folder.rpartition("://")
    if kind == "pkg":
        with suppress(ImportError, ValueError):
            found = find_spec(name.replace("/", "."))
            if found is not None and found.submodule_search_locations:
                return Path(next(iter(found.submodule_search_locations)))
    return Path(name)


def _on_hub(arguments: list[str]) -> dict[str, str]:
    """Return the models on the hub that are named, by the key of their encoder: `encoder`, or one
    of several side by side."""
    found = filter(None, map(MODEL.fullmatch, arguments))
    return {
        part: model
        for part, model in (each.groups() for each in found)
        if model != "null" and not Path(model).exists()
    }
