"""Folders whose names mean something to Hydra, YAML or a shell are folders like any other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from bench.predict import Predictor
from bench.run import trust
from bench.verbatim import escaped, quoted
from tests.bench.small import SMALL

RUN = (*SMALL, "training.max_epochs=1", "elmo.placement=input", "features=store")
LINE = '{"premise": "A man.", "hypothesis": "He runs."}'
ODD = (
    *("${x}", r"\${oc.env:HOME}", r"\\${x}", "line\nfeed ä", "#1: %d\\"),
    """a=b, it's "so" -{c}[d] (p)""",
)


@pytest.mark.parametrize("name", ODD)
def test_a_run_lies_in_any_folder(
    name: str, bench: Callable[..., int], snli_folder: Path, tmp_path: Path
) -> None:
    data, runs, features = (tmp_path / name / part for part in ("data", "runs", "features"))
    shutil.copytree(snli_folder, data)
    places = {"data.dir": data, "paths.runs": runs, "features.dir": features}
    words = [f"{key}={quoted(str(path))}" for key, path in places.items()]
    assert bench(*RUN, *words) == 0
    assert bench(*RUN, *words) == 0  # finished earlier
    (folder,) = runs.glob("snli/*")
    assert list(features.iterdir())
    assert trust.read(folder / "config.yaml").data.dir == str(data)
    assert [row["id"] for row in Predictor(folder)([(1, LINE)])] == ["1"]


@pytest.mark.parametrize("name", ["a=b", "(p)", "it's", "a=b ${oc.env:MY}"])
def test_what_hydra_cannot_read_is_the_path_as_it_stands(
    name: str,
    bench: Callable[..., int],
    snli_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY", "own")
    assert bench(*RUN, f"data.dir={snli_folder}", f"paths.runs={tmp_path}/{name}") == 0
    assert list(tmp_path.glob(f"{name.replace('${oc.env:MY}', 'own')}/snli/*/result.json"))


@pytest.mark.parametrize("many", [(), ("-m", "seed=1,2")])
@pytest.mark.parametrize("key", ["data.dir", "paths.runs", "word_vectors"])
def test_a_reference_to_nothing_is_one_line(
    key: str,
    many: tuple[str, ...],
    bench: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench(*SMALL, *many, f"{key}=/none/${{x}}") == 2
    said = capsys.readouterr().err
    assert f"{key}: Interpolation key 'x' not found" in said
    assert r"\${" in said  # how it is written if it is a name
    assert said.count("\n") == 1


def test_a_sweep_and_an_encoder_in_odd_folders(
    bench: Callable[..., int], snli_folder: Path, tmp_path: Path
) -> None:
    """Words of the command line are written anew for each run of a sweep."""
    runs = tmp_path / "it's ${x}=y"
    vectors = tmp_path / "it's ${x}.txt"
    vectors.write_text("man 0.5 1\nruns 2 3\n")
    words = [f"data.dir={snli_folder}", f"paths.runs={quoted(str(runs))}", "training.max_epochs=1"]
    given = ["encoder=static", f"encoder.vectors={quoted(str(vectors))}", "elmo.placement=input"]
    assert bench("-m", *SMALL[:-2], *words, *given, "seed=1,2") == 0
    results = list(runs.glob("snli/*/result.json"))
    assert {json.loads(path.read_text())["seed"] for path in results} == {1, 2}


@settings(deadline=None)
@given(st.text(alphabet="\\${}'\"x.:= \n,[](", max_size=12))
def test_text_is_read_back(text: str) -> None:
    assert OmegaConf.create({"key": escaped(text)}).key == text
    override = OverridesParser.create().parse_override(f"key={quoted(text)}")
    assert OmegaConf.create({"key": override.value()}).key == text


@pytest.mark.parametrize("slashes", range(6))
def test_a_folder_of_somebody_else_refers_to_nothing(slashes: int, tmp_path: Path) -> None:
    """However it is dressed up: what OmegaConf would resolve is refused."""
    path = tmp_path / "config.yaml"
    text = "\\" * slashes + "${oc.env:HOME}"
    path.write_text(f"word_vectors: {text}\n")
    if slashes % 2:
        assert "${oc.env:HOME}" in trust.parsed(path).word_vectors
        return
    with pytest.raises(trust.RunError, match="refers to something outside the file"):
        trust.parsed(path)
