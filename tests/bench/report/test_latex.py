"""report.tex, compiled by pdflatex."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.report.formats.latex import _tabular, escaped

NEEDED = ("booktabs.sty", "graphicx.sty", "pifont.sty", "xcolor.sty", "pzdr.tfm")
PAPER = r"""\documentclass{article}
PREAMBLE
\begin{document}
\input{report.tex}
\end{document}
"""


def _missing() -> str:
    """Say what is not there to compile with; nothing if all is."""
    if shutil.which("pdflatex") is None:
        return "no pdflatex"
    gone = [name for name in NEEDED if subprocess.run(["kpsewhich", name]).returncode]
    return f"a TeX without {', '.join(gone)}" if gone else ""


def test_what_tables_say_beyond_ascii_and_bars_are_set_by_commands() -> None:
    """A bar alone is a dash in LaTeX's own font, and an arrow an error."""
    found = escaped("trained on → tested on, 3 × 512, p|q, no file …")
    assert found == r"trained on $\to$ tested on, 3 $\times$ 512, p$|$q, no file \dots{}"


def test_a_row_whose_name_is_an_argument_to_latex_keeps_it() -> None:
    rows = [["[a] b", "1"], ["* c", "2"], ["d", "3"]]
    lines = _tabular(["", "x"], rows, "lc").splitlines()
    assert lines[4:7] == [r"{}[a] b & 1 \\", r"{}* c & 2 \\", r"d & 3 \\"]


@pytest.mark.slow
def test_it_compiles_and_fits_the_column(made_up_report: Path, tmp_path: Path) -> None:
    """With the preamble that it names itself."""
    if missing := _missing():
        pytest.skip(
            f"{missing} on this machine (Debian: texlive-latex-recommended, "
            "texlive-fonts-recommended)"
        )
    folder = shutil.copytree(made_up_report, tmp_path / "report")
    (preamble,) = re.findall(r"^% (\\usepackage.*)$", (folder / "report.tex").read_text(), re.M)
    (folder / "paper.tex").write_text(PAPER.replace("PREAMBLE", preamble))
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    made = subprocess.run(call, cwd=folder, capture_output=True, timeout=300)
    said = made.stdout.decode("utf-8", "replace")
    assert made.returncode == 0, said[-2000:]
    assert (folder / "paper.pdf").read_bytes().startswith(b"%PDF")
    for complaint in ("Overfull", "Missing character", "undefined", "multiply defined"):
        assert complaint not in said, said
