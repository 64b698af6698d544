"""`python -m bench.evaluate RUN … data.dir=FOLDER`: the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from bench.errors import ConfigError, exit_status
from bench.evaluate import PROGRAM
from bench.noise import Noise
from bench.noise.spelling import KINDS
from bench.options import add_trust
from elmo_core.arguments import path
from elmo_core.help_text import HelpText
from elmo_core.imports import importing_torch

SPLITS = ("dev", "test")
KEYS = ("data", "data.dir", "data.set")
EXAMPLES = f"""examples:
  {PROGRAM} runs/squad/RUN data.dir=~/squad_shifts
  {PROGRAM} runs/coref/RUN runs/coref/RUN data.set=litbank
  {PROGRAM} runs/ner/RUN data.set=wikigold --map person=PER \\
      --map location=LOC --map group=ORG --map corporation=ORG --map MISC=MISC
  {PROGRAM} runs/ner/RUN --noise typos=0.2 --split dev
  python -m bench.report runs        # has a table: trained on → tested on

Nothing is trained. An evaluation is recorded beside its run, as RUN_ID-on-HASH, where the hash is
of the examples; the report compares evaluations on the same examples. Labels that the run was not
trained on are refused, unless --map says what they count as: --map FROM=TO reads FROM as TO in gold
and predictions alike, --map MISC=MISC keeps MISC, which the run then always misses, and in tasks of
tagged spans --map MISC=O leaves such spans out. With --noise and no data, a run is scored on its
own data with words misspelled (`python -m bench experiment=noise` draws whole curves).
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    parser = ArgumentParser(
        PROGRAM,
        description="Score finished runs on other examples of their task, and record it.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="RUN | KEY=VALUE",
        help=f"folders of finished runs of one task; and what to read: {', '.join(KEYS)}",
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FROM=TO",
        help="read the label FROM as TO (may be repeated)",
    )
    parser.add_argument(
        "--split",
        action="append",
        choices=SPLITS,
        help="score only this one (may be repeated; default: both, where the data has both)",
    )
    parser.add_argument(
        "--noise",
        metavar="KIND=SHARE",
        help=f"spell words otherwise, each by this chance (0 to 1): {', '.join(KINDS)}",
    )
    parser.add_argument(
        "--noise-seed", type=int, default=1, help="of what the noise draws (default: 1)"
    )
    parser.add_argument("--force", action="store_true", help="repeat a finished evaluation")
    add_trust(parser)
    given = parser.parse_intermixed_args(arguments)
    with exit_status(debug=False):
        from bench.run.record import itself, trained_run

        runs = [itself(path(word)) for word in given.words if not _is_key(word)]
        keys = [word for word in given.words if _is_key(word)]
        names = _names(given.map)
        if not runs:
            raise ConfigError("no RUN is named: give the folder of a finished one")
        if not (keys or given.noise):
            for run in runs:  # a folder that is no run is the first thing to mend
                trained_run(run)
            raise ConfigError("no data is named: give data.dir=FOLDER or data.set=NAME, or --noise")
        with importing_torch():
            from bench.evaluate.asked import Asked
            from bench.evaluate.evaluate import evaluate
            from bench.overrides import composed

        data = composed(keys).data if keys else None
        noise = given.noise and _noise(given.noise, given.noise_seed)
        asked = Asked(data, tuple(given.split or SPLITS), names, noise)
        evaluate(runs, asked, {}, force=given.force, trusted=given.trust)


def _is_key(word: str) -> bool:
    """Say whether a word is a key's. Raises ConfigError for a key that decides other things."""
    key, equals, _ = word.partition("=")
    if key in KEYS and equals:
        return True
    if equals and not Path(word).exists():
        raise ConfigError(f"{word}: only {', '.join(KEYS)} can be given: the rest is the run's")
    return False


def _names(words: Sequence[str]) -> dict[str, str]:
    """Return what each label counts as. Raises ConfigError where one counts as two."""
    names: dict[str, str] = {}
    for word in words:
        name, equals, new = word.partition("=")
        if not (name and equals and new):
            raise ConfigError(f"--map {word}: expected FROM=TO, two labels")
        if names.setdefault(name, new) != new:
            raise ConfigError(f"--map {word}: {name} is read as {names[name]} already")
    return names


def _noise(word: str, seed: int) -> Noise:
    kind, _, share = word.partition("=")
    try:
        return Noise(kind, float(share), seed)
    except ValueError as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"--noise {word}: expected KIND=SHARE, such as typos=0.2") from None


if __name__ == "__main__":
    main()
