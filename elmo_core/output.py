"""Standard output that takes whatever is printed. No torch here."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def take_any_text() -> None:
    """Let γ and ☆ be printed, too, where standard output is not in UTF-8.

    On a terminal, what its encoding lacks becomes a question mark. A file or another program gets
    UTF-8: scripts and JSON stay whole.
    """
    out = sys.stdout
    if not isinstance(out, TextIOWrapper) or out.encoding.lower().startswith("utf"):
        return
    if out.isatty():
        out.reconfigure(errors="replace")
    else:
        out.reconfigure(encoding="utf-8")
