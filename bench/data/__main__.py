"""`python -m bench.data list|get|check`: the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PROGRAM = "python -m bench.data"


def parser() -> ArgumentParser:
    """Each verb leaves its function in `run`; it returns the exit status."""
    root = ArgumentParser(
        PROGRAM,
        description="Data sets, word vectors and weights: what there is, fetch it, check it.",
        epilog="from nothing to a first run on real data:\n"
        + _examples("list ner", "get wnut17", "check wnut17")
        + "\n  python -m bench task=ner data=open",
        formatter_class=RawDescriptionHelpFormatter,
    )
    verbs = root.add_subparsers(required=True, metavar="VERB")
    for add in (_add_list, _add_get, _add_check):
        add(verbs)
    return root


def _verb(
    verbs: Any, name: str, run: Callable[[Namespace], int], text: str, more: str, *examples: str
) -> ArgumentParser:
    verb: ArgumentParser = verbs.add_parser(
        name,
        help=text,
        description=f"{text} {more}",
        epilog="examples:\n" + _examples(*examples),
        formatter_class=RawDescriptionHelpFormatter,
    )
    verb.set_defaults(run=run)
    return verb


def _examples(*lines: str) -> str:
    return "\n".join(f"  {PROGRAM} {line}" for line in lines)


def _add_list(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "list",
        _list,
        "What there is, where it is, what is missing.",
        "With tasks: theirs alone, with\nsource, version, citation and sizes.",
        "list",
        "list ner coref",
    )
    verb.add_argument("tasks", nargs="*", metavar="TASK", help="squad, snli, srl, … (default: all)")


def _add_get(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "get",
        _get,
        "Fetch data sets, word vectors or weights.",
        "Licences are shown first. What was\ncut off is resumed; a set is prepared and checked.",
        "get wnut17 ontogum",
        "get srl/propbank-ewt --dir ~/data --yes    # then data.dir=~/data",
        "get glove                                  # glove.840B.300d; or glove.6B.100d",
        "get elmo-original                          # then encoder=elmo-original",
    )
    verb.add_argument("names", nargs="+", metavar="SET", help="a name that `list` shows")
    verb.add_argument("--dir", type=Path, help="a folder of yours (default: the cache)")
    verb.add_argument("--offline", action="store_true", help="use only what is on this machine")
    verb.add_argument("--yes", action="store_true", help="do not ask after showing the licences")


def _add_check(verbs: Any) -> None:
    verb = _verb(
        verbs,
        "check",
        _check,
        "Compare folders with the published counts.",
        "Exit status: 0 all is as published,\n1 something differs, 2 there is nothing to compare.",
        "check wnut17                     # what `get` fetched",
        "check ~/snli_1.0 ~/conll2003     # copies of yours",
        "check ~/data                     # all sets in a collection",
        "check ~/mine --task ner",
    )
    verb.add_argument("places", nargs="+", metavar="FOLDER|SET")
    verb.add_argument("--task", help="what the folder is for, where its files do not tell")


def _list(given: Namespace) -> int:
    from bench.data.catalogue import show

    show(given.tasks)
    return 0


def _get(given: Namespace) -> int:
    from bench.data.get import get

    root = given.dir and given.dir.expanduser()
    return get(given.names, root, offline=given.offline, ask=not given.yes)


def _check(given: Namespace) -> int:
    from bench.data.check import check

    return check(given.places, given.task)


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit status: what the verb says, 2 for something the user can mend, 1 for anything else."""
    given = parser().parse_args(arguments)
    from bench.errors import exit_status

    with exit_status(debug=False):
        sys.exit(given.run(given))


if __name__ == "__main__":
    main()
