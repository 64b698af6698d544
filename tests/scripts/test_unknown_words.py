"""What a head can learn of the unknown word: counted by hand."""

from __future__ import annotations

from pathlib import Path

from tests.scripts.conftest import Script


def test_counted_by_hand(tmp_path: Path, script: Script) -> None:
    """Of four tokens `saw` and `Oslo` stand once, Anna (and anna) twice; Eva is new in dev."""
    train = "Anna B-PER\nsaw O\nanna B-PER\n\nOslo B-LOC\n"
    (tmp_path / "train.txt").write_text(train + "\n", encoding="utf-8")
    dev = "Eva B-PER\nsaw O\nOslo B-LOC\nAnna B-PER\n\n"
    (tmp_path / "dev.txt").write_text(dev, encoding="utf-8")
    _, out, _ = script("unknown_words.py", tmp_path)
    assert out == (
        f"{tmp_path}: 2 words stand in training once, 50.0 % of them in names, of all its tokens "
        "75.0 %; of 3 tokens in dev's names 66.7 % are unknown\n"
    )


def test_a_folder_without_names_is_told_in_a_line(tmp_path: Path, script: Script) -> None:
    status, _, err = script("unknown_words.py", tmp_path)
    assert status == 2
    assert f"error: {tmp_path}: no named entities of training and dev" in err
