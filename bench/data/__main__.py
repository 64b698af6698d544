"""`python -m bench.data list|get|check|leaks|card`: the command line."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from elmo_core.arguments import path
from elmo_core.subcommands import Subcommands


def parser() -> ArgumentParser:
    """Make the parser; the function of each subcommand returns the exit status."""
    subcommands = Subcommands(
        "python -m bench.data",
        "Data sets, word vectors and weights: what there is, fetch it, check it.",
        "from nothing to a first run on real data:\n"
        "$ list ner\n$ get wnut17\n$ check wnut17\n"
        "  python -m bench task=ner data=open",
    )
    for add in (_add_list, _add_get, _add_check, _add_leaks, _add_card):
        add(subcommands)
    return subcommands.parser


def _add_list(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "list",
        _list,
        "What there is, where it is, what is missing.",
        "list",
        "list ner coref",
        more="With tasks: theirs alone, with\nsource, version, citation and sizes.",
    )
    command.add_argument(
        "tasks", nargs="*", metavar="TASK", help="squad, snli, srl, … (default: all)"
    )


def _add_get(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "get",
        _get,
        "Fetch data sets, word vectors or weights.",
        "get wnut17 ontogum",
        "get srl/propbank-ewt --dir ~/data  # data.dir=~/data",
        "get glove                          # or glove.6B.100d",
        "get elmo-original",
        more="Licences are shown first. What was\n"
        "cut off is resumed; a set is prepared and checked.",
    )
    command.add_argument("names", nargs="+", metavar="SET", help="a name that `list` shows")
    command.add_argument("--dir", type=path, help="a folder of yours (default: the cache)")
    command.add_argument("--offline", action="store_true", help="use only what is on this machine")
    command.add_argument("--yes", action="store_true", help="do not ask after showing the licences")


def _add_check(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "check",
        _check,
        "Compare folders with the published counts.",
        "check wnut17                   # what `get` fetched",
        "check ~/snli_1.0 ~/conll2003   # copies of yours",
        "check ~/data                   # all sets below it",
        "check ~/mine --task ner",
        more="Exit status: 0 all is as published,\n"
        "1 something differs, 2 there is nothing to compare.",
    )
    command.add_argument("places", nargs="+", metavar="FOLDER|SET")
    command.add_argument("--task", help="what the folder is for, where its files do not tell")


def _add_leaks(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "leaks",
        _leaks,
        "Find the dev and test examples of the sets that a text contains.",
        "leaks books/ news.txt     # in all sets that are there",
        "leaks books/ --dir ~/data --task squad -o books-clean",
        "leaks news.txt --dir ~/mine --task ner -o news-clean.txt",
        more="Looked for:\n13 words in a row, near-duplicates, whole sentences of 8 to 12 words "
        "(docs/leaks.md). Texts may be packed (.gz, .bz2, .xz).",
    )
    command.add_argument("texts", nargs="+", type=path, metavar="TEXT", help="UTF-8 files, folders")
    command.add_argument("--task", help="this task's sets alone")
    command.add_argument(
        "--dir", type=path, help="a folder of yours: a task's, or of several tasks'"
    )
    command.add_argument(
        "-o", "--out", type=path, help="write the text without these paragraphs, and a .leaks.json"
    )


def _add_card(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "card",
        _card,
        "Print a data set's card as Croissant (JSON-LD).",
        "card wnut17 > wnut17.croissant.json",
    )
    command.add_argument("name", metavar="SET", help="a name that `list` shows")


def _list(given: Namespace) -> int:
    from bench.data.catalogue import show

    show(given.tasks)
    return 0


def _get(given: Namespace) -> int:
    from bench.data.get import get

    return get(given.names, given.dir, offline=given.offline, ask=not given.yes)


def _card(given: Namespace) -> int:
    from bench.data.croissant import card
    from bench.data.items import select
    from bench.errors import RunError

    sources = [item.source for item in select([given.name]) if item.source is not None]
    if not sources:
        raise RunError(f"{given.name} is no data set (`python -m bench.data list`)")
    print(json.dumps(card(sources[0]), indent=2, ensure_ascii=False))
    return 0


def _check(given: Namespace) -> int:
    from bench.data.check import check

    return check(given.places, given.task)


def _leaks(given: Namespace) -> int:
    from bench.data.leaks.audit import leaks

    return leaks(given.texts, given.task, given.dir, given.out)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit as the subcommand says, or 2 for what the user can mend."""
    given = parser().parse_args(arguments)
    from bench.errors import exit_status

    with exit_status(debug=False):
        sys.exit(given.run(given))


if __name__ == "__main__":
    main()
