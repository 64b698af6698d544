"""The example browser: what a column gets better or worse, by slice, safe to open."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from bench.config import CONF
from bench.report.__main__ import main as make_report
from bench.report.examples import IN_ALL, LONGEST, MOST, changes, share
from bench.report.grid import fill
from bench.report.read import read
from bench.report.slices import sliced, summaries
from bench.run.record import Record
from tests.bench.made_up import LABELS, Maker

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\" ' & \u202e"


def drawn(folder: Path, placement: str, **words: str) -> None:
    """Draw the predictions of the run with this placement, as a task of this version would."""
    (run,) = (folder / "snli").glob(f"{placement}-*")
    lines = (run / "predictions.jsonl").read_text().splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for i, row in enumerate(rows):
        sides = {side: f"{row[side]}!" for side in ("gold", "prediction")}
        row["drawn"] = {"text": f"pair {i}", **sides, **words}
        row["slices"] = {"label": row["gold"], "length": i % 50}
    Record(run).write_predictions(rows)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    Maker(tmp_path / "runs").two_columns()
    return tmp_path / "runs"


def predictions(folder: Path, placement: str) -> dict[str, tuple[str, str]]:
    (run,) = (folder / "snli").glob(f"{placement}-*")
    rows = map(json.loads, (run / "predictions.jsonl").read_text().splitlines())
    return {r["id"]: (r["gold"], r["prediction"]) for r in rows if r["split"] == "dev"}


def test_changes_are_those_that_one_gets_right_and_the_other_wrong(made: Path) -> None:
    drawn(made, "none")
    drawn(made, "input")
    records = read(made)
    (found,) = changes(fill(records.experiments[0], records))
    before, after = (predictions(made, placement) for placement in ("none", "input"))
    right = {i: (before[i][0] == before[i][1], after[i][0] == after[i][1]) for i in before}
    gained = {i for i, (one, other) in right.items() if other and not one}
    lost = {i for i, (one, other) in right.items() if one and not other}
    assert (found.better, found.worse) == (len(gained), len(lost))
    assert {each.id for each in found.shown if each.gain > 0} == gained
    assert {each.id for each in found.shown if each.gain < 0} == lost
    one = next(each for each in found.shown if each.id in gained)
    assert one.gold == one.column == f"{after[one.id][0]}!"
    assert one.baseline == f"{before[one.id][1]}!"
    labels = {each.value: each for each in found.slices if each.name == "label"}
    assert set(labels) == set(LABELS)
    for label, each in labels.items():
        ids = [i for i, (gold, _) in after.items() if gold == label]
        assert each.examples == len(ids)
        assert each.better == len(gained.intersection(ids))
        assert each.before == pytest.approx(100 * sum(right[i][0] for i in ids) / len(ids))


def test_records_of_old_are_shown_as_they_are(made: Path) -> None:
    records = read(made)
    (found,) = changes(fill(records.experiments[0], records))
    assert found.slices == []
    assert found.shown[0].text == ""
    assert json.loads(found.shown[0].gold) in LABELS


def test_what_is_shown_has_a_bound(made: Path) -> None:
    drawn(made, "none")
    drawn(made, "input", text="x" * 10 * LONGEST)
    records = read(made)
    grid = fill(records.experiments[0], records)
    (whole,), (few,) = changes(grid), changes(grid, most=10)
    assert 9 <= len(few.shown) <= 11
    assert {each.gain > 0 for each in few.shown} == {True, False}
    assert (few.better, few.worse) == (whole.better, whole.worse)
    assert all(len(each.text) == LONGEST + 1 for each in whole.shown)
    assert share([grid]) == MOST
    assert share([grid] * 100) * 100 <= IN_ALL


def test_a_graded_score_counts_by_how_much(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell("ner", "baseline", skill=0.4),
        make.cell("ner", "ELMo", skill=0.7, placement="input"),
    ]
    make.experiment("two", cells, baseline="baseline")
    records = read(tmp_path)
    (found,) = changes(fill(records.experiments[0], records))
    assert {(each.before, each.after) for each in found.shown} == {(40.0, 100.0), (100.0, 40.0)}


def test_slices_are_bins_of_numbers_and_common_words() -> None:
    found = sliced([{"length": i, "genre": f"g{i % 20}" if i > 40 else "news"} for i in range(100)])
    lengths = [each["length"] for each in found]
    assert list(dict.fromkeys(lengths)) == ["0 to 24", "25 to 49", "50 to 74", "75 to 99"]
    assert [lengths.count(each) for each in dict.fromkeys(lengths)] == [25, 25, 25, 25]
    assert {"news", "13 others"} < {each["genre"] for each in found}
    assert len({each["genre"] for each in found}) == 9
    assert summaries(found, [(0.0, 100.0)] * 100)[-1].value == "13 others"
    few = sliced([{"new": i % 3} if i else {} for i in range(9)])
    assert [each["new"] for each in few] == ["none", "1", "2", "0", "1", "2", "0", "1", "2"]
    rows = summaries(few, [(0.0, 100.0)] * 9)
    assert [(each.value, each.examples) for each in rows] == [
        ("0", 2),
        ("1", 3),
        ("2", 3),
        ("none", 1),
    ]
    assert {(each.before, each.after, each.worse) for each in rows} == {(0.0, 100.0, 0)}


class Browser(HTMLParser):
    """The elements of the example browser, with what a reader of screens is told."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag = self.tags[-1][0] if self.tags else ""
        self.said[tag] = self.said.get(tag, "") + data


@pytest.fixture
def page(made: Path) -> str:
    drawn(made, "none", text=EVIL, prediction=EVIL)
    drawn(made, "input", text=EVIL, prediction=EVIL, gold=EVIL)
    make_report([str(made), "--format", "html"])
    return (made / "report" / "index.html").read_text()


def test_nothing_of_a_prediction_is_run(page: str) -> None:
    tags = Browser(page).tags
    scripts = [attributes for tag, attributes in tags if tag == "script"]
    assert scripts == [{}]  # ours, and it comes from nowhere else
    assert not any(tag == "img" for tag, _ in tags)
    assert not any(name.startswith("on") for _, attributes in tags for name in attributes)
    assert "&lt;img src=x onerror=alert(2)&gt;" in page
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page  # so that a browser runs no other
    assert "default-src 'none'" in page


def test_it_is_made_of_native_elements_with_names(page: str) -> None:
    tags = Browser(page).tags
    inside = tags[next(i for i, (_, a) in enumerate(tags) if a.get("class") == "changes") :]
    assert inside[1][0] == "summary"
    form = next(attributes for tag, attributes in inside if tag == "form")
    assert "hidden" in form  # without a script it would do nothing
    assert form["aria-label"]
    fields = [i for i, (tag, _) in enumerate(inside) if tag in ("select", "input")]
    assert len(fields) == 5  # change, two slices, order, words
    assert all(inside[i - 1][0] == "label" for i in fields)
    assert any(tag == "output" and a.get("aria-live") == "polite" for tag, a in inside)
    last = max(i for i, (tag, a) in enumerate(inside) if tag == "tr" and "data-gain" in a)
    own = inside[:last]  # what follows is the page's other tables
    heads = [a for tag, a in own if tag == "th" and a.get("scope") == "col"]
    assert len(heads) == 12
    rows = [a for tag, a in inside if tag == "tr" and "data-gain" in a]
    assert len(rows) > 20
    assert all({"data-slice0", "data-slice1"} <= a.keys() for a in rows)
    assert not any("hidden" in a for a in rows)  # all are there without a script, and in print


FAKE_PAGE = """
const row = (gain, text, label) => ({dataset: {gain: String(gain), slice0: label}, hidden: false,
  textContent: text, cells: [{textContent: text}]});
const rows = [row(100, "a longer text", "x"), row(-100, "Short", "x"), row(40, "middling", "y")];
let order = rows, heard = {};
const select = {value: "", dataset: {slice: "0"}}, said = {value: ""};
const elements = {change: {value: ""}, sort: {value: "change"}, words: {value: ""}};
const form = {elements, hidden: true, querySelector: () => said, querySelectorAll: () => [select],
  addEventListener: (name, call) => { heard[name] = call; }};
const body = {rows, append: (...all) => { order = all; }};
const box = {querySelector: name => name === "form" ? form : body};
globalThis.document = {querySelectorAll: () => [box]};
"""
TRY_IT = """
const shown = () => order.filter(one => !one.hidden).map(one => one.textContent);
const found = [form.hidden, said.value, shown()];
const set = (field, value) => { field.value = value; heard.input(); found.push(shown());
  field.value = field === elements.sort ? "change" : ""; };
set(elements.change, "worse"); set(elements.change, "better"); set(select, "y");
set(elements.words, "SHORT"); set(elements.sort, "loss"); set(elements.sort, "length");
console.log(JSON.stringify(found));
"""


def test_the_script_filters_and_sorts() -> None:
    """In Node, on a stand-in for the page; in a browser: the next test."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    script = (CONF.parent / "bench/report/formats/page.js").read_text()
    call = [node, "-e", FAKE_PAGE + script + TRY_IT]
    output = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert not output.stderr
    long, short, middling = "a longer text", "Short", "middling"
    assert json.loads(output.stdout) == [
        *(False, "3 of 3 shown", [long, short, middling]),
        *([short], [long, middling], [middling], [short]),
        *([short, middling, long], [short, middling, long]),
    ]


def test_a_browser_filters_and_sorts(page: str, tmp_path: Path, browser: str) -> None:
    probe = tmp_path / "probe.html"
    act = """<script>
    const rows = () => [...document.querySelectorAll("[data-gain]")].filter(row => !row.hidden);
    const all = rows(), select = document.querySelector(".changes form select");
    select.value = "worse"; select.dispatchEvent(new Event("input", {bubbles: true}));
    const worse = rows();
    document.title = JSON.stringify([all.length, worse.length,
      worse.every(row => row.dataset.gain < 0), document.querySelector("output").value]);
    </script>"""
    policy = re.compile(r"<meta http-equiv=\"Content-Security-Policy\".*?>")
    probe.write_text(policy.sub("", page).replace("</body>", f"{act}</body>"))
    options = ["--headless=new", "--no-sandbox", "--disable-gpu"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", probe.as_uri()]
    dom = subprocess.run([browser, *options], capture_output=True, text=True, timeout=120).stdout
    found = re.search(r"<title>(.*?)</title>", dom)
    assert found
    whole, few, only_worse, said = json.loads(found.group(1))
    assert 0 < few < whole
    assert only_worse
    assert said == f"{few} of {whole} shown"
