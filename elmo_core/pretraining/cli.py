"""The command line. Nothing heavy is imported before a verb runs, so that `--help` is quick."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from elmo_core.arguments import path, share, whole_number
from elmo_core.imports import importing_torch
from elmo_core.subcommands import Subcommands
from elmo_core.text.sentences import FORMATS

_TOKENISED = "files or folders: tokenised, one sentence a line"


def parser() -> ArgumentParser:
    subcommands = Subcommands(
        "python -m elmo_core.pretraining",
        "Train, measure and fine-tune biLMs.",
        "a whole training, from text to encoder:\n"
        "$ prepare BOOKS/ -o corpus\n"
        "$ train corpus -o model --options mini\n"
        "$ evaluate model corpus/heldout\n"
        "$ export model elmo-mine.safetensors --half",
    )
    for add in (_add_prepare, _add_train, _add_evaluate, _add_finetune, _add_export):
        add(subcommands)
    return subcommands.parser


def _add_prepare(subcommands: Subcommands) -> None:
    verb = subcommands.add(
        "prepare",
        _prepare,
        "Text files → tokenised sentences, a held-out part, a vocabulary.",
        "prepare BOOKS/ news.txt -o corpus",
        "prepare tokens.txt -o corpus --form tokenised",
    )
    verb.add_argument(
        "texts",
        nargs="+",
        type=path,
        metavar="TEXT",
        help="UTF-8 files (also .gz, .bz2, .xz), folders",
    )
    verb.add_argument("-o", "--out", required=True, type=path, help="folder to make")
    verb.add_argument(
        "--form",
        default="auto",
        choices=FORMATS,
        help="running text, or one tokenised sentence a line (default: look at each file)",
    )
    verb.add_argument(
        "--heldout", type=share, default=0.01, metavar="SHARE", help="kept out (default: 0.01)"
    )
    verb.add_argument(
        "--min-count", type=whole_number, default=3, help="rarer words are <UNK> (default: 3)"
    )
    verb.add_argument(
        "--max-words", type=whole_number, help="the largest vocabulary (default: any)"
    )


def _add_train(subcommands: Subcommands) -> None:
    verb = subcommands.add(
        "train",
        _train,
        "Train a biLM; the same command resumes a training that was interrupted, and with other "
        "epochs makes it longer, or shorter as long as it has not come so far.",
        "train corpus -o model --options mini",
        "train corpus -o model --options mini \\\n      --set epochs=5 --precision bf16-mixed",
        "train corpus -o model --options mine.json \\\n      --accelerator gpu --devices 3",
        "train corpus -o model --options original \\\n      --start elmo-original",
    )
    verb.add_argument("corpus", type=path, help="a folder that `prepare` made")
    verb.add_argument("-o", "--out", required=True, type=path, help="folder of the model")
    verb.add_argument(
        "--options",
        required=True,
        help="mini, base, small, medium, original, or a file: the published options.json, and "
        'what differs from the published training under "training"',
    )
    verb.add_argument(
        "--start",
        metavar="ENCODER",
        help="a preset, folder or file whose weights it starts from (default: random ones)",
    )
    _add_loop(verb)


def _add_evaluate(subcommands: Subcommands) -> None:
    verb = subcommands.add(
        "evaluate",
        _evaluate,
        "Perplexity per token: full softmax, no dropout, carried state.",
        "evaluate model corpus/heldout",
        "evaluate model corpus/heldout/BOOKS",
    )
    verb.add_argument("model", type=path, help="a folder that `train` or `finetune` made")
    verb.add_argument("texts", nargs="+", type=path, metavar="TEXT", help=_TOKENISED)
    verb.add_argument(
        "--batch-size", type=whole_number, default=64, help="of no consequence but for speed"
    )
    verb.add_argument("--device", default="cpu", help="for example cuda (default: cpu)")


def _add_finetune(subcommands: Subcommands) -> None:
    verb = subcommands.add(
        "finetune",
        _finetune,
        "Go on, for one epoch, with the training text of a task.",
        "finetune model train.txt --dev dev.txt -o new",
        "finetune model train.txt --dev dev.txt \\\n      -o new --set learning_rate=0.001",
    )
    verb.add_argument("model", type=path, help="a folder that `train` made; it stays as it is")
    verb.add_argument("texts", nargs="+", type=path, metavar="TEXT", help=_TOKENISED)
    verb.add_argument("--dev", nargs="+", required=True, type=path, help="only measured")
    verb.add_argument("-o", "--out", required=True, type=path, help="folder of the new model")
    _add_loop(verb)


def _add_loop(verb: ArgumentParser) -> None:
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change the training part, for example epochs=5 (repeatable)",
    )
    verb.add_argument(
        "--every",
        type=whole_number,
        default=1000,
        help="steps between checkpoints; what is interrupted goes on from the last (default: 1000)",
    )
    verb.add_argument("--accelerator", default="auto", help="cpu, gpu, … (default: what is there)")
    verb.add_argument(
        "--keep",
        nargs="+",
        type=whole_number,
        default=(),
        metavar="STEP",
        help="keep the encoder after these steps, too: encoder=MODEL@STEP",
    )
    verb.add_argument(
        "--devices", type=whole_number, default=1, help="each reads its own streams (DDP)"
    )
    verb.add_argument(
        "--precision",
        default="32-true",
        choices=("32-true", "bf16-mixed"),
        metavar="PRECISION",
        help="32-true, or bf16-mixed: products in bfloat16, weights in float32",
    )


def _add_export(subcommands: Subcommands) -> None:
    verb = subcommands.add(
        "export",
        _export,
        "Write the encoder: the published options.json and HDF5, or one safetensors file.",
        "export model published_layout/",
        "export model elmo-mine.safetensors --half",
    )
    verb.add_argument("model", type=path, help="a folder that `train` or `finetune` made")
    verb.add_argument("out", type=path, help="FILE.safetensors, or a folder for the published pair")
    verb.add_argument("--half", action="store_true", help="float16 (.safetensors only)")


def _prepare(given: Namespace) -> None:
    from elmo_core.pretraining.prepare import Request, prepare

    request = Request(given.form, given.heldout, given.min_count, given.max_words)
    report = prepare(given.texts, given.out, request)
    print(f"train      {report.sentences:,} sentences, {report.tokens:,} tokens")
    print(f"held out   {report.heldout_tokens:,} tokens")
    print(f"types      {report.types:,}")
    print(f"vocabulary {report.vocabulary:,} words: {report.coverage:.2%} of the training tokens, ")
    print(f"           {report.heldout_coverage:.2%} of those held out")


def _train(given: Namespace) -> None:
    from elmo_core.pretraining.settings import read

    options, training = read(given.options, given.set)
    with importing_torch():  # once the options are found good
        from elmo_core.pretraining.train import train

    train(given.corpus, given.out, options, training, start=given.start, **_loop(given))


def _loop(given: Namespace) -> dict[str, Any]:
    return {
        key: vars(given)[key] for key in ("every", "keep", "accelerator", "devices", "precision")
    }


def _evaluate(given: Namespace) -> None:
    with importing_torch():
        from elmo_core.devices import checked
        from elmo_core.pretraining import folder
        from elmo_core.pretraining.perplexity import measure_text

    device = checked(given.device)
    model, vocabulary, _ = folder.load(given.model)
    model.to(device)
    for text in given.texts:
        print(f"{text}: {measure_text(model, vocabulary, [text], given.batch_size)}")


def _finetune(given: Namespace) -> None:
    with importing_torch():
        from elmo_core.lightning import rank_zero_only
        from elmo_core.pretraining.finetune import finetune

    before, after = finetune(
        given.model, given.texts, given.dev, given.out, given.set, **_loop(given)
    )
    rank_zero_only(print)(f"before: {before}\nafter:  {after}")


def _export(given: Namespace) -> None:
    from elmo_core.pretraining.export import export

    export(given.model, given.out, half=given.half)
