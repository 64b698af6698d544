"""What several tests of one task, or of every task, share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.run.build import task_of
from tasks import smallworld
from tasks.smallworld.claims import Claim, Phrase
from tasks.smallworld.lexicon import VERBS
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story
from tasks.task import DataError, Task
from tests.tasks.every_task import Configured
from tests.tasks.wsd.wsd_set import write_wsd


@pytest.fixture(scope="session")
def ready(configured: Configured) -> Callable[[str], tuple[Task, Any]]:
    """A task of the built-in data, prepared once, and its training split."""
    made: dict[str, tuple[Task, Any]] = {}

    def get(name: str) -> tuple[Task, Any]:
        if name not in made:
            task = task_of(configured(f"task={name}", "data=mini"))
            try:
                train = task.load("train")
            except DataError as error:
                pytest.skip(str(error))  # no built-in data
            task.prepare(train)
            made[name] = task, train
        return made[name]

    return get


@pytest.fixture
def wsd_folder(tmp_path: Path) -> Path:
    write_wsd(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture(scope="session")
def world() -> Path:
    """The built-in files."""
    folders = [smallworld.ensure(name) for name in smallworld.WRITERS]
    return folders[0].parent


@pytest.fixture(scope="session")
def stories() -> list[Story]:
    return Parts()["dev"][0]


def said(verb: str, roles: dict[str, str]) -> Claim:
    """A claim from plain nouns; "!" before the verb negates it."""
    found = next(v for v in VERBS if v.base == verb.lstrip("!"))
    kinds = {"thing": "thing", "day": "day"}
    phrases = {r: Phrase(noun, kinds.get(r, "person"), noun) for r, noun in roles.items()}
    return Claim(found, phrases, negated=verb.startswith("!"))
