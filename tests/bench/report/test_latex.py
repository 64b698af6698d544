"""report.tex: that it can be set, and what its captions say."""

from __future__ import annotations

import re
from pathlib import Path

from bench.report.formats.latex import _cleared, _floats, escaped
from bench.report.frame import Frame


def test_latex_is_balanced_and_escaped(made_up_report: Path) -> None:
    text = (made_up_report / "report.tex").read_text()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") >= 8
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == text.count(r"\midrule")
    assert r"\textcolor{gray}{89.1 (+1.0)}" in text
    assert re.search(r"\\textbf\{72\.5 \$\\pm\$ 1\.0\} \(\+14\.3\)", text)
    assert text.isascii()
    comments = [line for line in text.splitlines() if line.startswith("% ")]
    set_as_text = "\n".join(line for line in text.splitlines() if line not in comments)
    assert not re.search(r"(?<!\\)(%.|[_#])", set_as_text)  # % may end a line
    assert any("docs/statistics.md" in comment for comment in comments)
    captions = re.findall(r"\\caption\{(.*)\}", text)
    assert any("two-sided" in each for each in captions)
    assert not any("docs/" in each or "interval is" in each for each in captions)
    for body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end", text, re.DOTALL):
        for line in (line for line in body[1].splitlines() if line.endswith(r"\\")):
            assert len(re.findall(r"(?<!\\)&", line)) == len(body[0]) - 1


def test_the_header_says_how_a_paper_elsewhere_finds_the_figures(made_up_report: Path) -> None:
    header, _, rest = (made_up_report / "report.tex").read_text().partition(r"\begin{table}")
    assert "{figures/" in rest
    assert r"% \graphicspath{{" in header


def test_a_table_longer_than_a_page_goes_on_in_the_next() -> None:
    frame = Frame(["row", "score"], [[f"{n}", "1.0"] for n in range(70)])
    tables = list(_floats("All runs.", "runs", frame))
    assert [each.count(" & 1.0") for each in tables] == [32, 32, 6]
    assert all(f"{n} & 1.0" in "".join(tables) for n in range(70))
    captions = re.findall(r"caption{(.*)}", "".join(tables))
    labels = re.findall(r"label{(.*)}", "".join(tables))
    assert captions == ["All runs.", "All runs. (Continued.)", "All runs. (Continued.)"]
    assert labels == ["tab:runs", "tab:runs-2", "tab:runs-3"]


def test_latex_never_holds_more_floats_than_it_can() -> None:
    floats = [f"\\begin{{table}} {n}" for n in range(130)]
    text = "\n".join(_cleared(["% a note", *floats]))
    assert max(page.count(r"\begin{table}") for page in text.split(r"\clearpage")) <= 52
    assert text.count(r"\begin{table}") == 130


def test_greek_letters_and_signs() -> None:
    assert escaped("α ≥ 1, λ") == r"$\alpha$ $\geq$ 1, $\lambda$"
