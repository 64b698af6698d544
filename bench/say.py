"""What a run says: log lines on the console and in its log file, a progress bar on a terminal."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from rich.progress import track

T = TypeVar("T")
OURS = ("bench", "tasks", "elmo_core")


def on_terminal() -> bool:
    return sys.stderr.isatty()


@contextmanager
def said_in(path: Path) -> Iterator[None]:
    """Log lines of ours go to the console and are appended to `path`."""
    handlers: list[logging.Handler] = [logging.StreamHandler(), logging.FileHandler(path)]
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
            # Lightning's advice on loader workers: collating is not the bottleneck.
            warnings.filterwarnings("ignore", module="pytorch_lightning")
            yield
    finally:
        for logger in loggers:
            for handler in handlers:
                logger.removeHandler(handler)
        handlers[1].close()


def bar(items: list[T], description: str) -> Iterable[T]:
    """`items` with a progress bar, where there is somebody to look at it."""
    return track(items, description, transient=True) if on_terminal() else items
