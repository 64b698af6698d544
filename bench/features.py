"""`python -m bench.features`: look after the layers that encoders gave, kept on the disk."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.console import agreed
from bench.errors import RunError, exit_status
from bench.interrupts import told
from bench.options import add_overrides
from elmo_core.arguments import days, path
from elmo_core.imports import importing_torch
from elmo_core.subcommands import Subcommands

if TYPE_CHECKING:
    from elmo_core.store.shelves import Shelf

PROGRAM = "python -m bench.features"
SPLITS = ("train", "dev", "test")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    given = parser().parse_args(arguments)
    with exit_status(debug=False):
        given.run(given)


def parser() -> ArgumentParser:
    """Make the parser with its four subcommands."""
    subcommands = Subcommands(
        PROGRAM,
        "Layers that encoders gave, kept on the disk for all runs.",
        "a run fills the store by itself; these look after it:\n"
        "$ build task=snli encoder=elmo-small\n$ stats\n$ verify\n$ prune --idle 60",
    )
    for add in (_add_build, _add_stats, _add_verify, _add_prune):
        add(subcommands)
    return subcommands.parser


def _add_build(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "build",
        _build,
        "Compute now what a run with the same words would compute first.",
        "build task=sst5 data=mini",
        "build task=snli encoder=elmo-original",
        "build task=ner features.dir=/scratch --splits dev",
    )
    add_overrides(command)
    command.add_argument(
        "--splits",
        nargs="+",
        choices=SPLITS,
        default=SPLITS,
        metavar="SPLIT",
        help=f"which of {', '.join(SPLITS)} (default: all three)",
    )


def _add_stats(subcommands: Subcommands) -> None:
    text = "What is stored of each encoder, how much it is, and when it was last used."
    _add_folder(subcommands.add("stats", _stats, text, "stats", "stats --dir /scratch/features"))


def _add_verify(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "verify",
        _verify,
        "Read every byte. What is damaged is removed, and computed again by the next run that "
        "wants it. Status 2 if anything was.",
        "verify",
        "verify --encoder elmo-small",
    )
    _add_folder(command)
    _add_encoder(command)


def _add_prune(subcommands: Subcommands) -> None:
    command = subcommands.add(
        "prune",
        _prune,
        "Throw away what is stored: of an encoder, or what has not been used for long.",
        "prune --encoder random-elmo-mini-0",
        "prune --idle 60 --yes",
        "prune --all",
    )
    _add_folder(command)
    _add_encoder(command)
    command.add_argument("--idle", type=days, metavar="DAYS", help="not used for so many days")
    command.add_argument("--all", action="store_true", help="everything")
    command.add_argument("--yes", action="store_true", help="without asking")


def _add_folder(command: ArgumentParser) -> None:
    command.add_argument("--dir", type=path, help="as features.dir (default: in the user's cache)")


def _add_encoder(command: ArgumentParser) -> None:
    command.add_argument(
        "--encoder", metavar="NAME", help="its name, or its fingerprint's beginning, in `stats`"
    )


# -- the subcommands


def _build(given: Namespace) -> None:
    from bench.overrides import composed

    cfg = composed(given.overrides)
    if cfg.elmo.placement == "none":
        raise RunError("elmo.placement=none asks no encoder: there is nothing to build")
    cfg.features.mode = "store"
    with importing_torch():
        from bench.console import said_in
        from bench.run import out_of_memory
        from bench.run.build import encoder_of, task_of
        from bench.run.datamodule import BenchData
        from bench.run.features import fill, store_of

    with said_in(), told(lambda: "interrupted; the same command goes on"):
        with out_of_memory.explained(cfg, lambda: out_of_memory.LOADING):
            encoder = encoder_of(cfg)
        assert encoder is not None
        data = BenchData.of(cfg, task_of(cfg))
        data.task.prepare(data.examples("train"))
        with out_of_memory.explained(cfg, lambda: out_of_memory.ENCODING):
            fill(cfg, store_of(cfg, encoder), data, *given.splits)


def _stats(given: Namespace) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from elmo_core.store.shelves import shelves

    root, found = _root(given), shelves(_root(given))
    table = Table(title=escape(str(root)), box=None)
    for name in ("encoder", "fingerprint", "precision"):
        table.add_column(name, overflow="fold")
    for name in ("sentences", "tokens", "GB", "last used"):
        table.add_column(name, justify="right")
    for shelf in found:
        table.add_row(
            *map(escape, (shelf.encoder, shelf.fingerprint[:12], shelf.precision)),
            f"{shelf.sentences:,}",
            f"{shelf.tokens:,}",
            f"{shelf.bytes / 1e9:.2f}",
            f"{shelf.idle_days:.0f} days ago" if shelf.idle_days >= 1 else "today",
        )
    console = Console()
    nothing = f"nothing is stored in {escape(str(root))}"
    console.print(table if found else nothing, highlight=False)
    if damaged := sum(shelf.damaged for shelf in found):
        count = sum(shelf.shards for shelf in found)
        raise RunError(f"{damaged} of {count} shards cannot be read: `{PROGRAM} verify` tells more")


def _verify(given: Namespace) -> None:
    from elmo_core.store.shelves import damages

    count, damaged = 0, 0
    for shelf in _chosen(given):
        for shard, damage in damages(shelf.folder):
            count += 1
            if damage is not None:
                damaged += 1
                print(f"{shard}: damaged ({damage}), {_removed(shard)}")
    if damaged:
        raise RunError(
            f"{damaged} of {count} shards were damaged: the next run that wants what was in them "
            "computes it again"
        )
    print(f"{count} shards, all whole")


def _removed(path: Path) -> str:
    """Remove a file, if it may be removed, and say so."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"not removed: {error.strerror}"
    return "removed"


def _prune(given: Namespace) -> None:
    from elmo_core.store.files import writable

    if not (given.all or given.encoder or given.idle is not None):
        raise RunError("prune what? --encoder NAME, --idle DAYS, both, or --all")
    chosen = [shelf for shelf in _chosen(given) if shelf.idle_days >= (given.idle or 0)]
    for shelf in chosen:
        size = f"{shelf.bytes / 1e9:.2f} GB"
        about = f"{shelf.encoder}, {shelf.precision}: {shelf.sentences:,} sentences, {size}"
        if not writable(shelf.folder):
            print(f"{about}: not ours to throw away, left alone")
        elif given.yes or agreed(f"{about}: throw away?"):
            if shelf.busy:  # looked at now, since a question may stand for long
                print(f"{about}: being filled, left alone")
            else:
                shelf.remove()
                print(f"{about}: thrown away")
    if not chosen:
        print("nothing to throw away")


def _root(given: Namespace) -> Path:
    from elmo_core.store.files import root_folder

    return root_folder(given.dir)


def _chosen(given: Namespace) -> list[Shelf]:
    """Return what is stored of the encoder that `--encoder` names, by default all."""
    from elmo_core.store.shelves import shelves

    found, name = shelves(_root(given)), given.encoder
    if name is None:
        return found
    chosen = [s for s in found if s.encoder == name or s.fingerprint.startswith(name)]
    if not chosen:
        known = ", ".join(sorted({shelf.encoder for shelf in found})) or "nothing"
        raise RunError(f"--encoder {name}: not in {_root(given)}, which has {known}")
    return chosen


if __name__ == "__main__":
    main()
