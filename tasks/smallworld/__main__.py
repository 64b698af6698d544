"""Write the small world to a folder and show what is in it."""

from __future__ import annotations

import argparse
from collections import Counter

from elmo_core.arguments import path
from tasks.smallworld import LATEST, build
from tasks.smallworld.logic import LABELS
from tasks.smallworld.yardsticks import Pair, read, unseen, yardsticks

EXAMPLES = """examples:
  python -m tasks.smallworld /tmp/world             write everything, print counts and samples
  python -m tasks.smallworld /tmp/world --seed 7    another world of the same kind
  python -m tasks.smallworld /tmp/world --samples 5
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tasks.smallworld",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=path, help="where to write; made if it is not there")
    parser.add_argument("--seed", type=int, default=13, help="which world (default: %(default)s)")
    parser.add_argument(
        "--samples", type=int, default=1, help="pairs shown per phenomenon and label"
    )
    chosen = parser.parse_args()
    try:
        build(chosen.folder, chosen.seed)
    except OSError as error:
        parser.error(f"{chosen.folder}: {error.strerror or error}")
    print(f"small world, version {LATEST}, seed {chosen.seed}, in {chosen.folder}\n")
    for split in ("train", "dev", "test"):
        _counts(split, read(chosen.folder, split))
    _samples(read(chosen.folder, "train"), chosen.samples)
    for split in ("dev", "test"):
        figures = yardsticks(chosen.folder, split).items()
        print(f"{split:6}" + "   ".join(f"{name} {value:.1f}" for name, value in figures))
    train = read(chosen.folder, "train")
    for split in ("dev", "test"):
        somewhere, on_one_side = unseen(train, read(chosen.folder, split))
        shares = f"{somewhere:.0f} %, on one side only {on_one_side:.0f} %"
        print(f"{split:6}pairs with a word that training lacks: {shares}")


def _counts(split: str, pairs: list[Pair]) -> None:
    """Count labels by phenomenon."""
    table = Counter((pair["phenomenon"], pair["gold_label"]) for pair in pairs)
    print(f"{split}: {len(pairs)} labelled pairs")
    for phenomenon in sorted({phenomenon for phenomenon, _ in table}):
        cells = (f"{label} {table[phenomenon, label]:3}" for label in LABELS)
        print(f"  {phenomenon:12}" + "   ".join(cells))
    print()


def _samples(pairs: list[Pair], number: int) -> None:
    for phenomenon in sorted({pair["phenomenon"] for pair in pairs}):
        print(phenomenon)
        for label in LABELS:
            found = [p for p in pairs if (p["phenomenon"], p["gold_label"]) == (phenomenon, label)]
            for pair in found[:number]:
                print(f"  {label:14}{pair['sentence1']}\n{'':16}{pair['sentence2']}")
    print()


if __name__ == "__main__":
    main()
