"""What the documentation points to is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/*/README.md"))
    if ".venv" not in path.parts
)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
MENTIONED = re.compile(r"`((?:bench|tasks|elmo_core|conf|tests|scripts|docs)/[\w./*-]*\w)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    gone = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    gone += [name for name in MENTIONED.findall(text) if not any(ROOT.glob(name))]
    assert not gone


def test_the_readme_s_own_model_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["scores"].shape == (2, 4, 17)
