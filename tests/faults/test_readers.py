"""Whatever is done to a file, its reader gives examples or one line that its owner can act on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.task import DataError
from tests.faults import readers
from tests.faults.files import Kind
from tests.faults.mutations import mutate
from tests.faults.readers import Bad, read


def test_whole_files_are_read(every_kind: dict[str, Kind], tmp_path: Path) -> None:
    for name, kind in every_kind.items():
        folder = tmp_path / name.replace("/", "-")
        folder.mkdir()
        assert read(kind, kind.content, folder) == "read", name


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data(), random=st.randoms(use_true_random=False))
def test_mutated_files_are_read_or_refused(
    data: st.DataObject, random: Random, every_kind: dict[str, Kind]
) -> None:
    kind = every_kind[data.draw(st.sampled_from(sorted(every_kind)))]
    with TemporaryDirectory() as folder:
        read(kind, mutate(kind.content, random), Path(folder))


def busy(_: Path) -> None:
    hashlib.pbkdf2_hmac("sha256", b"", b"", 200_000)


def long_winded(_: Path) -> None:
    error = DataError("short")
    error.args = ("two\nlines",)
    raise error


@pytest.mark.parametrize(
    ("misbehave", "says"),
    [
        (lambda _: {}["x"], "KeyError"),
        (lambda _: len(bytearray(80 << 20)), "80 MiB of memory for 4 bytes"),
        (busy, r"\d seconds for 4 bytes"),
        (long_winded, "a message of 9 characters"),
    ],
)
def test_what_no_reader_may_do_is_noticed(
    misbehave: Callable[[Path], object],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readers, "SECONDS", 0.01)
    with pytest.raises(Bad, match=says):
        read(Kind("x", b"file", misbehave), b"file", tmp_path)
