"""`python -m bench.atlas`: the command line."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import RunError, exit_status
from bench.options import add_overrides, add_trust, text_files
from elmo_core.arguments import path, whole_number
from elmo_core.help_text import HelpText
from elmo_core.imports import importing_torch

if TYPE_CHECKING:
    from bench.atlas.layers import Uses
    from bench.atlas.page import Atlas
    from bench.atlas.sample import Sample
    from elmo_core import Encoder

PROGRAM = "python -m bench.atlas"
EXAMPLES = f"""examples:
  {PROGRAM} encoder=elmo-mini
  {PROGRAM} encoder=elmo-original --text books/ -o elmo.html
  {PROGRAM} encoder=elmo-base --word bank --word saw --runs ~/runs

The page is written to a file, with a figure; the same in Markdown goes to the terminal. The text is
plain, or tokenised sentences, one a line.
"""
READ = 100_000
"""Sentences of the text among which those that are looked at are drawn."""


def parser() -> ArgumentParser:
    found = ArgumentParser(
        PROGRAM,
        description="One page on what each layer of an encoder is like: how its vectors lie in "
        "space, which uses of words are near each other, and what finished runs say of it.",
        epilog=EXAMPLES,
        formatter_class=HelpText,
    )
    add_overrides(found)
    found.add_argument(
        "--text", type=path, help="text file, or folder of them (default: the built-in text)"
    )
    found.add_argument(
        "--sentences", type=whole_number, default=1000, help="drawn from the text (default: 1000)"
    )
    found.add_argument("--seed", type=int, default=1, help="what draws them (default: 1)")
    found.add_argument(
        "--word",
        action="append",
        default=[],
        help="show its nearest uses (may be repeated; default: three whose uses vary most)",
    )
    found.add_argument(
        "--runs", type=path, default=Path("runs"), help="what paths.runs named (default: runs)"
    )
    found.add_argument(
        "-o", "--out", type=path, default=Path("atlas.html"), help="page (default: atlas.html)"
    )
    add_trust(found)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit with 0 when done, 2 for what the user can mend, 1 otherwise."""
    given = parser().parse_intermixed_args(arguments)
    with exit_status(debug=False):
        if given.out.is_dir():
            raise RunError(f"-o {given.out}: is a folder: name a file, such as atlas.html in it")
        with importing_torch():
            from bench.atlas.figure import figure
            from bench.atlas.page import as_html, as_markdown
            from elmo_core.whole_files import write_text

        atlas = _atlas(given)
        write_text(given.out, as_html(atlas, figure(atlas.layers)))
        print(f"{as_markdown(atlas)}\nwritten to {given.out}")


def _atlas(given: Namespace) -> Atlas:
    """Encode the sentences and gather everything. Raises RunError for an empty text."""
    from bench.atlas.layers import layers
    from bench.atlas.page import Atlas
    from bench.atlas.runs import tables
    from bench.atlas.sample import sample
    from bench.console import progress
    from bench.overrides import composed_with_encoder
    from bench.run.build import encoder_of

    encoder = encoder_of(composed_with_encoder(given.overrides))
    assert encoder is not None
    with progress("encoding", given.sentences, "sentences") as advance:
        found = sample(encoder, _text(given.text), given.sentences, given.seed, advance)
    if not found.sentences:
        raise RunError(f"{given.text}: no sentence in it")
    return Atlas(
        title=f"Layers of {encoder.name}",
        facts=_facts(given, encoder, found),
        layers=list(layers(found)),
        uses=_uses(found, given.word),
        asked=bool(given.word),
        runs=tables(given.runs, encoder.fingerprint, given.trust),
        commands=_commands(given, encoder.layers),
    )


def _text(path: Path | None) -> Iterator[list[str]]:
    """Read the beginning of the text."""
    from elmo_core.text.sentences import read_sentences

    files = text_files(path)
    return islice((words for file in files for words in read_sentences(file)), READ)


def _facts(given: Namespace, encoder: Encoder, found: Sample) -> list[str]:
    return [
        f"{encoder.layers} layers × {encoder.dim}",
        f"{encoder.parameters:,} parameters",
        f"{len(found.sentences):,} sentences of {given.text or 'the built-in text'}",
        f"{len(found.uses):,} uses of words, {len(found.drawn):,} measured",
        f"seed {given.seed}",
    ]


def _uses(found: Sample, words: Sequence[str]) -> list[Uses]:
    """Return the nearest uses of these words, or of some that vary. Raises RunError."""
    from bench.atlas.layers import nearest_uses, varied
    from bench.atlas.sample import CONTEXTS

    for word in words:
        if word not in found.by_word:
            few = f"in fewer than {CONTEXTS} of {len(found.sentences):,} sentences"
            raise RunError(f"--word {word}: {few}: more --sentences, or another --text")
    return [nearest_uses(found, word) for word in words or varied(found, 3)]


def _commands(given: Namespace, layers: int) -> list[str]:
    """Return what makes runs of this encoder: with each of its layers, and with their mix."""
    import tasks

    words = shlex.join([*given.overrides, f"paths.runs={given.runs}"])
    each = ",".join([*map(str, range(layers)), *(["all"] if layers > 1 else [])])
    return [f"python -m bench -m task={name} {words} elmo.layers={each}" for name in tasks.names()]


if __name__ == "__main__":
    main()
