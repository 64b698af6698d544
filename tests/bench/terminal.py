"""A terminal: it runs a command, and knows every line that scrolled through."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence

CONTROL = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


class Terminal:
    """Lines of a fixed width, and a cursor that moves as programs ask it to."""

    def __init__(self, width: int = 80) -> None:
        self.width, self.row, self.column = width, 0, 0
        self.lines = [""]

    def feed(self, text: str) -> None:
        """Take what a program writes."""
        for number, letter, back, down, words in CONTROL.findall(text):
            if back:
                self.column = 0
            elif down:
                self._down()
            elif letter == "A":
                self.row = max(self.row - int(number or 1), 0)
            elif letter == "K":
                kept = "" if number == "2" else self.lines[self.row][: self.column]
                self.lines[self.row] = kept
            for character in words:
                self._write(character)

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def _write(self, character: str) -> None:
        if self.column == self.width:
            self.column = 0
            self._down()
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[: self.column] + character + line[self.column + 1 :]
        self.column += 1


def shown(command: Sequence[str], env: Mapping[str, str], width: int = 80) -> tuple[str, list[str]]:
    """Run a command on a terminal.

    Args:
        command: The command.
        env: Its environment.
        width: The columns of the terminal.

    Returns:
        What the command wrote, and the lines that stand on the terminal in the end.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=dict(env))
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:  # how Linux says that nobody writes any more
        pass
    finally:
        os.close(ours)
        process.wait()
    text = written.decode()
    terminal = Terminal(width)
    terminal.feed(text)
    return text, [line.rstrip() for line in terminal.lines]
