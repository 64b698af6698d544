"""How a program's help is set: commands as they are written, all else as wide as the terminal."""

from __future__ import annotations

import re
import textwrap
from argparse import RawDescriptionHelpFormatter


class HelpText(RawDescriptionHelpFormatter):
    """Refills the paragraphs before and after the options; indented lines stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        blocks = re.split(r"(?m)^((?:[ ].*\n?)+|\n+)", text.strip("\n"))  # text, kept, text, …
        blocks[::2] = [_filled(block, width) for block in blocks[::2]]
        return "".join(blocks)


def _filled(paragraph: str, width: int) -> str:
    if len(paragraph.splitlines()) < 2 and len(paragraph) <= width:
        return paragraph
    end = "\n" if paragraph.endswith("\n") else ""
    return textwrap.fill(paragraph, width, break_long_words=False, break_on_hyphens=False) + end
