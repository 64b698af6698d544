"""Reading the configuration of a run folder, perhaps somebody else's, without running its code.

What a folder's config.yaml asks to build (its `_target_`s) is built only if it is one of the tasks
and encoders of conf/, or lies in a package that the caller trusts by name. A prefix of a dotted
path would not do: `elmo_core.encoders.cove.pickle.loads` begins like one of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from pydoc import ErrorDuringImport, locate
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from bench.config import CONF, Config, check_recorded
from bench.errors import ConfigError, RunError
from bench.verbatim import REFERENCE

LARGEST = 1_000_000
"""Bytes; ours have some 3,000."""
UNREADABLE = (
    *(OmegaConfBaseException, yaml.YAMLError, UnicodeDecodeError),
    *(AssertionError, AttributeError, TypeError, ValueError),
)
"""What yaml and OmegaConf raise for what no run has written."""
DEEPEST = 30
"""Levels of nesting; ours have five."""
OURS = ("elmo_core", "tasks")
"""The packages that need no trust."""
BUILT = ("task", "encoder")
"""The parts of a configuration that a finished run's verbs build."""


def packages(cfg: DictConfig) -> list[str]:
    """The packages of a configuration's task and encoder: trusted, where its owner typed it."""
    targets = (_targets(OmegaConf.to_container(cfg[part]), part) for part in BUILT)
    return sorted({target.partition(".")[0] for found in targets for _, target in found})


def flags(trusted: Iterable[str]) -> list[str]:
    """The words that trust these packages on the command line of a verb; ours need none."""
    return [word for each in trusted if each not in OURS for word in ("--trust", each)]


def read(path: Path, trusted: Sequence[str] = ()) -> DictConfig:
    """The configuration at `path`, typed and checked; nothing of it has been built.

    Args:
        path: a run's config.yaml.
        trusted: packages, besides this suite's own choices, whose classes it may name.

    Raises:
        RunError: in one line, where the file is no configuration of a run, refers to the
            environment, or names a class that is not trusted.
    """
    cfg = typed(path)
    for part in BUILT:
        for key, target in _targets(OmegaConf.to_container(cfg[part]), part):
            _require_trust(path, key, target, trusted)
    return cfg


def typed(path: Path) -> DictConfig:
    """The configuration at `path`, typed and checked, to be looked at: build nothing of it.

    Keys that older runs lack have the schema's defaults. Raises RunError, in one line, where the
    file is no configuration of a run.
    """
    cfg = parsed(path)
    try:
        merged = OmegaConf.merge(OmegaConf.structured(Config), cfg)
        assert isinstance(merged, DictConfig)
        check_recorded(merged)
        _ = merged.task["name"], merged.task["_target_"]
        plain = OmegaConf.create(OmegaConf.to_container(merged))
    except (*UNREADABLE, ConfigError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RunError(f"{path}: no configuration of a run ({reason})") from None
    except KeyError as error:
        raise RunError(f"{path}: no configuration of a run (task has no {error})") from None
    assert isinstance(plain, DictConfig)
    return plain


def parsed(path: Path) -> DictConfig:
    """Read a run's config.yaml: plain YAML without tags, aliases and interpolations.

    Raises RunError, in one line, for anything else: what a run writes has none of them.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise RunError(f"{path}: larger than {LARGEST:,} bytes: no configuration of a run")
        text = path.read_text(encoding="utf-8")
        _check_events(path, text)
        cfg = OmegaConf.create(text)
    except (*UNREADABLE, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RunError(f"{path}: damaged ({reason}): repeat the run") from None
    if not isinstance(cfg, DictConfig):
        raise RunError(f"{path}: damaged (no mapping of keys to values): repeat the run")
    for key, value in _leaves(OmegaConf.to_container(cfg)):
        if isinstance(value, str) and REFERENCE.search(value):
            raise RunError(f"{path}: {key}: {value[:80]!r} refers to something outside the file")
    return cfg


def _check_events(path: Path, text: str) -> None:
    """Look at the file before anything is made of it: a few aliases can stand for gigabytes."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        where = f"{path}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) is not None:
            raise RunError(f"{where}: has a YAML tag or alias, which no run writes")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise RunError(f"{where}: nested more than {DEEPEST} deep: no configuration of a run")


def _targets(node: Any, place: str) -> Iterator[tuple[str, str]]:
    for key, value in _leaves(node, place):
        if key.rpartition(".")[2] == "_target_" and value is not None:
            yield key, str(value)


def _leaves(node: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        inner = f"{place}.{key}" if place else str(key)
        if isinstance(value, dict | list):
            yield from _leaves(value, inner)
        else:
            yield inner, value


def is_trusted(target: str, trusted: Sequence[str]) -> bool:
    """Return whether a `_target_` may be built: a choice of conf/, or of a trusted package."""
    return target in _offered() or any(
        target.startswith(f"{name}.") and _lies_in(target, name) for name in trusted
    )


def _require_trust(path: Path, key: str, target: str, trusted: Sequence[str]) -> None:
    if is_trusted(target, trusted):
        return
    package = target.partition(".")[0]
    raise RunError(
        f"{path}: {key}: {target} is not of this suite, and building it would run its code: if you "
        f"trust whoever made this folder, and that package, add --trust {package}"
    )


def _lies_in(target: str, package: str) -> bool:
    """Whether what `target` names was defined in `package`, not merely imported there."""
    try:
        found = locate(target)
    except ErrorDuringImport:
        found = None
    if found is None:
        return True  # it is not there: whoever builds it says so
    home = str(getattr(found, "__module__", ""))
    return home == package or home.startswith(f"{package}.")


@cache
def _offered() -> frozenset[str]:
    """What the files of conf/task and conf/encoder build."""
    tasks = [_content(path)["task"] for path in (CONF / "task").glob("*.yaml")]
    encoders = [_content(path) for path in (CONF / "encoder").glob("*.yaml")]
    return frozenset(str(each["_target_"]) for each in tasks + encoders if "_target_" in each)


def _content(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found
