"""The cards of published sets as Croissant, read by its own validator."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.data.__main__ import main
from bench.data.croissant import card
from tasks.base.published import Source, published
from tests.bench.verbs import said

each_set = pytest.mark.parametrize("source", published(), ids=lambda s: f"{s.task}/{s.name}")


@each_set
def test_a_card_says_what_is_published(source: Source) -> None:
    found = card(source)
    for key, value in (("name", source.name), ("license", source.licence), ("url", source.origin)):
        assert found[key] == value
    named = json.dumps(found)
    assert all(json.dumps(file.url)[1:-1].partition("@")[0] in named for file in source.files[:5])
    for file in found["distribution"]:
        assert len(file["sha256"]) == 64
        assert file["contentUrl"].startswith("https://")
    assert len({file["@id"] for file in found["distribution"]}) == len(found["distribution"])


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = said(capsys, main, ["card", "wnut17"])
    assert status == 0
    assert json.loads(shown)["citeAs"].startswith("Derczynski")
    for name, says in (("glove", "glove is no data set"), ("mini", "mini is built in")):
        status, _, told = said(capsys, main, ["card", name])
        assert (status, says in told) == (2, True), told


VALIDATE = """
import sys, mlcroissant
for path in sys.argv[1:]:
    errors = mlcroissant.Dataset(path).metadata.ctx.issues.errors
    assert not errors, (path, errors)
"""


def test_croissant_s_own_validator_takes_them(tmp_path: Path) -> None:
    """In a process of its own: absl, which it imports, would close pytest's stderr."""
    for source in published():
        text = json.dumps(card(source))
        (tmp_path / f"{source.task}-{source.name}.json").write_text(text)
    paths = sorted(map(str, tmp_path.iterdir()))
    command = [sys.executable, "-c", VALIDATE, *paths]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (len(paths), done.returncode) == (len(published()), 0), done.stderr
