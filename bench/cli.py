"""Compose a run from conf/ and the command line, and do it."""

from __future__ import annotations

import argparse
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from importlib.metadata import version
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from bench import config, overrides
from bench.errors import exit_status
from bench.explanation import UNUSABLE, explain
from bench.sweep import plugins
from elmo_core.imports import importing_torch


def job(cfg: DictConfig) -> float:
    """Do one run and return its best dev score.

    torch and Lightning are imported only now, so that `--help` and finished runs are quick. Our own
    sweepers do not come here; under another one, that one handles errors.
    """
    alone = HydraConfig.get().mode == RunMode.RUN
    with exit_status(cfg.debug) if alone else nullcontext():
        config.check(cfg)
        from bench.run import earlier

        result = earlier.of_one_process(cfg)
        if result is None:
            with importing_torch():
                from bench.run.run import run

            result = run(cfg)
    return result.dev_score


@contextmanager
def _folded() -> Iterator[None]:
    """Fold what is printed inside: Hydra's help has all choices of a group on one line."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        width = shutil.get_terminal_size().columns
        fold = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False)
        for line in printed.getvalue().splitlines():
            print(fold.fill(line) if len(line) > width else line)


@contextmanager
def _help_of_any_type() -> Iterator[None]:
    """Let Hydra, up to 1.3.8 at least, add an option whose help text is not a string.

    Python 3.14 and later look into each as it is added, which ends Hydra before it reads a word.
    """
    parser: Any = argparse.ArgumentParser
    check = getattr(parser, "_check_help", None)
    if check is None:
        yield
        return

    def check_strings(self: argparse.ArgumentParser, action: argparse.Action) -> None:
        if isinstance(action.help, str):
            check(self, action)

    parser._check_help = check_strings
    try:
        yield
    finally:
        parser._check_help = check


def main() -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    if not sys.argv[1:]:  # nobody asked for a training
        sys.argv.append("--help")
    arguments = sys.argv[1:]
    if "--version" in arguments:  # Hydra would give its own
        print(f"elmo-bench {version('elmo-bench')}")
        return
    os.environ["HYDRA_FULL_ERROR"] = "1"  # let errors through to the lines below
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    config.register()
    plugins.register()
    run = hydra.main(version_base="1.3", config_path=str(config.CONF), config_name="config")(job)
    with exit_status(debug="debug=true" in arguments):
        sys.argv[1:] = overrides.expand(arguments)
        overrides.refuse(sys.argv[1:])
        try:
            folded = _folded() if {"-h", "--help"} & set(arguments) else nullcontext()
            with folded, _help_of_any_type():
                run()
        except UNUSABLE as error:
            print(f"error: {explain(sys.argv[1:], error)}", file=sys.stderr)
            sys.exit(2)
