"""What several tests of one task share."""

from pathlib import Path

import pytest

from tasks import smallworld
from tasks.smallworld.claims import Claim, Phrase
from tasks.smallworld.lexicon import VERBS
from tasks.smallworld.stories import Story
from tests.tasks.wsd.wsd_set import write_wsd


@pytest.fixture
def wsd_folder(tmp_path: Path) -> Path:
    write_wsd(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in files."""
    return smallworld.ensure(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def stories() -> list[Story]:
    return smallworld.stories("dev")[0]


def said(verb: str, roles: dict[str, str]) -> Claim:
    """A claim from plain nouns; "!" before the verb negates it."""
    found = next(v for v in VERBS if v.base == verb.lstrip("!"))
    kinds = {"thing": "thing", "day": "day"}
    phrases = {r: Phrase(noun, kinds.get(r, "person"), noun) for r, noun in roles.items()}
    return Claim(found, phrases, negated=verb.startswith("!"))
