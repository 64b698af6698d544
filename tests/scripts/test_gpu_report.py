"""`make gpu`, with parts of our own."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts.conftest import SCRIPTS


def test_what_is_done_is_in_the_report_whatever_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = runpy.run_path(str(SCRIPTS / "gpu_report.py"))["main"]
    names = main.__globals__
    out = tmp_path / "new" / "report.json"
    for name in ("ELMO_BENCH_TRIED_ON", "PYTHONPATH"):  # which it sets
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(sys, "argv", ["gpu_report.py", "--accelerator=cpu", f"--out={out}"])

    def one_and_a_half(*_: object) -> Iterator[object]:
        yield names["Part"]("one", [sys.executable, "-c", "print(1)"], 60)
        raise KeyboardInterrupt

    monkeypatch.setitem(names, "parts", one_and_a_half)
    with pytest.raises(KeyboardInterrupt):
        main()
    assert [part["found"] for part in json.loads(out.read_text())["parts"]] == [1]
