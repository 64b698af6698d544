"""The command line's overrides, before Hydra reads them: shorthands, and words that are none."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override, Quote, QuotedString
from hydra.errors import HydraException
from omegaconf import DictConfig

from bench import VERBS
from bench.config import CONF, check, register
from bench.errors import ConfigError
from bench.explanation import HINT, UNUSABLE, explain, on_the_hub, own_folders
from bench.verbatim import quoted
from elmo_core.errors import WeightsError

COMMANDS = {
    *("--run", "-r", "--multirun", "-m", "--cfg", "-c", "--info", "-i", "--help", "-h"),
    *("--hydra-help", "--shell-completion", "-sc", "--experimental-rerun", "--version"),
}
"""Hydra's own commands: of two, it takes none."""

MANY = {"--multirun", "-m"}
SHOWN = {"--cfg", "-c", "--info", "-i"}
VALUED = {
    *("--cfg", "-c", "--info", "-i", "--package", "-p", "--experimental-rerun"),
    *("--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"),
}
"""Options of Hydra's whose value may be the next word; --info's has no `=`."""
TAKING = {*VALUED, "--resolve", "--shell-completion", "-sc"}
"""Options of Hydra's that are no commands, and all behind which a word need be no override."""

PATHS = {
    *("data.dir", "features.dir", "features.overlay", "paths.runs", "word_vectors"),
    *("encoder.source", "encoder.options", "encoder.weights", "encoder.vectors"),
}
"""Keys of files and folders, which may have any name."""

GROUPS = {path.parent.name for path in CONF.glob("*/*.yaml")}
"""Of which one is chosen each, by name."""

PLAIN = re.compile(r"[a-z]+\.[\w.]+", re.ASCII)
"""What is left out and needs no quotes, so that the command of a table is easy to read."""
MODEL = re.compile(r"(encoder(?:\.\w+)*)\.model=([\w-][\w.-]*(?:/[\w.-]+)?)")
"""A model of the hub by its name, or a folder."""
LEFT_OUT = re.compile(r"~experiment\.((rows|columns)\..+)", re.DOTALL)
"""A row or column that is left out; its name may hold what Hydra takes for its own: `=`, λ, …"""


def composed(words: list[str]) -> DictConfig:
    """Compose and check the configuration of one run from words of the command line.

    Raises ConfigError, in one line, for words that cannot be used.
    """
    register()
    for word in words:
        if word.startswith(("experiment=", "plan=")):
            raise ConfigError(f"{word}: this takes the keys of one run, such as task=ner")
    words = expand(words)
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            cfg = compose("config", overrides=words)
    except UNUSABLE as error:
        raise ConfigError(explain(words, error)) from error
    check(cfg)
    return cfg


def composed_with_encoder(words: list[str]) -> DictConfig:
    """Compose the configuration of a run at whose input the encoder stands.

    Raises ConfigError for words that cannot be used, or that leave the encoder out.
    """
    cfg = composed(["elmo.placement=input", *words])
    if cfg.elmo.placement == "none":
        raise ConfigError("elmo.placement=none: without an encoder there is nothing to look at")
    return cfg


def expand(arguments: list[str]) -> list[str]:
    """Write out the shorthands of the command line, for Hydra.

    - `encoder=PATH` becomes `encoder=elmo encoder.source=PATH`; of several encoders, with commas,
      each does when the words of its own run are expanded.
    - `encoder._target_=CLASS` alone brings `encoder=own`, which has no keys besides.
    - `encoder.model=NAME`, of a model on huggingface.co, brings the commit that it has now, so that
      the run stays what it was when the model changes.
    - `data.dir=FOLDER` or `data.set=NAME` alone brings `data=open`, so that real data is not
      trained on like the built-in one.
    - A path that begins with `~/`, or that Hydra cannot read as it stands, is quoted.
    - `experiment=NAME` and `plan=true` bring `-m`, which may stand anywhere.
    - `~experiment.columns.NAME` and `~experiment.rows.NAME`, all of them, become one
      `experiment.without=[…]`, whatever the names are made of; what a given one names joins them.

    Raises ConfigError for a group that is given no name (`logger=null`), or a list of them.
    """
    arguments, expanded = _with_one_list(arguments), []
    keys = {argument.partition("=")[0] for argument in arguments}
    open_data = "data" not in keys
    for argument in arguments:
        _refuse_nameless(argument)
        key, _, value = argument.partition("=")
        if open_data and key in ("data.dir", "data.set"):
            expanded.append("data=open")
            open_data = False
        if key == "encoder._target_" and "encoder" not in keys:
            expanded.append("encoder=own")
        path = key in {"encoder", *PATHS} or value.startswith("~/")
        text = _text(key, value) if path else value  # reading takes a millisecond a word
        several = _several(value) if text == value else []
        if key == "encoder" and several:
            expanded.append(f"encoder={','.join(map(os.path.expanduser, several))}")
        elif key == "encoder" and _is_path(text):
            if re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", text) and not _is_there(text):
                raise ConfigError(f"{argument}: no such file or folder; {on_the_hub(text)}")
            source = str(Path(text).expanduser())
            expanded += ["encoder=elmo", _in_quotes("encoder.source", source)]
        elif key == "paths.runs" and text.startswith("~/"):  # Hydra makes this folder, too
            expanded.append(_in_quotes(key, os.path.expanduser(text)))
        elif value.startswith("~/") or (key in PATHS and parsed(argument) is None):
            expanded.append(_in_quotes(key, *(several or [text])))
        else:
            expanded.append(argument)
    for part, model in _on_hub(arguments).items():
        if f"{part}.revision" not in keys:
            from elmo_core.encoders.hub import commit

            with suppress(WeightsError):  # the run says so, if there will be one
                expanded.append(f"{part}.revision={commit(model)}")
    if keys & {"experiment", "plan"} and not keys & COMMANDS:
        expanded.insert(0, "-m")
    return _together(expanded)


def _with_one_list(words: list[str]) -> list[str]:
    """Make one list of all words that leave rows or columns out: of two, Hydra drops the first."""
    if not any(map(LEFT_OUT.fullmatch, words)):
        return words
    names, others = list[str](), list[str]()
    for word in words:
        found = LEFT_OUT.fullmatch(word)
        listed = [found[1]] if found else _listed(word, "experiment.without")
        names += listed
        others += [] if listed else [word]
    plain = (name if PLAIN.fullmatch(name) else quoted(name) for name in dict.fromkeys(names))
    return [*others, f"experiment.without=[{','.join(plain)}]"]


def _together(words: list[str]) -> list[str]:
    """Put overrides side by side: Hydra takes none on both sides of an option.

    >>> _together(["task=pos", "--cfg", "job", "seed=3", "-m"])
    ['-m', 'task=pos', 'seed=3', '--cfg', 'job']
    """
    ranks, before = [], ""
    for word in words:
        value = before in VALUED and not (before in SHOWN and "=" in word)
        option = word.partition("=")[0] in COMMANDS | TAKING
        ranks.append(0 if word in MANY else 2 if value or option else 1)
        before = "" if value else word
    return [word for rank in range(3) for word, of in zip(words, ranks, strict=True) if of == rank]


def _refuse_nameless(word: str) -> None:
    """Raise ConfigError for a group that is given no name, or a list, which Hydra does not take
    for a mistake.

    >>> _refuse_nameless("logger=null")
    Traceback (most recent call last):
    bench.errors.ConfigError: logger=null: no name (choose csv, none, tensorboard, wandb)
    """
    key, given, _ = word.partition("=")
    group = key.lstrip("+~").partition("@")[0]
    if not given or group not in GROUPS or (override := parsed(word)) is None:
        return
    value = override.value()
    names = value.list if isinstance(value, ChoiceSweep) else [value]
    wrong = ""
    if any(isinstance(name, int | float | None) for name in names):
        wrong = "no name"
    elif any(isinstance(name, list) for name in names):  # of which Hydra would make one of both
        wrong = "one is taken, not a list"
    if wrong:
        known = sorted(path.stem for path in (CONF / group).glob("*.yaml"))
        raise ConfigError(f"{word}: {wrong} (choose {', '.join(known)})")


def parsed(word: str) -> Override | None:
    """Return an override as Hydra reads it, None where it cannot."""
    try:
        return OverridesParser.create().parse_override(word)
    except HydraException:
        return None


def _listed(word: str, key: str) -> list[str]:
    """Return what the list of an override of this key holds; nothing where it is another's."""
    override = parsed(word) if word.startswith(f"{key}=") else None
    given = override.value() if override else None
    return list(map(str, given)) if isinstance(given, list) else []


def _text(key: str, value: str) -> str:
    r"""Return a value as Hydra reads it where that is one text, else as it stands.

    >>> _text("data.dir", r"~/my\ data")
    '~/my data'
    """
    home = "~" if value.startswith("~/") else ""  # which Hydra cannot read
    override = parsed(f"{key}={value.removeprefix(home)}")
    read = override.value() if override else None
    return home + read if isinstance(read, str) else value


def _in_quotes(key: str, *values: str) -> str:
    """Write an override whose values Hydra takes as they stand, references aside."""
    return f"{key}={','.join(QuotedString(value, Quote.single).with_quotes() for value in values)}"


def _several(value: str) -> list[str]:
    """Split names and paths at commas; return nothing for a single one, which may have commas."""
    parts = value.split(",")
    return parts if len(parts) > 1 and "/" in value and not _is_there(value) else []


def refuse(words: list[str]) -> None:
    """Raise ConfigError for words that are no overrides, and for what one run leaves unused."""
    flags = {action for action in words if action in COMMANDS}
    if flags & MANY and flags & SHOWN:
        both = " and ".join(sorted(flags & (MANY | SHOWN)))
        raise ConfigError(f"{both}: one of the two; plan=true lists the runs that -m would make")
    for before, word in zip(["", *words], words, strict=False):
        key, equals, value = word.partition("=")
        if word.startswith("--") and key not in COMMANDS | TAKING:
            rest = words[words.index(word) + 1 :]
            given = value or next((w for w in rest if w and w[0] != "-"), "…")
            raise ConfigError(f"{word}: keys have no dashes here; did you mean {key[2:]}={given}?")
        if not equals and word[:1] not in ("-", "~") and before not in TAKING:
            groups = [path.parent for path in sorted(CONF.rglob(f"{word}.yaml"))]
            meant = [f"{group.relative_to(CONF)}={word}" for group in groups if group != CONF]
            verbs = get_close_matches(word, VERBS, n=1)
            meant = meant or [f"`python -m bench.{verb} --help`" for verb in verbs]
            hint = f"; did you mean {' or '.join(meant)}?" if meant else f" ({HINT})"
            raise ConfigError(f"{word}: no KEY=VALUE{hint}")
        if word in ("--shell-completion", "-sc") and not {"install", "uninstall", "query"} & {
            each.partition("=")[0] for each in words
        }:
            raise ConfigError(f"{word}: needs install=bash (or fish), uninstall= or query=")
        for place in _listed(word, "hydra.searchpath"):
            _require_folder(place.removeprefix("file://"))
        if key.startswith("experiment.") and not any(w.startswith("experiment=") for w in words):
            raise ConfigError(f"{word}: of which experiment? Give experiment=NAME, too")
        if key in ("hydra/launcher", "hydra/sweeper") and not flags:
            raise ConfigError(f"{word}: is for many runs, and there is one: give -m or experiment=")
        if flags <= SHOWN and (override := parsed(word)) and override.is_sweep_override():
            one = f"{min(flags)} shows one run: give one value" if flags else ""
            one = one or "there is one run: give -m, or quote them"
            raise ConfigError(f"{word}: several values, and {one}")


def _require_folder(folder: str) -> None:
    """Raise ConfigError for a folder of configuration that is not there: Hydra goes on without."""
    if "://" not in folder and not Path(folder).is_dir():
        raise ConfigError(f"hydra.searchpath: no folder {folder}")


def _is_path(value: str) -> bool:
    return bool(value) and ("/" in value or _is_there(value)) and not _is_configuration(value)


def _is_configuration(name: str) -> bool:
    """Say whether there is a configuration of an encoder of this name, ours or the user's."""
    given = [word for word in sys.argv if word.startswith("hydra.searchpath=")]
    own = own_folders(sys.argv[1:], [found for word in given if (found := parsed(word))])
    folders = [CONF, *(Path(folder.removeprefix("file://")) for folder in own)]
    return any((folder / "encoder" / f"{name}.yaml").exists() for folder in folders)


def _is_there(value: str) -> bool:
    folder = value.rpartition("@")[0] or value  # of FOLDER@STEP
    return any(Path(path).expanduser().exists() for path in (value, folder))


def _on_hub(arguments: list[str]) -> dict[str, str]:
    """Return the models on the hub that are named, by the key of their encoder: `encoder`, or one
    of several side by side."""
    found = filter(None, map(MODEL.fullmatch, arguments))
    return {
        part: model
        for part, model in (each.groups() for each in found)
        if model != "null" and not Path(model).exists()
    }
