"""What a run says: log lines on the console and in its log file, a progress bar on a terminal."""

from __future__ import annotations

import logging
import multiprocessing
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.status import Status

OURS = ("bench", "tasks", "elmo_core")

_line: _Line | None = None  # of a run among many


def on_terminal() -> bool:
    """Return whether a terminal shows what a run says, and the run is not one of many."""
    return sys.stderr.isatty() and not among_many()


def among_many() -> bool:
    """Return whether the run is one of many, which may say one line only."""
    return _line is not None


@contextmanager
def one_line(label: str) -> Iterator[None]:
    """Inside, a run among many shows the last thing that it says on one line.

    Only the main process does: those of a parallel sweep would write over each other.
    """
    global _line
    alone = multiprocessing.current_process().name == "MainProcess"
    with Console(stderr=True, quiet=not alone).status(label) as status:
        _line = _Line(label, status)
        try:
            yield
        finally:
            _line = None


class _Line(logging.Handler):
    """A log handler that shows the last message beside the run's label."""

    def __init__(self, label: str, status: Status) -> None:
        super().__init__()
        self.label, self.status = label, status

    def emit(self, record: logging.LogRecord) -> None:
        self.status.update(escape(f"{self.label}: {record.getMessage()}"))


@contextmanager
def said_in(path: Path | None = None) -> Iterator[None]:
    """Inside, our log lines go to the console and are appended to `path`, if there is one."""
    handlers: list[logging.Handler] = [_line or logging.StreamHandler()]
    if path is not None:
        handlers.append(logging.FileHandler(path))
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
def progress(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar if there is a terminal; yield what moves it on by a number of items."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not on_terminal()) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.advance(task, done)
