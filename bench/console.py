"""What a run says: whole log lines, and below them how far it is; the log goes to a file, too."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn
from rich.status import Status

from bench.errors import RunError

OURS = ("bench", "tasks", "elmo_core")
EVERY = 30.0
"""Seconds between two lines of `Counter`, where there is no terminal."""

SCREEN = Console(stderr=True)
"""The one console that log lines and bars share, so that lines stand whole above the bar."""
QUIET = Console(quiet=True)
UNFOLDED = 1000  # columns, where there is no terminal

_line: _Line | None = None  # of a run among many


def for_tables() -> Console:
    """Return a console on standard output that folds no line unless it is a terminal."""
    found = Console()
    return found if found.is_terminal else Console(width=UNFOLDED)


def on_terminal() -> bool:
    """Return whether a terminal shows what a run says, and the run is not one of many."""
    return sys.stderr.isatty() and not among_many()


def among_many() -> bool:
    """Return whether the run is one of many, which may say one line only."""
    return _line is not None


@contextmanager
def one_line(label: str, more: str = "") -> Iterator[None]:
    """Inside, a run among many shows the last thing that it says on one line.

    Only the main process does: those of a parallel sweep would write over each other.

    Args:
        label: Which run it is.
        more: What else stands on the line, in brackets.
    """
    global _line
    shown = f"{label} ({more})" if more else label
    worker = multiprocessing.parent_process() is not None
    with Status(escape(shown), console=QUIET if worker else SCREEN) as status:
        _line = _Line(label, shown, status)
        try:
            yield
        finally:
            _line = None


class _Line(logging.Handler):
    """A log handler that shows the last message beside the run's label."""

    def __init__(self, label: str, shown: str, status: Status) -> None:
        super().__init__()
        self.label, self.shown, self.status = label, shown, status

    def emit(self, record: logging.LogRecord) -> None:
        self.show(record.getMessage())

    def show(self, text: str) -> None:
        self.status.update(escape(f"{self.shown}: {text}"))


class _Lines(logging.Handler):
    """A log handler that prints whole lines above the bar, if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            say(self.format(record))
        except Exception:
            self.handleError(record)


def say(text: str) -> None:
    """Print a line as it is: the terminal breaks it where it must, nothing is coloured."""
    SCREEN.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)


@contextmanager
def said_in(path: Path | None = None) -> Iterator[None]:
    """Inside, our log lines go to the console and are appended to `path`, if there is one."""
    handlers: list[logging.Handler] = [_line or _Lines()]
    if path is not None:
        handlers.append(logging.FileHandler(path, encoding="utf-8"))
        handlers[1].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    loggers = [logging.getLogger(name) for name in OURS]
    for logger in loggers:
        logger.setLevel(logging.INFO)
        logger.propagate = False  # Hydra's root handler would say it again
        for handler in handlers:
            logger.addHandler(handler)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # Lightning's advice on loader workers and clusters: collating is not the bottleneck.
            warnings.filterwarnings("ignore", module="pytorch_lightning|lightning_fabric")
            yield
    finally:
        for logger in loggers:
            for handler in handlers:
                logger.removeHandler(handler)
        for handler in handlers[1:]:
            handler.close()


@contextmanager
def quiet() -> Iterator[None]:
    """Inside, neither our log lines nor Lightning's advice reach the console."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def agreed(question: str) -> bool:
    """Ask the user. Raises RunError where nobody is there to answer."""
    if not sys.stdin.isatty():
        raise RunError(f"{question} Nobody is there to answer: --yes does it without asking")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


class Counter:
    """Tells how far a number of items is, and when they will be done.

    Alone on a terminal it is a bar below the log; in a sweep on a terminal, a part of the sweep's
    one line; else a line every half minute.

    Args:
        what: What is being done, such as `epoch 3/8`.
        total: The number of items.
        unit: What an item is called, in the plural.
        more: Given the seconds that are left, says more about the time.
        news: Further news for a line.
    """

    def __init__(
        self,
        what: str,
        total: int,
        unit: str,
        more: Callable[[float], str] = lambda left: "",
        news: str = "",
    ) -> None:
        self.what, self.total, self.unit, self.more, self.news = what, total, unit, more, news
        self.done, self.started = 0, time.monotonic()
        self.told = self.started
        self.bar: Progress | None = None
        if on_terminal():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(16),
                TextColumn("{task.fields[at]}"),
            )
            self.bar = Progress(*columns, console=SCREEN, transient=True)
            self.bar.add_task(what, total=total, at="")
            self.bar.start()

    def advance(self, done: int = 1) -> None:
        """Count `done` more items."""
        self.done += done
        if not self.done:  # whoever has only waited for others: no rate is known yet
            return
        if self.bar is not None:
            (task,) = self.bar.task_ids
            self.bar.update(task, completed=self.done, at=self._at())
        elif sys.stderr.isatty() and _line is not None:
            _line.show(f"{self.what}, {self._at()}")
        elif time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
            label = f"{_line.label}: " if _line is not None else ""
            say(f"{label}{self.what}: {self._at(f' {self.unit}{self.news}')}")

    def stop(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()

    def _at(self, more: str = "") -> str:
        left = (time.monotonic() - self.started) / self.done * max(self.total - self.done, 0)
        return f"{self.done:,}/{self.total:,}{more}, about {duration(left)} left{self.more(left)}"


@contextmanager
def progress(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Tell how far something is while it is done.

    Args:
        what: What is done.
        total: The number of items.
        unit: What an item is called, in the plural.

    Yields:
        A function that counts a number of items as done.
    """
    counter = Counter(what, total, unit)
    try:
        yield counter.advance
    finally:
        counter.stop()


def duration(seconds: float) -> str:
    """Write a time for people.

    >>> [duration(seconds) for seconds in (4.2, 100, 5400, 200_000)]
    ['4 s', '2 min', '1 h 30 min', '55 h 33 min']
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def counted(number: int, noun: str) -> str:
    """Write a number of things, as `1 run` or `1,200 runs`; the plural ends in s or es.

    >>> counted(1, "run"), counted(1200, "run"), counted(2, "batch")
    ('1 run', '1,200 runs', '2 batches')
    """
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}{plural}"


def short(path: Path) -> str:
    """Write a path with `~` for the home folder."""
    home = Path(os.path.expanduser("~"))  # as it stands where there is none
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
