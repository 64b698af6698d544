"""Finished runs into a file of reference results, with the experiments that they belong to."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any

from hydra.core.override_parser.types import Transformer

from bench.choice import FILES
from bench.records.references import SCHEMA, write_references
from bench.report.compare import referred
from bench.report.read import Experiment, Key, Records
from bench.words import listed

LOCAL = ("paths.runs=", "features.dir=", "features.overlay=", "hydra/launcher=", "hydra.launcher.")
"""How words begin that say where files lie and what launches a run: nothing to others."""

AND = " && "
"""Stands between the commands of experiments that have become one."""

OPTIONS = ("--config-dir", "--config-path")
PLACES = ("dir", *FILES)
"""Under which keys data, word vectors and encoders lie, of whose paths the name alone is kept."""


def export(records: Records, wanted: Collection[Key], path: Path) -> None:
    """Write the runs `wanted` of the records to `path` (bench/records/references.py).

    Where the runs, their data, word vectors and encoders lie on this machine is left out. What is
    lost of a run is told in a line of `records.problems`.
    """
    lines = [referred(records.runs[key], records.problems).to_json() for key in sorted(wanted)]
    lines += [
        {"schema": SCHEMA, "experiment": _manifest(each), "file": each.id}
        for each in records.experiments
        if any(cell.key in wanted for cell in each.cells)
    ]
    write_references(path, [anywhere(line, wanted) for line in lines])


def _manifest(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment's file, which does not name itself."""
    content = {key: value for key, value in experiment.to_json().items() if key != "path"}
    return {**content, "encoder": named(experiment.encoder)}


def named(encoders: str) -> str:
    """Return the encoders of an experiment without the places of this machine.

    >>> named("elmo-mini, /me/biLM")
    'elmo-mini, biLM'
    """
    return ", ".join(map(_name, encoders.split(", ")))


def anywhere(found: Any, runs: Collection[Key]) -> Any:
    """Return what was found in a record without the places of this machine.

    Args:
        found: JSON: commands stand under `command`, places under one of `PLACES`.
        runs: Those that commands may name; they are named as of the folder `runs`.

    >>> anywhere({"dir": "/me/EWT", "command": "python -m bench seed=1 paths.runs=/me/runs"}, [])
    {'dir': 'EWT', 'command': 'python -m bench seed=1'}
    >>> anywhere({"command": "x /me/ner/none-1 data.dir=/me/EWT"}, [("ner", "none-1")])
    {'command': 'x runs/ner/none-1 data.dir=EWT'}
    >>> anywhere({"word_vectors": "/me/v.txt", "command": "x encoder.source=/me/biLM"}, [])
    {'word_vectors': 'v.txt', 'command': 'x encoder.source=biLM'}
    >>> anywhere({"command": "x encoder=/me/biLM"}, [])
    {'command': 'x encoder=biLM'}
    >>> anywhere({"command": "x --config-dir=/me/conf 'hydra.searchpath=[/me/a,b]'"}, [])
    {'command': "x --config-dir=conf 'hydra.searchpath=[a,b]'"}
    """
    if isinstance(found, list):
        return [anywhere(each, runs) for each in found]
    if not isinstance(found, dict):
        return found
    cleaned = {key: anywhere(value, runs) for key, value in found.items()}
    for key in PLACES:
        if isinstance(cleaned.get(key), str):
            cleaned[key] = _name(cleaned[key])
    if cleaned.get("command"):
        cleaned["command"] = _command(cleaned["command"], runs)
    return cleaned


def _command(command: str, runs: Collection[Key]) -> str:
    words = (word for word in shlex.split(command) if not word.startswith(LOCAL))
    joined = shlex.join(_word(word, runs) for word in words)
    return joined.replace(f" {shlex.quote(AND.strip())} ", AND)


def _word(word: str, runs: Collection[Key]) -> str:
    key, equals, value = word.partition("=")
    if key.rpartition(".")[2] in (*PLACES, "encoder", *OPTIONS):  # encoder=FILE
        return key + equals + _name(value)
    if key == "hydra.searchpath":
        names = [_name(path) for path in listed(word, key)]
        return f"{key}={Transformer.str(names)}" if names else word
    task, run = Path("/", word).parts[-2:] if "/" in word else ("", "")
    return f"runs/{task}/{run}" if (task, run) in runs else word


def _name(path: str) -> str:
    """Return the last part of an absolute path, which is enough to tell sets apart."""
    place = Path(path.removeprefix("file://"))
    return place.name if place.is_absolute() else path
