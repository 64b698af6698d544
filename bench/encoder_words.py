"""What words of the command line say of encoders: paths, configurations, models of the hub."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf

from bench.config import CONF, register
from bench.explanation import UNUSABLE, search_path
from bench.words import parsed
from elmo_core.errors import WeightsError

MODEL = re.compile(r"(encoder(?:\.\w+)*)\.model=([\w-][\w.-]*(?:/[\w.-]+)?)")
"""A model of the hub by its name, or a folder."""


def is_path(value: str) -> bool:
    """Say whether `encoder=VALUE` names a file or a folder, and no configuration."""
    return bool(value) and ("/" in value or is_there(value)) and not _is_configuration(value)


def is_there(value: str) -> bool:
    """Say whether a file or folder of this name is there, or one of which it names a step."""
    folder = value.rpartition("@")[0] or value  # of FOLDER@STEP
    return any(Path(path).expanduser().exists() for path in (value, folder))


def commits(words: list[str]) -> Iterator[str]:
    """Yield the commit that each model of the hub has now, as the word that pins it.

    Only encoders that take a `revision` are pinned; where one is given, it stands.
    """
    given = {word.partition("=")[0].lstrip("+") for word in words}
    on_hub = {
        part: model for part, model in _on_hub(words).items() if f"{part}.revision" not in given
    }
    if not on_hub or (cfg := _with_encoders(words)) is None:
        return
    for part, model in on_hub.items():
        encoder = OmegaConf.select(cfg, part, throw_on_resolution_failure=False)
        if isinstance(encoder, DictConfig) and "revision" in encoder:
            from elmo_core.encoders.hub import commit

            with suppress(WeightsError):  # the run says so, if there will be one
                yield f"{part}.revision={commit(model)}"


def _with_encoders(words: list[str]) -> DictConfig | None:
    """Compose the encoders that words choose; None where Hydra refuses, which the run will say."""
    register()
    chosen = [word for word in words if word.lstrip("+").startswith(("encoder=", "encoder@"))]
    refused = (*UNUSABLE, ValueError, RecursionError)  # the last two for unusable `defaults`
    with suppress(*refused), _hydra():
        return compose("config", overrides=[*_search_path(), *chosen])
    return None


def _is_configuration(name: str) -> bool:
    """Say whether there is a configuration of an encoder of this name, ours or the user's."""
    group, _, option = f"encoder/{name}".rpartition("/")
    with _hydra():
        loader = GlobalHydra.instance().config_loader()
        found = loader.get_group_options(group, config_name="config", overrides=_search_path())
    return option in found


def _hydra() -> AbstractContextManager[None]:
    """Have Hydra there: that of a sweep, which has begun, or one for now."""
    if GlobalHydra.instance().is_initialized():
        return nullcontext()
    return initialize_config_dir(str(CONF), version_base="1.3")


def _search_path() -> list[str]:
    """Return the user's own folders of configuration, as this command names them."""
    given = [word for word in sys.argv if word.startswith("hydra.searchpath=")]
    return search_path(sys.argv[1:], [found for word in given if (found := parsed(word))])


def _on_hub(arguments: list[str]) -> dict[str, str]:
    """Return the models on the hub that are named, by the key of their encoder: `encoder`, or one
    of several side by side."""
    found = filter(None, map(MODEL.fullmatch, arguments))
    return {
        part: model
        for part, model in (each.groups() for each in found)
        if model != "null" and not Path(model).exists()
    }
