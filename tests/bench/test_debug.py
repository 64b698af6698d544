"""`debug=true`: the traceback besides the line, and the operation whose gradient is NaN."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from torch import Tensor

from tasks.snli.model import ESIM
from tests.bench.small import SMALL

Bench = Callable[..., int]
Shown = pytest.CaptureFixture[str]


@pytest.fixture
def given(snli_folder: Path, tmp_path: Path) -> list[str]:
    folders = [f"data.dir={snli_folder}", f"paths.runs={tmp_path}"]
    return [*SMALL, *folders, "elmo.placement=none", "training.max_epochs=1"]


@pytest.mark.parametrize("many", [(), ("-m",)])
def test_the_traceback_comes_with_the_line(
    bench: Bench,
    given: list[str],
    many: tuple[str, ...],
    tmp_path: Path,
    capsys: Shown,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ESIM, "_penalty", lambda self: float("nan"))
    for words, shown in (([], False), (["debug=true", "force=true"], True)):
        assert bench(*many, *given, *words) == 2
        said = "".join(capsys.readouterr())
        assert "the loss is nan in epoch 1, batch 1" in said
        assert ("Traceback" in said) == shown
        assert ("error: " in said) == (not many)
        if not many:
            assert "try a lower training.optimizer.lr" in said
            assert "examples train" in said
            (result,) = tmp_path.glob("snli/*/result.json")
            assert json.loads(result.read_text())["status"] == "failed"


def test_the_traceback_of_a_refusal_before_the_run(bench: Bench, capsys: Shown) -> None:
    assert bench("debug=true", "--task", "snli") == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "did you mean task=snli?" in said.splitlines()[-1]


@pytest.mark.filterwarnings("ignore:Error detected in SqrtBackward0")
def test_the_operation_is_named_whose_gradient_is_nan(
    bench: Bench, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def root_of_nothing(self: ESIM) -> Tensor:
        return (0 * next(self.parameters())).sum().sqrt() * 0

    monkeypatch.setattr(ESIM, "_penalty", root_of_nothing)
    with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan"):
        bench(*given, "debug=true")
