"""Tracebacks say whose error it is."""

from __future__ import annotations

import errno
import runpy
import sys
from pathlib import Path

import pytest

from bench.errors import exit_status, explain
from elmo_core.errors import FetchError, one_line


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_an_error_in_a_file_of_the_users_is_said_to_be_there(tmp_path: Path) -> None:
    path = tmp_path / "my_encoder.py"
    path.write_text("import json\n\ndef encode():\n    return json.loads(None)\n")
    encode = runpy.run_path(str(path))["encode"]
    with pytest.raises(TypeError) as caught, exit_status(False), exit_status(False):
        encode()
    (note,) = vars(caught.value)["__notes__"]
    assert f"{path}, line 4" in note


def test_an_error_of_ours_is_not() -> None:
    with pytest.raises(AttributeError) as caught, exit_status(False):
        one_line(None)  # type: ignore[arg-type]
    assert not getattr(caught.value, "__notes__", None)


def test_a_refusal_without_a_name_is_told() -> None:
    said = explain(PermissionError(errno.EACCES, "Permission denied"))
    assert said is not None
    assert said.startswith("cannot write a file (permission denied)")


def test_what_cannot_be_written_is_one_line_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise FetchError("whose home?")

    monkeypatch.setattr("elmo_core.downloads.cache.cache_folder", nobody)
    assert "paths.runs=FOLDER" in str(explain(PermissionError(13, "Permission denied", "/x/y")))
