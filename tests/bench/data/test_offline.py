"""What `get` fetched is enough for a run where there is no network at all."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.bench.data.conftest import Verb
from tests.conftest import TINY_ENCODER
from tests.file_server import FileServer
from tests.namespaces import isolated

RUN = (
    *(sys.executable, "-m", "bench", "task=ner", "data=open", "trainer=cpu"),
    *("elmo.placement=input", "training.max_epochs=1", *TINY_ENCODER),
)


def test_a_run_without_a_network(data: Verb, server: FileServer, tmp_path: Path) -> None:
    """The cache may even be read-only."""
    assert data("get", "wnut17", "--yes")[0] == 0
    asked, cache = len(server.asked), tmp_path / "cache"
    reach = [sys.executable, "-c", f"from urllib.request import urlopen; urlopen('{server.url}')"]
    assert "Network is unreachable" in isolated(reach, network=False).stderr
    own = (f"paths.runs={tmp_path / 'runs'}", f"features.overlay={tmp_path / 'features'}")
    done = isolated([*RUN, *own], network=False, read_only=[cache])
    assert done.returncode == 0, done.stderr
    (result,) = tmp_path.glob("runs/ner/*/result.json")
    assert json.loads(result.read_text())["status"] == "finished"
    assert len(server.asked) == asked
