"""The command line's overrides, before Hydra reads them: shorthands, and words that are none."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.types import ChoiceSweep
from omegaconf import DictConfig

from bench import VERBS
from bench.config import CONF, check, register
from bench.encoder_words import commits, is_path, is_there
from bench.errors import ConfigError
from bench.explanation import HINT, UNUSABLE, explain, on_the_hub
from bench.verbatim import quoted
from bench.words import in_quotes, listed, parsed, text_of

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
    - `encoder.model=NAME`, of a model on huggingface.co, brings the commit that it has now, if the
      encoder takes a `revision`, so that the run stays what it was when the model changes.
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
        text = text_of(key, value) if path else value  # reading takes a millisecond a word
        several = _several(value) if text == value else []
        if key == "encoder" and several:
            expanded.append(f"encoder={','.join(map(os.path.expanduser, several))}")
        elif key == "encoder" and is_path(text):
            if re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", text) and not is_there(text):
                raise ConfigError(f"{argument}: no such file or folder; {on_the_hub(text)}")
            source = str(Path(text).expanduser())
            expanded += ["encoder=elmo", in_quotes("encoder.source", source)]
        elif key == "paths.runs" and text.startswith("~/"):  # Hydra makes this folder, too
            expanded.append(in_quotes(key, os.path.expanduser(text)))
        elif value.startswith("~/") or (key in PATHS and parsed(argument) is None):
            expanded.append(in_quotes(key, *(several or [text])))
        else:
            expanded.append(argument)
    expanded += commits(arguments)
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
        left_out = [found[1]] if found else listed(word.lstrip("+"), "experiment.without")
        names += left_out
        others += [] if left_out else [word]
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


def _several(value: str) -> list[str]:
    """Split names and paths at commas; return nothing for a single one, which may have commas."""
    parts = value.split(",")
    return parts if len(parts) > 1 and "/" in value and not is_there(value) else []


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
        for place in listed(word, "hydra.searchpath"):
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
