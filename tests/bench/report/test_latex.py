"""report.tex: that it can be set, and what its captions say."""

from __future__ import annotations

import re
from pathlib import Path


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
