"""`python -m bench.data list|get|check|leaks`: the command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from elmo_core.subcommands import Verbs


def parser() -> ArgumentParser:
    """A verb's function returns the exit status."""
    verbs = Verbs(
        "python -m bench.data",
        "Data sets, word vectors and weights: what there is, fetch it, check it.",
        "from nothing to a first run on real data:\n"
        "$ list ner\n$ get wnut17\n$ check wnut17\n"
        "  python -m bench task=ner data=open",
    )
    for add in (_add_list, _add_get, _add_check, _add_leaks):
        add(verbs)
    return verbs.parser


def _add_list(verbs: Verbs) -> None:
    verb = verbs.add(
        "list",
        _list,
        "What there is, where it is, what is missing.",
        "list",
        "list ner coref",
        more="With tasks: theirs alone, with\nsource, version, citation and sizes.",
    )
    verb.add_argument("tasks", nargs="*", metavar="TASK", help="squad, snli, srl, … (default: all)")


def _add_get(verbs: Verbs) -> None:
    verb = verbs.add(
        "get",
        _get,
        "Fetch data sets, word vectors or weights.",
        "get wnut17 ontogum",
        "get srl/propbank-ewt --dir ~/data --yes    # then data.dir=~/data",
        "get glove                                  # glove.840B.300d; or glove.6B.100d",
        "get elmo-original                          # then encoder=elmo-original",
        more="Licences are shown first. What was\n"
        "cut off is resumed; a set is prepared and checked.",
    )
    verb.add_argument("names", nargs="+", metavar="SET", help="a name that `list` shows")
    verb.add_argument("--dir", type=Path, help="a folder of yours (default: the cache)")
    verb.add_argument("--offline", action="store_true", help="use only what is on this machine")
    verb.add_argument("--yes", action="store_true", help="do not ask after showing the licences")


def _add_check(verbs: Verbs) -> None:
    verb = verbs.add(
        "check",
        _check,
        "Compare folders with the published counts.",
        "check wnut17                     # what `get` fetched",
        "check ~/snli_1.0 ~/conll2003     # copies of yours",
        "check ~/data                     # all sets in a collection",
        "check ~/mine --task ner",
        more="Exit status: 0 all is as published,\n"
        "1 something differs, 2 there is nothing to compare.",
    )
    verb.add_argument("places", nargs="+", metavar="FOLDER|SET")
    verb.add_argument("--task", help="what the folder is for, where its files do not tell")


def _add_leaks(verbs: Verbs) -> None:
    verb = verbs.add(
        "leaks",
        _leaks,
        "Find what of the sets' dev and test stands in a text.",
        "leaks books/ news.txt                        # in all sets that `list` shows as there",
        "leaks books/ --dir ~/data --task squad -o books-clean",
        "leaks news.txt --dir ~/mine --task ner -o news-clean.txt",
        more="Looked for:\n13 words in a row, near-duplicates, whole sentences of 8 to 12 words "
        "(docs/leaks.md).",
    )
    verb.add_argument("texts", nargs="+", type=Path, metavar="TEXT", help="UTF-8 files, folders")
    verb.add_argument("--task", help="this task's sets alone")
    verb.add_argument("--dir", type=Path, help="a folder of yours: a task's, or of several tasks'")
    verb.add_argument(
        "-o", "--out", type=Path, help="write the text without these paragraphs, and a .leaks.json"
    )


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


def _leaks(given: Namespace) -> int:
    from bench.data.leaks.audit import leaks

    return leaks(given.texts, given.task, given.dir, given.out and given.out.expanduser())


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit status: what the verb says, 2 for something the user can mend, 1 for anything else."""
    given = parser().parse_args(arguments)
    from bench.errors import exit_status

    with exit_status(debug=False):
        sys.exit(given.run(given))


if __name__ == "__main__":
    main()
