"""Documents of coreference's files that hold nothing."""

from __future__ import annotations

from pathlib import Path

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
