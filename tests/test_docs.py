"""What the documentation points to is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/*/README.md"))
    if path.relative_to(ROOT).parts[0] not in (".venv", "build")  # `make docs` copies them there
)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
MENTIONED = re.compile(r"`((?:bench|tasks|elmo_core|conf|tests|scripts|docs)/[\w./*-]*\w)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    gone = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    gone += [name for name in MENTIONED.findall(text) if not any(ROOT.glob(name))]
    assert not gone


@pytest.mark.parametrize("page", ["README.md", "docs/probes.md", "conf/experiment/learning.yaml"])
def test_the_steps_that_pages_keep_are_those_of_the_experiment(page: str) -> None:
    columns = yaml.safe_load((ROOT / "conf/experiment/learning.yaml").read_text("utf-8"))["columns"]
    (kept,) = re.findall(r"--keep ([\d ]*\d)", (ROOT / page).read_text("utf-8"))
    assert kept.split() == [str(each["x"]) for each in columns.values() if each.get("x")]


@pytest.mark.parametrize(
    "page", [found for p in PAGES if (found := p.relative_to(ROOT)).parts[0] != "tests"], ids=str
)
def test_each_page_is_in_the_site_s_menu(page: Path) -> None:
    assert f": {page}" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_pages_agree_on_the_gain_over_six_tasks() -> None:
    text = (ROOT / "docs" / "results-built-in.md").read_text("utf-8")
    (found,) = re.findall(r"\| ELMo \| \+([\d.]+) \| \[\+([\d.]+), \+([\d.]+)\] \| 1\.00", text)[:1]
    mean, low, high = (f"{float(each):.1f}" for each in found)
    for page in ("README.md", "CHANGELOG.md", "docs/results.md", "docs/results-built-in.md"):
        said = re.sub(r"\s+", " ", (ROOT / page).read_text("utf-8"))
        assert re.search(rf"{mean}( points)? \[{low}, {high}\]", said), page


def test_the_readme_s_own_model_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["scores"].shape == (2, 4, 17)


def test_the_guide_says_for_which_python_the_lock_is() -> None:
    (minor,) = re.findall(r"on Python (3\.\d+)", (ROOT / "requirements.lock").read_text("utf-8"))
    lines = (ROOT / "docs" / "guide.md").read_text("utf-8").splitlines()
    (line,) = (each for each in lines if "requirements.lock" in each)
    assert f"Python {minor}" in line
