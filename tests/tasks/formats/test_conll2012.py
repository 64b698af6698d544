"""Where the files of a split of OntoNotes are found, and whether they are all of them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tasks.base.published import SPLITS, published
from tasks.formats.conll2012 import CONLL_2012, check_size, find_files


def laid(folder: Path, *paths: str) -> list[Path]:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return [folder / path for path in paths]


@pytest.mark.parametrize("above", ["", "a/", "a/b/", "a/b/c/"])
def test_up_to_three_levels_down(above: str, tmp_path: Path) -> None:
    (path,) = laid(tmp_path, f"{above}dev/deep/er/x.conll")
    assert find_files(tmp_path, [], ["dev"], ["*.conll"]) == (tmp_path / f"{above}dev", [path])
    assert find_files(tmp_path, [], ["train"], ["*.conll"]) == (None, [])


def test_what_a_mac_leaves_beside_a_file_is_not_read(tmp_path: Path) -> None:
    (path, _) = laid(tmp_path, "dev/x.conll", "dev/._x.conll")
    assert find_files(tmp_path, [], ["dev"], ["*.conll"])[1] == [path]


def test_four_levels_down_is_elsewhere(tmp_path: Path) -> None:
    laid(tmp_path, "a/b/c/d/dev/x.conll")
    assert find_files(tmp_path, [], ["dev"], ["*.conll"]) == (None, [])


def test_the_first_name_and_the_first_pattern_count(tmp_path: Path) -> None:
    deep, _, gold, _ = laid(
        tmp_path, "a/development/x.conll", "dev/y.conll", "test/z.gold", "test/a.conll"
    )
    assert find_files(tmp_path, [], ["development", "dev"], ["*.conll"])[1] == [deep]
    assert find_files(tmp_path, [], ["test"], ["*.gold", "*.conll"])[1] == [gold]
    assert find_files(tmp_path, [], ["dev", "development"], ["*.gold", "x.*"])[1] == [deep]


def test_of_several_languages_english(tmp_path: Path) -> None:
    _, english = laid(tmp_path, "train/arabic/x.conll", "train/english/y.conll")
    assert find_files(tmp_path, [], ["train"], ["*.conll"])[1] == [english]
    (tmp_path / "english").mkdir()
    above = laid(tmp_path / "english", "dev/a/y.conll", "dev/b/x.conll")
    assert find_files(tmp_path, [], ["dev"], ["*.conll"])[1] == above  # not the folder above it


def test_a_file_comes_before_a_folder(tmp_path: Path) -> None:
    file, other, _ = laid(tmp_path, "dev.conll", "dev.txt", "dev/x.conll")
    for names, found in ((["a", "dev.conll", "dev.txt"], file), (["dev.txt"], other)):
        assert find_files(tmp_path, names, ["dev"], ["*.conll"]) == (found, [found])


def test_roles_and_coreference_have_other_training_sets_and_the_same_test_set() -> None:
    roles, coreference = (
        next(each for each in published(task) if each.name == "conll2012")
        for task in ("srl", "coref")
    )
    found = [[each.counts[s]["sentences"] for s in SPLITS] for each in (roles, coreference)]
    assert found == [[115_812, 15_680, 9_479], [75_187, 9_603, 9_479]]


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_other_sizes_are_warned_of(more: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        check_size(Path("dev"), "dev", 343 + more, CONLL_2012["dev"])
    assert ("scores will not compare" in caplog.text) == (more != 0)
