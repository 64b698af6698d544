"""The report's page and figures: what they show, and that a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import subprocess
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import matplotlib.image
import numpy as np
import pytest

from bench.experiment import View
from bench.report.__main__ import main as make_report
from bench.report.figures.draw import VIEWS
from bench.report.formats.html import OPEN
from bench.report.mixes import mixes
from bench.report.read import read
from bench.report.statistics import from_uniform
from tests.bench.made_up import Maker


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.rows: list[int] = []  # of each table: cells with text in its body
        self.figures: list[tuple[int, str]] = []  # of each: drawn paths, text
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "table":
            self.rows.append(0)
        if tag == "figure":
            self.figures.append((0, ""))
        if tag == "path" and "figure" in self.open:
            self.figures[-1] = (self.figures[-1][0] + 1, self.figures[-1][1])
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "tbody" in self.open and data.strip():
            self.rows[-1] += 1
        if "svg" in self.open:
            self.figures[-1] = (self.figures[-1][0], self.figures[-1][1] + data)

    def values(self, name: str) -> list[str]:
        return [value for _, key, value in self.attributes if key == name]


@pytest.fixture(scope="module")
def page(made_up_report: Path) -> Page:
    return Page((made_up_report / "index.html").read_text())


def test_page_has_tables_and_figures_that_are_not_empty(page: Page) -> None:
    assert len(page.rows) >= 10
    assert min(page.rows) >= 4
    assert len(page.figures) == 6
    for paths, text in page.figures:
        assert paths > 10
        assert re.search(r"\d", text)


def test_figures_show_what_was_learned(made_up_runs: Path, made_up_report: Path) -> None:
    """Figure 2's shares, and the λ axis with its 0."""
    records = read(made_up_runs)
    (figure,) = (found for found in records.experiments if found.view is View.weights)
    shown = [m for cell in figure.cells for m in records.runs[cell.key].result.mix.values()]
    assert len(shown) == 6
    heat = (made_up_report / "figures" / "figure2-weights.svg").read_text()
    for mix in shown:
        assert all(f">{share:.2f}<" in heat for share in mix.weights)
        assert f">{100 * from_uniform(mix.weights):.1f} %<" in heat
    curve = (made_up_report / "figures" / "lambda-1.svg").read_text()
    for value in ("0", "0.0001", "0.001", "0.01", "0.1", "1", "10", "λ", "layer 2"):
        assert f">{value}<" in curve


def test_a_fixed_mix_is_not_shown_as_learned(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    make.run(placement="input", layers="top")
    make.run(placement="input+output", seed=2)
    untouched = make.run(placement="input", seed=3)  # by a head that trains nothing
    (record,) = tmp_path.glob(f"*/{untouched}/result.json")
    record.write_text(record.read_text().replace('"gamma": 1.1', '"gamma": 1.0'))
    found = {run.seed: mixes([run]) for run in read(tmp_path).finished}
    assert found[1] == found[3] == []
    assert [mix.place for mix in found[2]] == ["input", "output"]


def test_every_view_has_its_figures_and_its_tables() -> None:
    assert set(VIEWS) == set(OPEN) == set(View)


def test_page_stands_alone(made_up_report: Path) -> None:
    text = (made_up_report / "index.html").read_text()
    assert not re.search(r"(src|href)=\"(https?:)?//", text)
    assert not re.search(r"@import|url\((?!#)|<script[^>]|<link", text)
    for query in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem"):
        assert query in text


def test_page_links_lead_somewhere(page: Page, made_up_report: Path) -> None:
    assert len(set(page.ids)) == len(page.ids)
    targets = page.values("popovertarget")
    assert len(targets) > 40
    assert set(targets) <= set(page.ids)
    links = page.values("href") + page.values("xlink:href")
    assert {link[1:] for link in links if link.startswith("#")} <= set(page.ids)
    files = [unquote(link) for link in links if not link.startswith("#")]
    configs = {link for link in files if link.endswith("config.yaml")}
    assert len(configs) == len(read(made_up_report.parent).finished)
    for link in files:
        assert link.endswith("run.log") or (made_up_report / link).is_file(), link


def test_colours_follow_light_and_dark(made_up_report: Path) -> None:
    drawn = re.findall(r"<svg.*?</svg>", (made_up_report / "index.html").read_text(), re.DOTALL)
    assert len(drawn) == 6
    for svg in drawn:
        assert "var(--ink)" in svg
        assert not re.search(r"(fill|stroke): ?#", svg)


def test_figures_are_files_too(made_up_report: Path) -> None:
    names = {path.stem for path in (made_up_report / "figures").iterdir()}
    assert len(names) == 6
    for name in names:
        assert "</svg>" in (made_up_report / "figures" / f"{name}.svg").read_text()
        image = matplotlib.image.imread(made_up_report / "figures" / f"{name}.png")
        assert image[..., :3].std() > 0.03


@pytest.mark.parametrize("width", [1280, 500])
def test_a_browser_shows_it(made_up_report: Path, tmp_path: Path, width: int, browser: str) -> None:
    """Rendered by a real one: not blank, nothing wider than the window, all figures drawn."""
    probe = tmp_path / "probe.html"
    measure = (
        "<script>onload = () => { document.title = JSON.stringify([innerWidth, "
        "document.documentElement.scrollWidth, [...document.querySelectorAll('figure svg')]"
        ".map(svg => svg.getBoundingClientRect().height)]) }</script>"
    )
    text = (made_up_report / "index.html").read_text()
    text = re.sub(r"<meta http-equiv=\"Content-Security-Policy\".*?>", "", text)
    probe.write_text(text.replace("</body>", f"{measure}</body>"))
    shot = tmp_path / "shot.png"
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},1600"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--hide-scrollbars"]
    call = partial(subprocess.run, capture_output=True, text=True, timeout=120)
    dom = call([browser, *options, "--dump-dom", probe.as_uri()]).stdout
    found = re.search(r"<title>(.*?)</title>", dom)
    assert found, dom[:500]
    window, content, heights = json.loads(found.group(1))
    assert content <= window
    assert len(heights) == 6
    assert min(heights) > 100
    call([browser, *options, f"--screenshot={shot}", (made_up_report / "index.html").as_uri()])
    picture = matplotlib.image.imread(shot)[..., :3]
    assert len(np.unique((255 * picture).astype(int).reshape(-1, 3), axis=0)) > 50
    assert 0.01 < (picture.mean(axis=2) < 0.6).mean() < 0.5


CLICK = """<script>
const column = (table, place) =>
  [...table.tBodies[0].rows].map(row => row.cells[place].textContent);
const found = [...document.querySelectorAll("table:not(.examples)")].flatMap(table =>
  [...table.querySelectorAll("th[scope=col]")].map(heading => {
    const place = heading.cellIndex, button = heading.querySelector("button");
    const states = [column(table, place)];
    for (let click = 0; click < 3; click++) {
      button.click();
      states.push(column(table, place));
    }
    return [heading.textContent, states];
  }));
document.title = "done";
document.body.dataset.found = JSON.stringify(found);
</script>"""


def test_a_click_on_a_heading_sorts(made_up_report: Path, tmp_path: Path, browser: str) -> None:
    """One way, the other way, and as it was; the page's own policy lets the script run."""
    text = (made_up_report / "index.html").read_text()
    allowed = text.replace("script-src ", f"script-src 'sha256-{_digest(CLICK)}' ")
    (tmp_path / "probe.html").write_text(allowed.replace("</body>", f"{CLICK}</body>"))
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "probe.html").as_uri()]
    dom = subprocess.run([browser, *options], capture_output=True, text=True, timeout=120).stdout
    found = re.search(r'data-found="(.*?)"', dom)
    assert found
    tables = json.loads(html.unescape(found.group(1)))
    assert len(tables) > 40
    moved = 0
    for _, (before, first, second, third) in tables:
        assert third == before
        assert sorted(first) == sorted(second) == sorted(before)
        assert [not cell for cell in first] == sorted(not cell for cell in first)  # empty ones last
        moved += first != second
    assert moved > 20
    for name, values in (("dev", _score), ("time", _seconds), ("parameters", _count)):
        columns = [states for heading, states in tables if heading == name]
        assert columns
        for _, first, second, _ in columns:
            down = [values(cell) for cell in first if cell]
            assert down == sorted(down, reverse=True)
            assert [values(cell) for cell in second if cell] == sorted(down)


def _digest(script: str) -> str:
    inside = script.removeprefix("<script>").removesuffix("</script>")
    return base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()


def _score(cell: str) -> float:
    return float(cell.split()[0])  # without its deviation and its seeds


def _seconds(cell: str) -> float:
    value, unit = cell.split()
    return float(value) * {"s": 1, "min": 60, "h": 3600}[unit]


def _count(cell: str) -> float:
    value, _, unit = cell.partition(" ")
    return float(value) * {"": 1, "k": 1e3, "M": 1e6}[unit]


@pytest.mark.parametrize("name", ['a"><blink>}\\input{x}%', "my table", "a\\b"])
def test_an_experiments_name_is_text(name: str, tmp_path: Path) -> None:
    path = Maker(tmp_path).two_columns()
    path.write_text(json.dumps({**json.loads(path.read_text()), "experiment": name}))
    make_report([str(tmp_path)])
    written = tmp_path / "report"
    assert "<blink>" not in (written / "index.html").read_text()
    assert "}\\input" not in (written / "report.tex").read_text()
    figures = list(written.glob("figures/*"))
    assert figures
    assert all(re.fullmatch(r"[\w.+-]+", figure.name) for figure in figures)
