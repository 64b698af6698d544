"""The tables of Markdown pages are what the records say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench.report.pages.__main__ import main
from bench.report.pages.fill import END, filled
from bench.report.read import ReportError

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "results" / "demo.jsonl"
PAGES = [
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
    if "\n<!-- table " in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_our_pages_are_up_to_date(page: Path) -> None:
    assert filled(page) == page.read_text(encoding="utf-8"), "run `make tables`"


def test_the_readme_shows_what_the_demo_shows() -> None:
    results = [run["run"] for run in map(json.loads, DEMO.read_text().splitlines()) if "run" in run]
    first = {run["metrics"]["test"]["f1"] for run in results if run["seed"] == 1}
    (row,) = re.findall(r"│ NER +│(.*)│\n│ test F1", (ROOT / "README.md").read_text("utf-8"))
    assert {float(score) for score in row.split("│")} == {round(score, 1) for score in first}


def test_a_block_is_written_anew_and_the_rest_is_left(tmp_path: Path) -> None:
    page = _page(
        tmp_path, f"before\n<!-- table {DEMO} demo: scores, figures -->\nold\n{END}\nafter"
    )
    main([str(page)])
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-2], lines[-1]) == ("before", END, "after")
    assert "old" not in lines
    row = next(line for line in lines if line.startswith("| NER (test F1)"))
    assert re.search(r"\*\*93\.7 ± 1\.7\*\* \(\+11\.3\\\* \[\+5\.1, \+17\.5\]\)", row)
    (figure,) = re.findall(r"!\[.*\]\((figures/demo-.*\.png)\)", page.read_text())
    assert (tmp_path / figure).is_file()
    once = page.read_text()
    main([str(page)])
    assert page.read_text() == once


def test_what_is_outside_of_a_block_stays_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    before, after = "a\u2028b\r\nc\x0cd\x85e\r\n", "f\r\ng"
    block = f"<!-- table {DEMO} demo: scores -->\r\nold\r\n{END}\r\n"
    page.write_bytes(f"{before}{block}{after}".encode())
    main([str(page)])
    text = page.read_bytes().decode()
    assert text.startswith(f"{before}<!-- table")
    assert text.rstrip("\n").endswith(f"{END}\n{after}")
    assert "old" not in text


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (f"<!-- table {DEMO} demo: scores -->\nnothing ends it", f"scores -->: no {END} follows"),
        (
            f"<!-- table {DEMO} demo: scores -->\n<!-- table {DEMO} demo: notes -->\n{END}",
            f"scores -->: no {END}",
        ),
        (f"<!-- table {DEMO} demo: costs -->\n{END}", "costs: there is command, scores, notes"),
        (f"<!-- table {DEMO} table1: scores -->\n{END}", "table1: 0 of demo"),
        (f"<!-- table {DEMO.parent} encoders: scores -->\n{END}", "encoders: "),
        (f"<!-- table gone.jsonl demo: scores -->\n{END}", "gone.jsonl"),
    ],
)
def test_mistakes(block: str, said: str, tmp_path: Path) -> None:
    page = _page(tmp_path, block)
    with pytest.raises(ReportError, match=re.escape(said)):
        filled(page)
    with pytest.raises(SystemExit, match="2"):
        main([str(page)])
    assert page.read_text() == block + "\n"


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text + "\n", encoding="utf-8")
    return page
