"""Reading the command line's overrides: shorthands before Hydra, clear words after it refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bench.config import CONF
from elmo_core.errors import did_you_mean

HINT = "`python -m bench --help` lists the choices, `--cfg job` the keys"


def expand(arguments: list[str]) -> list[str]:
    """Shorthands: `encoder=PATH` → `encoder=elmo encoder.source=PATH`; `data.dir=FOLDER` alone →
    `data=open` besides, so that a folder of real data is not trained on like the built-in one."""
    expanded = []
    for argument in arguments:
        key, _, value = argument.partition("=")
        if key == "encoder" and _is_path(value):
            expanded += ["encoder=elmo", f"encoder.source='{Path(value).expanduser()}'"]
        else:
            expanded.append(argument)
    keys = {argument.partition("=")[0] for argument in arguments}
    if "data.dir" in keys and "data" not in keys:
        expanded.append("data=open")
    return expanded


def _is_path(value: str) -> bool:
    known = (CONF / "encoder" / f"{value}.yaml").exists()
    return bool(value) and not known and ("/" in value or Path(value).expanduser().exists())


def explain(arguments: list[str], error: Exception) -> str:
    """One line that says which override Hydra could not take, and what was probably meant."""
    words = [word for word in arguments if "=" in word or word.startswith(("~", "+"))]
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        try:
            overrides = OverridesParser.create().parse_overrides(words)
            return next(_complaints(overrides), None) or _innermost(error)
        except HydraException as syntax:
            return _innermost(syntax)


def _complaints(overrides: list[Override]) -> Iterator[str]:
    repository = GlobalHydra.instance().config_loader()
    groups = {override.key_or_group for override in overrides} & set(repository.list_groups(""))
    for override in overrides:
        if override.key_or_group in groups:
            known = repository.get_group_options(override.key_or_group)
            for value in _values(override):
                if value not in known:
                    yield (
                        f"{override.key_or_group}={value}: unknown{did_you_mean(value, known)} "
                        f"(choose {', '.join(known)})"
                    )
    chosen = [f"{o.key_or_group}={_values(o)[0]}" for o in overrides if o.key_or_group in groups]
    keys = list(_leaves(compose("config", overrides=chosen)))
    for override in overrides:
        key = override.key_or_group
        if key not in groups and key not in keys and not key.startswith("hydra"):
            hint = did_you_mean(key, keys + repository.list_groups(""))
            yield f"{key}: no such key{hint} ({HINT})"


def _values(override: Override) -> list[str]:
    if override.is_sweep_override():
        return [str(value) for value in override.sweep_iterator()]
    return [str(override.value())]


def _leaves(cfg: DictConfig, prefix: str = "") -> Iterator[str]:
    """Dotted names of all keys, inner nodes included."""
    for key in cfg:
        yield prefix + str(key)
        node = cfg._get_node(key)
        if OmegaConf.is_dict(node) and not node._is_none() and not node._is_missing():
            yield from _leaves(node, f"{prefix}{key}.")


def _innermost(error: BaseException) -> str:
    """The first line of what was wrong at the bottom, with OmegaConf's key before it."""
    while isinstance(error.__cause__, HydraException | OmegaConfBaseException):
        error = error.__cause__
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    key = getattr(error, "full_key", None)
    return f"{key}: {first}" if key else first
