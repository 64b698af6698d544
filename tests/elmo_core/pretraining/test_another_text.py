"""A training goes on only over the text that it began with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elmo_core.bilm.options import Options
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.prepare import Request, prepare
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.train import train
from tests.elmo_core.pretraining.conftest import EVERY


def test_the_same_files_in_another_order_are_another_text(
    text: Path, options: Options, training: Training, tmp_path: Path
) -> None:
    lines = text.read_text().splitlines(keepends=True)
    parts = [tmp_path / f"{i}.txt" for i in range(6)]
    for i, part in enumerate(parts):
        part.write_text("".join(lines[100 * i : 100 * (i + 1)]))
    for corpus, files in (("forth", parts), ("back", parts[::-1])):
        prepare(files, tmp_path / corpus, Request(heldout=0.3, min_count=1))

    def go(corpus: str, epochs: float) -> None:
        longer = replace(training, epochs=epochs)
        train(tmp_path / corpus, tmp_path / "out", options, longer, every=EVERY, accelerator="cpu")

    go("forth", 0.12)
    with pytest.raises(TrainingError, match=r"with text = \w+, not \w+"):
        go("back", 0.24)
    go("forth", 0.24)
