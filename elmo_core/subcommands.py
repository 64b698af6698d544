"""Command lines of the form `python -m PACKAGE VERB …`, every help with examples to paste."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from elmo_core.help_text import HelpText


class Subcommands:
    """A parser with subcommands; parsing puts the function of the chosen one under `run`.

    In the texts of every help, a line that begins with `$ ` is a command: it is shown with the
    program's name.

    Args:
        program: How the program is called, such as `python -m bench.data`.
        description: What it is for.
        epilog: What stands below the list of subcommands.
    """

    def __init__(self, program: str, description: str, epilog: str) -> None:
        self.program = program
        self.parser = ArgumentParser(
            program,
            description=description,
            epilog=self._written(epilog),
            formatter_class=HelpText,
        )
        self._added = self.parser.add_subparsers(required=True, metavar="VERB")

    def add(
        self,
        name: str,
        run: Callable[[Namespace], object],
        text: str,
        *examples: str,
        more: str = "",
    ) -> ArgumentParser:
        """Add a subcommand.

        Args:
            name: The word that chooses it.
            run: The function that does it; it is given the parsed arguments.
            text: What it does, for the program's help and for its own.
            examples: Command lines, from `name` on, for its own help.
            more: What its own help says besides.

        Returns:
            Its parser, to which its arguments are added.
        """
        command: ArgumentParser = self._added.add_parser(
            name,
            help=text,
            description=f"{text} {more}".strip(),
            epilog=self._written("examples:\n" + "\n".join(f"$ {line}" for line in examples)),
            formatter_class=HelpText,
        )
        command.set_defaults(run=run)
        return command

    def _written(self, text: str) -> str:
        return text.replace("$ ", f"  {self.program} ")
