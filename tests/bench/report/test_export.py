"""What a record says of places, once it is exported."""

from __future__ import annotations

import shlex

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from bench.report.export import anywhere


def test_folders_of_configuration_keep_their_names_alone() -> None:
    word = "hydra.searchpath=['/me/my conf',file:///me/b,pkg://c]"
    _, said = shlex.split(anywhere({"command": shlex.join(["x", word])}, [])["command"])
    assert OverridesParser.create().parse_override(said).value() == ["my conf", "b", "pkg://c"]


@pytest.mark.parametrize("word", ["hydra.searchpath=[a", "hydra.searchpath=a"])
def test_what_hydra_would_refuse_stays(word: str) -> None:
    assert shlex.split(anywhere({"command": f"x {word}"}, [])["command"]) == ["x", word]
