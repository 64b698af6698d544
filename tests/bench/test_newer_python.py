"""What newer Pythons would break, on any."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest

Bench = Callable[..., int]


def test_hydra_starts_where_argparse_looks_into_each_help_text(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """As Python 3.14's does; one of Hydra's is not a string."""
    parser: Any = argparse.ArgumentParser
    add = parser.add_argument

    def add_and_look(self: Any, *names: str, **settings: Any) -> argparse.Action:
        action = add(self, *names, **settings)
        self._check_help(action)
        return action

    monkeypatch.setattr(parser, "_check_help", lambda _, action: "%" in action.help, raising=False)
    monkeypatch.setattr(parser, "add_argument", add_and_look)
    with pytest.raises(TypeError):
        parser().add_argument("--lazy", help=object())
    assert bench("task=ner", "--cfg", "job") == 0
    assert "placement" in capsys.readouterr().out
    with pytest.raises(TypeError):
        parser().add_argument("--lazy", help=object())  # as before
