"""Every kind of encoder in a run, and one from somebody else's package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hydra.core.global_hydra import GlobalHydra

from bench.report.frames import costs
from bench.report.grid import fill
from bench.report.read import read
from tests import encoder_files
from tests.encoder_files import KINDS

Bench = Callable[..., int]
Result = Callable[[Path], dict[str, Any]]
QUICK = (
    *("task=snli", "task.hidden=8", "task.word_dim=8", "trainer=cpu", "training.max_epochs=1"),
    "elmo.placement=input+output",
)


@pytest.fixture
def quick(bench: Bench, snli_folder: Path, tmp_path: Path) -> Bench:
    """A run over a small SNLI folder; returns the exit status."""
    folders = (f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}")
    return lambda *arguments: bench(*QUICK, *folders, *arguments)


@pytest.fixture
def own_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a `my_package` with this code on the import path."""

    def write(code: str) -> Path:
        (tmp_path / "my_package.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(__import__("sys").modules, "my_package", raising=False)
        return tmp_path

    return write


@pytest.mark.parametrize("layers", ["all", pytest.param("top", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_runs(
    kind: str, layers: str, quick: Bench, result: Result, tmp_path: Path
) -> None:
    assert quick(*KINDS[kind](tmp_path), f"elmo.layers={layers}") == 0
    (folder,) = (tmp_path / "runs").glob("snli/*")
    made = result(folder)
    assert set(made["encoder"]) == {"name", "fingerprint", "layers", "dim", "parameters"}
    assert made["encoder"]["parameters"] > 60
    for mix in made["mix"].values():
        assert len(mix["weights"]) == made["encoder"]["layers"]
    assert made["primary"]["split"] == "test"


def test_encoders_side_by_side(
    bench: Bench, own_package: Callable[[str], Path], snli_folder: Path, tmp_path: Path
) -> None:
    """experiment=encoders, with columns fewer and more; the report says what each one costs."""
    own_package(encoder_files.example())
    columns = [f"~experiment.columns.{name}" for name in ("random", "CoVe", "ELMo")]
    columns += ["+experiment.columns.own={encoder: own, encoder._target_: my_package.MyEncoder}"]
    vectors = encoder_files.glove(tmp_path / "glove.txt")
    small = [word for word in QUICK if not word.startswith("elmo.")]
    folders = (f"data.dir={snli_folder}", "data=open", f"paths.runs={tmp_path / 'runs'}")
    assert bench("experiment=encoders", *small, *columns, *folders, f"word_vectors={vectors}") == 0
    records = read(tmp_path / "runs")
    frame = costs(fill(records.experiments[0], records))
    found = {row[1]: dict(zip(frame.head, row, strict=True)) for row in frame.rows}
    assert list(found) == ["none", "static", "own"]
    assert [found[name]["layers × dim"] for name in found] == ["", "1 × 6", "2 × 26"]
    assert [found[name]["frozen parameters"] for name in found] == ["", "72", "0"]
    assert all(cells["score"] and cells["time in all"] for cells in found.values())


def test_ones_own_by_import_path(
    quick: Bench, own_package: Callable[[str], Path], result: Result, tmp_path: Path
) -> None:
    own_package(encoder_files.example())
    assert quick("encoder._target_=my_package.MyEncoder") == 0
    (folder,) = (tmp_path / "runs").glob("snli/*")
    described = result(folder)["encoder"]
    assert (described["name"], described["layers"], described["dim"]) == ("letters", 2, 26)


def test_ones_own_with_arguments(
    quick: Bench, own_package: Callable[[str], Path], result: Result, tmp_path: Path
) -> None:
    own_package(encoder_files.example() + SIZED)
    assert quick("encoder._target_=my_package.Sized", "+encoder.size=5") == 0
    (folder,) = (tmp_path / "runs").glob("snli/*")
    assert result(folder)["encoder"]["dim"] == 5


def test_ones_own_with_other_arguments_has_other_features(
    quick: Bench, own_package: Callable[[str], Path], tmp_path: Path
) -> None:
    """Its fingerprint is a constant, as in docs/encoders.md: nobody's features are another's."""
    own_package(encoder_files.example() + SCALED)
    files = [tmp_path / "words.txt", tmp_path / "the same.txt", tmp_path / "others.txt"]
    for path, text in zip(files, ("a", "a", "b"), strict=True):
        path.write_text(text)
    for key, value in (("scale", 1), ("scale", 0), *(("source", f"'{path}'") for path in files)):
        words = ("encoder._target_=my_package.Scaled", f"+encoder.{key}={value}")
        assert quick(*words, f"features.dir={tmp_path / 'features'}") == 0
    heads = {path.read_bytes() for path in (tmp_path / "runs").glob("snli/*/head.safetensors")}
    assert len(heads) == 2  # of one scale, and of the other
    assert len(list((tmp_path / "features").iterdir())) == 4  # one for both files of one content


def test_ones_own_by_a_configuration_elsewhere(
    quick: Bench,
    own_package: Callable[[str], Path],
    result: Result,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where a folder of its name lies at hand, such as the package's."""
    own_package(encoder_files.example())
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_conf" / "encoder").mkdir(parents=True)
    (tmp_path / "my_conf" / "encoder" / "mine.yaml").write_text("_target_: my_package.MyEncoder\n")
    GlobalHydra.instance().clear()
    assert quick("encoder=mine", f"hydra.searchpath=[file://{tmp_path / 'my_conf'}]") == 0
    (folder,) = (tmp_path / "runs").glob("snli/*")
    assert result(folder)["encoder"]["name"] == "letters"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("rows[:-1] for rows in", "encoder letters: encode gave (1, "),
        ("float('nan') * rows for rows in", "encoder letters: NaN or infinity in layer 0, token 0"),
    ],
)
def test_what_ones_own_does_wrong_is_one_line(
    quick: Bench,
    own_package: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
    code: str,
    message: str,
) -> None:
    own_package(encoder_files.example() + WRONG.format(code=code))
    assert quick("encoder._target_=my_package.Wrong") == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"error: {message}")


def test_no_such_class_is_one_line(quick: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert quick("encoder._target_=no_package.MyEncoder") == 2
    assert "no_package.MyEncoder" in capsys.readouterr().err.splitlines()[-1]
    assert quick("encoder=own") == 2
    assert "encoder._target_" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("name", ["static", "cove"])
def test_word_vectors_that_were_not_given(
    quick: Bench, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert quick(f"encoder={name}") == 2
    assert "give word_vectors=FILE" in capsys.readouterr().err.splitlines()[-1]


def test_a_layer_that_there_is_not(
    quick: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    vectors = encoder_files.glove(tmp_path / "glove.txt")
    assert quick("encoder=glove", f"encoder.vectors={vectors}", "elmo.layers=1") == 2
    assert "layer 1 does not exist" in capsys.readouterr().err.splitlines()[-1]


SIZED = """

class Sized(MyEncoder):
    def __init__(self, size):
        self.dim, self.fingerprint = size, f"letters-{size}"

    def encode(self, sentences):
        return [layers[..., : self.dim] for layers in super().encode(sentences)]
"""

SCALED = """

class Scaled(MyEncoder):
    def __init__(self, scale=1, source=None):
        self.scale = scale

    def encode(self, sentences):
        return [self.scale * layers for layers in super().encode(sentences)]
"""

WRONG = """

class Wrong(MyEncoder):
    fingerprint = "{code}"

    def encode(self, sentences):
        return [{code} super().encode(sentences)]
"""
