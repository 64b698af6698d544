"""Parts of the command line that several verbs share."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Collection
from pathlib import Path


def add_overrides(parser: ArgumentParser) -> None:
    """Let a verb take words of `python -m bench`, such as `encoder=elmo-small`."""
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as of `python -m bench`")


def add_trust(parser: ArgumentParser) -> None:
    """Give a verb that reads run folders its `--trust PACKAGE`."""
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="a package of yours whose tasks and encoders the run may name (may be repeated)",
    )


def text_files(named: Path | None) -> Collection[Path]:
    """Return the files of a text that a verb was given; by default the built-in one.

    Raises TextError where there is none.
    """
    from elmo_core.text.files import find_texts
    from tasks import smallworld

    path = named or smallworld.ensure("text") / "train.txt"
    return find_texts([path]).values()
