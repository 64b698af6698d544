"""What the tests of faults share."""

from __future__ import annotations

import pytest

from tests.bench.conftest import finished, finished_run
from tests.elmo_core.pretraining.conftest import (
    options,
    prepared,
    prepared_once,
    run,
    text,
    trained_once,
    training,
)
from tests.faults.files import Kind
from tests.faults.readers import kinds
from tests.tasks.conftest import wsd_folder

__all__ = [
    "finished",
    "finished_run",
    "options",
    "prepared",
    "prepared_once",
    "run",
    "text",
    "trained_once",
    "training",
    "wsd_folder",
]


@pytest.fixture(scope="session")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kind]:
    return kinds(tmp_path_factory.mktemp("kinds") / "made")
