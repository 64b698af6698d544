"""Documents of coreference's files that hold nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.coref.data import read


def test_an_empty_document_is_none(tmp_path: Path) -> None:
    row = f"x 0 0 w {'- ' * 8}\n"
    (tmp_path / "dev.conll").write_text(
        "#begin document (empty); part 0\n#end document\n"
        f"#begin document (x); part 0\n{row}#end document\n"
    )
    found = read(tmp_path, "dev", drop_singletons=False)
    assert found is not None
    assert found["id"][:] == ["x:0"]


def test_a_split_without_a_cluster_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a test set that lacks its key."""
    row = f"x 0 0 w {'- ' * 8}\n"
    (tmp_path / "test.conll").write_text(f"#begin document (x); part 0\n{row}#end document\n")
    read(tmp_path, "test", drop_singletons=False)
    assert "test.conll: not one cluster, so that nothing can be found in test" in caplog.text
