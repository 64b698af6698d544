"""What the tests of faults share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.conftest import small
from tests.elmo_core.conftest import tiny_options
from tests.elmo_core.pretraining.conftest import options, prepared, text, training
from tests.faults.files import Kind
from tests.faults.readers import kinds
from tests.tasks.wsd.wsd_set import write_wsd

__all__ = ["options", "prepared", "small", "text", "tiny_options", "training"]


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kind]:
    return kinds(tmp_path_factory.mktemp("kinds") / "made")


@pytest.fixture
def wsd_folder(tmp_path: Path) -> Path:
    write_wsd(tmp_path / "data")
    return tmp_path / "data"
