"""What several tests of one task share."""

from pathlib import Path

import pytest

from tests.tasks.wsd_set import write_wsd


@pytest.fixture
def wsd_folder(tmp_path: Path) -> Path:
    write_wsd(tmp_path / "data")
    return tmp_path / "data"
