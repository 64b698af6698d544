"""The wheel: built, installed elsewhere, and run from an empty folder without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import VERBS

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel brings; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", str(ROOT), "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = folder.glob("elmo_bench-*.whl")
    to = ["install", "--no-deps", "--no-index", "--target", str(folder / "site"), str(wheel)]
    subprocess.run([*pip, *to], check=True)
    return folder / "site"


def elmo_bench(site: Path, folder: Path, *words: str, status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, str(site / "bin" / "elmo-bench"), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_the_installed_command_runs_from_an_empty_folder(site: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    features = f"features.dir={tmp_path / 'features'}"
    said = elmo_bench(site, empty, "task=snli", "trainer=debug", "logger=none", features)
    assert "dev accuracy" in said
    (result,) = (empty / "runs").glob("snli/*/result.json")
    assert '"status": "finished"' in result.read_text()
    assert "Choose one of each" in elmo_bench(site, empty, "--help")


def test_a_folder_of_the_same_name_is_not_taken_for_the_package(site: Path, tmp_path: Path) -> None:
    for name in ("bench", "tasks", "conf", "elmo_core"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the wrong one')")
    assert "Choose one of each" in elmo_bench(site, tmp_path, "--help")
    (tmp_path / "mine.py").write_text("raise ImportError('found mine')")
    for verb in VERBS:
        assert f"usage: python -m bench.{verb}" in elmo_bench(site, tmp_path, verb, "--help")
    words = ("task=snli", "encoder._target_=mine.Encoder")
    assert "found mine" in elmo_bench(site, tmp_path, *words, status=2)


def test_the_wheel_brings_data_and_pages(site: Path) -> None:
    for name in (
        "conf/config.yaml",
        "elmo_core/data/elmo-mini.safetensors",
        "bench/report/formats/page.html",
        "tasks/snli/README.md",
    ):
        assert (site / name).is_file(), name
