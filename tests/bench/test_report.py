"""The report of made-up runs: what it says, and that a browser shows it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from statistics import mean, stdev
from urllib.parse import unquote

import matplotlib.image
import numpy as np
import pytest
from rich.console import Console

from bench.report import compare, tables
from bench.report.__main__ import main
from bench.report.grid import Grid, fill
from bench.report.groups import groups
from bench.report.mixes import mixes
from bench.report.records import read, read_experiment
from bench.report.samples import reached
from bench.stats import Rescored, from_uniform, holm
from tests.bench.made_up import Maker, everything

FORMATS = ("report.md", "report.tex", "report.csv", "index.html")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that a report has to show, and two files that are damaged."""
    folder = tmp_path_factory.mktemp("made up") / "runs"
    everything(folder)
    broken = folder / "snli" / "none-00000broken"
    broken.mkdir()
    (broken / "result.json").write_text('{"schema": 1, "status": "fin')
    (folder / ".experiments" / "broken-0.json").write_text('{"schema": 99}')
    return folder


@pytest.fixture(scope="module")
def report(runs: Path) -> Path:
    main([str(runs)])
    return runs / "report"


def grid(make: Maker, path: Path) -> Grid:
    return fill(read_experiment(path), read(make.folder))


def two_columns(
    make: Maker, *, seeds: tuple[tuple[int, ...], tuple[int, ...]] = ((1,), (1,)), **changes: object
) -> Path:
    """An experiment of a baseline and of ELMo."""
    cells = [make.cell("snli", "baseline", seed=seed, skill=0.55) for seed in seeds[0]]
    cells += [
        make.cell("snli", "ELMo", seed=seed, skill=0.65, placement="input") for seed in seeds[1]
    ]
    return make.experiment("two", cells, **{"baseline": "baseline", **changes})


# -- the files


def test_another_process_writes_the_same_without_torch(
    runs: Path, report: Path, tmp_path: Path
) -> None:
    program = (
        "import sys; from bench.report.__main__ import main; main(sys.argv[1:]); "
        "assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", program, runs, "-o", tmp_path]
    call = subprocess.run(command, capture_output=True, text=True)
    assert call.returncode == 0, call.stderr
    for name in FORMATS:
        assert str(tmp_path / name) in call.stdout
    assert "none-00000broken/result.json: damaged" in call.stderr
    assert "broken-0.json: damaged (schema 99" in call.stderr
    for path in tmp_path.rglob("*.*"):
        if path.name != "index.html":  # which says when it was made
            assert path.read_bytes() == (report / path.relative_to(tmp_path)).read_bytes()


def test_one_format_alone(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(runs), "--format", "csv", "-o", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["report.csv"]
    assert capsys.readouterr().out.split() == [str(tmp_path / "report.csv")]


@pytest.mark.parametrize(
    ("arrange", "message"),
    [
        (lambda folder: None, "no such folder"),
        (lambda folder: folder.mkdir(), "no runs in it"),
    ],
)
def test_a_folder_without_runs_is_one_clear_line(
    arrange: Callable[[Path], None],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrange(tmp_path / "runs")
    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path / "runs")])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "python -m bench.report runs --format html" in capsys.readouterr().out


# -- the numbers


def test_cells_are_means_over_seeds_compared_with_the_baseline(runs: Path, report: Path) -> None:
    lines = list(csv.DictReader((report / "report.csv").open()))
    table = {(line["row"], line["column"]): line for line in lines if "table2" in line["table"]}
    assert len(table) == 8
    base, mixed = table["snli", "baseline"], table["snli", "all, λ=0.001"]
    scores = [
        json.loads((runs / run / "result.json").read_text())["metrics"]["dev"]["accuracy"]
        for run in mixed["runs"].split()
    ]
    assert float(mixed["mean"]) == pytest.approx(mean(scores))
    assert float(mixed["sd"]) == pytest.approx(stdev(scores))
    assert (mixed["n"], mixed["seeds"], mixed["examples"]) == ("3", "1 2 3", "200")
    difference = float(mixed["mean"]) - float(base["mean"])
    assert float(mixed["difference"]) == pytest.approx(difference)
    assert float(mixed["low"]) < difference < float(mixed["high"])
    assert (base["difference"], base["p"]) == ("", "")
    ps = [(float(line["p"]), float(line["p_holm"])) for line in table.values() if line["p"]]
    assert [corrected for _, corrected in ps] == pytest.approx(holm([p for p, _ in ps]))
    assert "command" in mixed
    assert "seed=3" in mixed["command"]


def test_what_is_missing_says_why_and_which_command(report: Path) -> None:
    for name in ("report.md", "index.html"):
        text = (report / name).read_text().replace("\\", "")
        assert "out of memory in a batch of 32" in text
        assert "python -m bench task=ner elmo.layers=all seed=2" in text
        assert "1 failed, 1 missing, 1 unfinished" in text
    assert "none-00000broken/result.json" in (report / "index.html").read_text()


def test_markdown_has_ours_and_the_papers(report: Path) -> None:
    text = (report / "report.md").read_text()
    (ours,) = re.findall(r"\| snli \(dev accuracy\) \| \*\*58.*", text)
    assert re.search(r"\*\*72\.5 ± 1\.0 \(n=3\)\*\* \(\+14\.3\\\*\\\*\)", ours)
    assert "majority class 33.4" in ours
    assert "| *paper* | *88.1* | *89.1 (+1.0)* | *89.3 (+1.2)* |" in text
    widths = [line.count("|") for line in text.split("### ")[-1].splitlines() if "---" in line]
    assert widths
    for line in text.splitlines():
        if line.startswith("!["):
            assert (report / re.search(r"\((figures/.*)\)", line).group(1)).exists()  # type: ignore[union-attr]


def test_latex_is_balanced_and_escaped(report: Path) -> None:
    text = (report / "report.tex").read_text()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") >= 8
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == text.count(r"\midrule")
    assert r"\textcolor{gray}{89.1 (+1.0)}" in text
    assert re.search(r"72\.5 \$\\pm\$ 1\.0 \(n=3\) \(\+14\.3\*\*\)", text)
    assert text.isascii()
    assert not re.search(r"(?<!\\)[%_#]", text.split("\n", 1)[1])
    for body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end", text, re.DOTALL):
        for line in (line for line in body[1].splitlines() if line.endswith(r"\\")):
            assert len(re.findall(r"(?<!\\)&", line)) == len(body[0]) - 1


def test_runs_that_differ_in_the_seed_alone_are_one_line(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    for seed in (3, 1, 2):
        make.run(seed=seed)
    make.run(train=30)
    found = groups(read(tmp_path).finished)
    assert sorted(len(group.runs) for group in found) == [1, 3]
    (merged,) = (group for group in found if len(group.runs) == 3)
    assert [run.seed for run in merged.runs] == [1, 2, 3]
    assert merged.differs == "training.train=3000"
    scores = merged.scores("dev")
    assert scores is not None
    assert scores.sd == pytest.approx(stdev(scores.values))


def test_every_run_has_a_command(tmp_path: Path) -> None:
    make = Maker(tmp_path / "my runs")
    make.experiment("two", [make.cell("snli", "baseline")])
    alone = make.run(seed=2)
    asked, other = sorted(read(make.folder).finished, key=lambda run: run.seed)
    assert asked.command == "python -m bench task=snli elmo.layers=all seed=1"
    assert f"--config-path='{other.folder}'" in other.command
    assert other.id == alone


def test_without_a_test_set_the_whole_row_is_of_dev(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    cells = [
        make.cell("snli", "baseline", skill=0.55),
        make.cell("snli", "ELMo", skill=0.65, placement="input", splits=("dev",)),
    ]
    path = make.experiment("two", cells, split="test", baseline="baseline")
    found = grid(make, path)
    assert found.split("snli") == "dev"
    entry = found.entries["snli", "ELMo"]
    assert entry.against is not None
    assert entry.against.examples == 200
    console = Console(width=120, record=True, file=io.StringIO())
    tables.show(path, console)
    assert "no test score in every run, so dev is shown" in console.export_text()


def test_predictions_that_do_not_belong_to_the_result_are_not_compared(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = two_columns(make)
    (result,) = tmp_path.glob("snli/input-*/predictions.jsonl")
    rows = [json.loads(line) for line in result.read_text().splitlines()]
    rows[0]["prediction"] = "contradiction" if rows[0]["gold"] == "neutral" else "neutral"
    rows[1]["prediction"] = rows[1]["gold"]
    rows[2]["prediction"] = rows[2]["gold"]
    result.write_text("".join(json.dumps(row) + "\n" for row in rows[:190] + rows[195:]))
    entry = grid(make, path).entries["snli", "ELMo"]
    assert entry.against is None
    assert "but result.json says" in entry.not_compared


def test_only_common_seeds_are_paired(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    entry = grid(make, two_columns(make, seeds=((1, 2, 3), (2, 3, 4)))).entries["snli", "ELMo"]
    assert entry.against is not None
    assert entry.against.seeds == 2


def test_no_common_seed_is_said(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    entry = grid(make, two_columns(make, seeds=((1,), (2,)))).entries["snli", "ELMo"]
    assert entry.not_compared == "no seed in common with the baseline"


def test_a_task_without_counts_is_scored_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Maker(tmp_path)
    path = two_columns(make)
    counted = grid(make, path).entries["snli", "ELMo"].against
    monkeypatch.setattr(compare, "_counts", lambda task: None)
    monkeypatch.setattr(compare, "Rescored", partial(Rescored, resamples=29))
    anew = grid(make, path).entries["snli", "ELMo"].against
    assert anew is not None
    assert counted is not None
    assert anew.difference == pytest.approx(counted.difference)
    assert anew.resamples == 29
    assert anew.low < anew.difference < anew.high


def test_sample_efficiency_pairs_what_saw_the_same_data(runs: Path) -> None:
    path = runs / ".experiments" / "figure1-0123456789.json"
    found = fill(read_experiment(path), read(runs))
    assert found.entries["snli", "baseline, 1 %"].against is None
    assert found.entries["snli", "ELMo, 1 %"].against is not None
    (small, *_, whole) = reached(found)
    assert (small.column, small.updates_an_epoch) == ("ELMo, 0.1 %", 1)  # 9 examples
    assert (whole.column, whole.updates_an_epoch) == ("ELMo, 100 %", 282)  # 9,000
    assert whole.baseline_epochs == 8
    assert whole.epochs is not None
    assert whole.epochs < 8
    assert whole.saved == pytest.approx(1 - whole.epochs / 8)


def test_an_experiment_that_grew_stands_once(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    path = two_columns(make)
    part = json.loads(path.read_text())
    part["cells"] = part["cells"][:1]
    path.with_name("two-part.json").write_text(json.dumps(part))
    assert [found.path for found in read(tmp_path).experiments] == [path]


def test_the_terminal_shows_ours_the_difference_and_the_papers(runs: Path) -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    tables.show(runs / ".experiments" / "table2-0123456789.json", console)
    shown = console.export_text()
    for expected in ("72.5 ± 1.0 (n=3)", "+14.3**", "paper 89.1 (+1.0)", "1 failed, 1 missing"):
        assert expected in shown


# -- the page


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
def page(report: Path) -> Page:
    return Page((report / "index.html").read_text())


def test_page_has_tables_and_figures_that_are_not_empty(page: Page) -> None:
    assert len(page.rows) >= 10
    assert min(page.rows) >= 4
    assert len(page.figures) == 6
    for paths, text in page.figures:
        assert paths > 10
        assert re.search(r"\d", text)


def test_figures_show_what_was_learned(runs: Path, report: Path) -> None:
    """Figure 2's shares, and the λ axis with its 0."""
    records = read(runs)
    (figure,) = (found for found in records.experiments if found.view == "weights")
    shown = [mix for cell in figure.cells for mix in records.runs[cell.key].mix.values()]
    assert len(shown) == 6
    heat = (report / "figures" / "figure2-0123456789-weights.svg").read_text()
    for mix in shown:
        assert all(f">{share:.2f}<" in heat for share in mix["weights"])
        assert f">{100 * from_uniform(mix['weights']):.1f} %<" in heat
    curve = (report / "figures" / "lambda-0123456789-1.svg").read_text()
    for value in ("0", "0.0001", "0.001", "0.01", "0.1", "1", "10", "λ", "layer 2"):
        assert f">{value}<" in curve


def test_a_fixed_mix_is_not_shown_as_learned(tmp_path: Path) -> None:
    make = Maker(tmp_path)
    make.run(placement="input", layers="top")
    make.run(placement="input+output", seed=2)
    found = {run.seed: mixes([run]) for run in read(tmp_path).finished}
    assert found[1] == []
    assert [mix.place for mix in found[2]] == ["input", "output"]


def test_page_stands_alone(page: Page, report: Path) -> None:
    text = (report / "index.html").read_text()
    assert not re.search(r"(src|href)=\"(https?:)?//", text)
    assert not re.search(r"@import|url\((?!#)|<script|<link", text)
    for query in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem"):
        assert query in text


def test_page_links_lead_somewhere(page: Page, report: Path) -> None:
    assert len(set(page.ids)) == len(page.ids)
    targets = page.values("popovertarget")
    assert len(targets) > 40
    assert set(targets) <= set(page.ids)
    links = page.values("href") + page.values("xlink:href")
    assert {link[1:] for link in links if link.startswith("#")} <= set(page.ids)
    files = [unquote(link) for link in links if not link.startswith("#")]
    configs = {link for link in files if link.endswith("config.yaml")}
    assert len(configs) == len(read(report.parent).finished)
    for link in files:
        assert link.endswith("run.log") or (report / link).is_file(), link


def test_colours_follow_light_and_dark(report: Path) -> None:
    drawn = re.findall(r"<svg.*?</svg>", (report / "index.html").read_text(), re.DOTALL)
    assert len(drawn) == 6
    for svg in drawn:
        assert "var(--ink)" in svg
        assert not re.search(r"(fill|stroke): ?#", svg)


def test_figures_are_files_too(report: Path) -> None:
    names = {path.stem for path in (report / "figures").iterdir()}
    assert len(names) == 6
    for name in names:
        assert "</svg>" in (report / "figures" / f"{name}.svg").read_text()
        image = matplotlib.image.imread(report / "figures" / f"{name}.png")
        assert image[..., :3].std() > 0.03


@pytest.mark.parametrize("width", [1280, 500])
def test_a_browser_shows_it(report: Path, tmp_path: Path, width: int) -> None:
    """Rendered by a real one: not blank, nothing wider than the window, all figures drawn."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser ({', '.join(BROWSERS)}) on this machine")
    probe = tmp_path / "probe.html"
    measure = (
        "<script>onload = () => { document.title = JSON.stringify([innerWidth, "
        "document.documentElement.scrollWidth, [...document.querySelectorAll('figure svg')]"
        ".map(svg => svg.getBoundingClientRect().height)]) }</script>"
    )
    probe.write_text((report / "index.html").read_text().replace("</body>", f"{measure}</body>"))
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
    call([browser, *options, f"--screenshot={shot}", (report / "index.html").as_uri()])
    picture = matplotlib.image.imread(shot)[..., :3]
    assert len(np.unique((255 * picture).astype(int).reshape(-1, 3), axis=0)) > 50
    assert 0.01 < (picture.mean(axis=2) < 0.6).mean() < 0.5
