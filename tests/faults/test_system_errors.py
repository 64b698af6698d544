"""What the system refuses is one line with status 2, and nothing that was whole is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bench.errors import NO_ROOM, explain
from elmo_core import lightning
from elmo_core.whole_files import replacing
from tests.bench.small import SMALL


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "disk full: make room"),
        (errno.EDQUOT, "quota exceeded: make room"),
        (errno.EIO, "input/output error"),
        (errno.ESTALE, "stale file handle"),
        (errno.EFBIG, "file too large"),
    ],
)
def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(
    number: int,
    said: str,
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write, calls = lightning.write_bytes, []

    def failing(path: Any, content: Any) -> None:
        calls.append(path)
        if len(calls) > 2:
            with replacing(path) as temporary:
                temporary.write_bytes(b"half")
                raise OSError(number, os.strerror(number))
        write(path, content)

    run = (*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path}")
    with monkeypatch.context() as patched:
        patched.setattr(lightning, "write_bytes", failing)
        assert bench(*run) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
    assert said in line
    assert number in NO_ROOM or ".ckpt" in line
    (last,) = tmp_path.glob("snli/*/checkpoints/last.ckpt")
    assert torch.load(last, weights_only=True)["epoch"] == 0
    assert not list(last.parent.glob("*.tmp"))
    assert bench(*run) == 0


def test_a_failed_write_has_a_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"result\.json"), replacing(tmp_path / "result.json"):
        raise OSError(errno.EIO, "Input/output error")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="another user is needed")
@pytest.mark.parametrize("locked", ["file", "folder"])
def test_reading_denied_is_not_called_writing(locked: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "train"
    path.write_text("text")
    forbidden = path if locked == "file" else path.parent
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    root = os.geteuid() == 0
    try:
        forbidden.chmod(0)
        if root:
            os.seteuid(65534)
        with pytest.raises(PermissionError) as error:
            path.read_text()
        said = explain(error.value)
    finally:
        if root:
            os.seteuid(0)
        forbidden.chmod(0o700)
    assert said is not None
    assert said.startswith(f"cannot read {path} (permission denied)")


def test_writing_denied_names_the_way_out(tmp_path: Path) -> None:
    error = PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "new"))
    assert "name another place (paths.runs=FOLDER for runs, -o FOLDER for reports)" in (
        explain(error) or ""
    )


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    error = OSError(errno.EROFS, "Read-only file system", str(tmp_path / "features" / "new"))
    assert "name another place (ELMO_BENCH_CACHE=FOLDER)" in (explain(error) or "")


def test_a_closed_pipe_is_no_error() -> None:
    assert explain(BrokenPipeError(errno.EPIPE, "Broken pipe")) is None


@pytest.mark.parametrize("key", ["paths.runs", "data.dir"])
@pytest.mark.parametrize("kind", ["name", "path", "loop", "proc"])
def test_places_that_cannot_be(
    key: str,
    kind: str,
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    place = {
        "name": str(tmp_path / ("x" * 300)),
        "path": str(tmp_path) + "/xxxxxxxxx" * 500,
        "loop": str(tmp_path / "loop"),
        "proc": "/proc/x",
    }[kind]
    given = {"data.dir": str(snli_folder), "paths.runs": str(tmp_path / "runs"), key: place}
    assert bench(*SMALL, *(f"{name}={value}" for name, value in given.items())) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("error: ")
    assert len(said) < 1100  # a long path is cut


def test_bytes_that_are_no_utf8(
    bench: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*SMALL, f"paths.runs='{tmp_path}/caf\udce9'") == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: paths.runs=")
