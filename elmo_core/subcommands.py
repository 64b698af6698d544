"""Command lines of the form `python -m PACKAGE VERB …`, every help with examples to paste."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any


class Verbs:
    """A parser to which verbs are added; each leaves its function in the namespace's `run`."""

    def __init__(self, program: str, description: str, epilog: str) -> None:
        """Make the parser; `$ ` in the epilog, as in every help, stands for the program."""
        self.program = program
        self.parser = ArgumentParser(
            program,
            description=description,
            epilog=self._written(epilog),
            formatter_class=RawDescriptionHelpFormatter,
        )
        self._verbs = self.parser.add_subparsers(required=True, metavar="VERB")

    def add(
        self,
        name: str,
        run: Callable[[Namespace], Any],
        text: str,
        *examples: str,
        more: str = "",
    ) -> ArgumentParser:
        """Add a verb: `text` is in both helps, `more` in its own; examples begin at the verb."""
        verb: ArgumentParser = self._verbs.add_parser(
            name,
            help=text,
            description=f"{text} {more}".strip(),
            epilog=self._written("examples:\n" + "\n".join(f"$ {line}" for line in examples)),
            formatter_class=RawDescriptionHelpFormatter,
        )
        verb.set_defaults(run=run)
        return verb

    def _written(self, text: str) -> str:
        return text.replace("$ ", f"  {self.program} ")
