"""Parts of the command line that several verbs share."""

from __future__ import annotations

from argparse import ArgumentParser


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
