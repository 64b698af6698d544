"""What was wrong with overrides that Hydra refused, in one line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, Transformer
from hydra.errors import HydraException, OverrideParseException
from omegaconf import OmegaConf
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException
from yaml import YAMLError

from bench.config import CONF
from bench.errors import ConfigError
from elmo_core.errors import did_you_mean

UNUSABLE = HydraException, OmegaConfBaseException, YAMLError
"""What Hydra raises for configuration that it cannot use."""

EXTRAS = {
    "hydra/launcher=joblib": ("hydra-joblib-launcher", "launchers"),
    "hydra/launcher=slurm": ("hydra-submitit-launcher", "launchers"),
    "hydra/launcher=submitit_local": ("hydra-submitit-launcher", "launchers"),
    "hydra/launcher=ray": ("hydra-ray-launcher", "ray"),
}
"""Hydra plugins by the word that asks for them: the distribution, and the extra that brings it."""

HINT = "`python -m bench --help` lists the choices, `--cfg job` the keys"

OPEN = {"encoder", "training.optimizer", "training.scheduler"}
"""What hands further keys to a class of any kind."""

QUOTES = (
    "texts with = , brackets, spaces or letters like λ take quotes within the shell's: "
    "'KEY=[\"a=b\"]'"
)


def explain(arguments: list[str], error: Exception) -> str:
    """Say in one line which override Hydra could not take, and what was probably meant."""
    given = [word for word in arguments if not word.startswith("-")]  # no options of Hydra's
    words = [word for word in given if "=" in word or word.startswith(("~", "+"))]
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        try:
            overrides = OverridesParser.create().parse_overrides(words)
            complaints = _complaints(overrides, search_path(arguments, overrides))
            return next(complaints, None) or _innermost(error)
        except OverrideParseException as refused:
            return f"{refused.override}: cannot be read as KEY=VALUE ({QUOTES})"
        except UNUSABLE as syntax:
            return _innermost(syntax)


def search_path(arguments: list[str], overrides: list[Override]) -> list[str]:
    """Return the user's own folders of configuration as an override; nothing where there are none.

    Args:
        arguments: The command line.
        overrides: Those of its words that are overrides.

    Raises:
        ConfigError: hydra.searchpath is no list.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config-dir", "-cd", action="append", default=[])
    folders = parser.parse_known_args(arguments)[0].config_dir
    for override in overrides:
        if override.key_or_group == "hydra.searchpath":
            given = override.value()
            if not isinstance(given, list):
                raise ConfigError(f"{override.input_line}: must be a list: hydra.searchpath=[…]")
            folders += given
    return [f"hydra.searchpath={Transformer.str(folders)}"] if folders else []


def on_the_hub(model: str) -> str:
    """Say how a model is named that is no encoder of ours: by the encoders that take a `model`."""
    paths = sorted((CONF / "encoder").glob("*.yaml"))
    able = [path.stem for path in paths if "model" in OmegaConf.load(path)]
    return f"a model on the hub: encoder={' or '.join(able)} encoder.model={model}"


def _complaints(overrides: list[Override], search_path: list[str]) -> Iterator[str]:
    """Yield one line for each plugin, group or key that is not there."""
    for override in overrides:
        plugin, extra = EXTRAS.get(str(override.input_line), ("", ""))
        if plugin and not _installed(plugin):
            yield f"{override.input_line}: not installed: pip install 'elmo-bench[{extra}]'"
    repository = GlobalHydra.instance().config_loader()
    groups = {override.key_or_group for override in overrides} & set(repository.list_groups(""))
    for override in overrides:
        if override.key_or_group in groups:
            known = repository.get_group_options(
                override.key_or_group, config_name="config", overrides=search_path
            )
            for value in _values(override):
                if value not in known:
                    choices = f"(choose {', '.join(known)})"
                    if "." in value and override.key_or_group == "encoder":
                        choices += f"; a class of yours: encoder=own encoder._target_={value}"
                    hint = did_you_mean(value, known)
                    if override.key_or_group == "encoder" and not hint:
                        choices += f"; {on_the_hub(value)}"
                    yield f"{override.key_or_group}={value}: unknown{hint} {choices}"
    named = [override for override in overrides if override.key_or_group in groups]
    chosen = [f"{each.get_key_element()}={_values(each)[0]}" for each in named]  # group@part
    composed_config = compose("config", overrides=[*search_path, *chosen])
    keys = list(_names(OmegaConf.to_container(composed_config)))
    for override in overrides:
        key = override.key_or_group
        added = override.is_add() or override.is_force_add()
        if not added and key not in {*groups, *keys} and not key.startswith("hydra"):
            typable = [k for k in keys if re.fullmatch(r"[\w./@-]+", k, re.ASCII)]
            hint = did_you_mean(key, typable + repository.list_groups(""))
            if key.rpartition(".")[0] in OPEN:
                hint += f"; +{key}=… adds a new one"
            yield f"{key}: no such key{hint} ({HINT})"


def _installed(distribution: str) -> bool:
    try:
        return bool(version(distribution))
    except PackageNotFoundError:
        return False


def _values(override: Override) -> list[str]:
    if override.is_sweep_override():
        return [str(value) for value in override.sweep_iterator()]
    return [str(override.value())]


def _names(content: object, prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of all keys in nested dictionaries, inner nodes included."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield f"{prefix}{key}"
            yield from _names(value, f"{prefix}{key}.")


def _innermost(error: BaseException) -> str:
    """Return what was wrong at the bottom, in one line, with OmegaConf's key before it."""
    while isinstance(error.__cause__, UNUSABLE):
        error = error.__cause__
    if isinstance(error, HydraException) and isinstance(error.__context__, OmegaConfBaseException):
        error = error.__context__  # which has the key
    if isinstance(error, YAMLError):
        return " ".join(str(error).split())  # file and line are in it
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    key = getattr(error, "full_key", None)
    if isinstance(error, ConfigKeyError) and is_dataclass(error.object_type):
        known = [each.name for each in fields(error.object_type)]
        hint = did_you_mean(str(error.key), known)
        first = "may not be left out" if str(error.key) in known else first + hint
    elif isinstance(error, ConfigKeyError) and key:
        first += f"; ++{key.removesuffix(str(error.key)).rstrip('.')}=… adds it"
    return f"{key}: {first}" if key else first
