"""What the tests of faults share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.files import Kind, kinds
from tests.tasks.wsd.wsd_set import write_wsd


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kind]:
    return kinds(tmp_path_factory.mktemp("kinds") / "made")


@pytest.fixture
def wsd_folder(tmp_path: Path) -> Path:
    write_wsd(tmp_path / "data")
    return tmp_path / "data"
