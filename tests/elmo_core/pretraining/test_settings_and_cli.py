"""The options file, and the command line around everything."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elmo_core.downloads.presets import PRESETS
from elmo_core.errors import OptionsError
from elmo_core.locks import locked
from elmo_core.pretraining import cli
from elmo_core.pretraining.__main__ import main
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.settings import Training, read

VERBS = ("prepare", "train", "evaluate", "finetune", "export")


def test_presets_are_the_published_training_except_mini() -> None:
    for name in ("small", "medium", "original"):
        options, training = read(name)
        assert options.published() == PRESETS[f"elmo-{name}"].options
        assert training == Training()
    assert read("mini")[1].optimizer == "adam"
    assert read("elmo-mini") == read("mini")


def test_an_options_file_is_the_published_one_and_a_training_part(
    tiny_options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "options.json"
    path.write_text(json.dumps({**tiny_options, "training": {"dropout": 0.5, "epochs": 3}}))
    options, training = read(str(path), ["epochs=1.5", "optimizer=adam"])
    assert options.cells == 24
    assert training == Training(dropout=0.5, epochs=1.5, optimizer="adam")


def test_the_published_program_s_options_bring_its_training(
    tiny_options: dict[str, Any], tmp_path: Path
) -> None:
    path, theirs = tmp_path / "options.json", {"n_epochs": 3, "dropout": 0.3, "batch_size": 64}
    path.write_text(json.dumps({**tiny_options, **theirs, "training": {"dropout": 0.5}}))
    assert read(str(path))[1] == Training(epochs=3, batch_size=64, dropout=0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("droput=0.5", "unknown key training.droput; did you mean 'dropout'"),
        ("dropout", "expected KEY=VALUE"),
        ("dropout=1", "training.dropout must be from 0 to below 1"),
        ("batch_size=1.5", "training.batch_size must be of type int"),
        ("batch_size=0", "training.batch_size must be above 0"),
        ("optimizer=sgd", "training.optimizer must be adagrad or adam"),
        ("n_negative_samples_batch=1", "n_negative_samples_batch must be 0, or 2 or more, got 1"),
        (f"seed={2**63}", "training.seed must be below 2"),
        (f"learning_rate=1{'0' * 400}", "a number of the training part is too large"),
        ("epochs=Infinity", "training.epochs must be finite, got inf"),
        ("learning_rate=NaN", "training.learning_rate must be finite, got nan"),
    ],
)
def test_changes_that_make_no_sense(change: str, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        read("mini", [change])


def test_options_that_are_nowhere() -> None:
    with pytest.raises(OptionsError, match="neither an options file nor one of elmo-mini"):
        read("huge")


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_ends_in_examples_that_can_be_pasted(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*verb.split(), "--help"])
    assert caught.value.code == 0
    lines = capsys.readouterr().out.replace("\\\n", "").splitlines()
    examples = [line.split() for line in lines if line.startswith(f"  {cli.parser().prog} ")]
    assert len(examples) >= 2
    for example in examples:
        cli.parser().parse_args(example[3:])


def test_help_is_quick() -> None:
    code = (
        "import sys; from elmo_core.pretraining import cli, __main__; "
        "print(cli.parser().format_help()); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_the_documented_way(
    text: Path, tmp_path: Path, tiny_options: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    options = tmp_path / "options.json"
    training = {"batch_size": 4, "epochs": 0.05}
    options.write_text(json.dumps({**tiny_options, "training": training}))
    corpus, model = str(tmp_path / "corpus"), str(tmp_path / "model")
    main(["prepare", str(text), "-o", corpus, "--heldout", "0.3"])
    main(["train", corpus, "-o", model, "--options", str(options), "--accelerator", "cpu"])
    main(["evaluate", model, f"{corpus}/heldout", f"{corpus}/train/text.txt"])
    main(["export", model, str(tmp_path / "published")])
    out = capsys.readouterr().out
    assert "100.00% of the training tokens" in out
    assert out.count("forward") == 2
    for option in (["--device", "foo"], ["--device", "cuda:99"]):
        with pytest.raises(SystemExit, match="2"):
            main(["evaluate", model, f"{corpus}/heldout", *option])
        assert f"error: {' '.join(option)}: " in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["train", corpus, "-o", f"{model}2", "--options", str(options), "--accelerator=foo"])
    assert "error: --accelerator foo --devices 1: " in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["export", model, model])
    assert f"error: {model}: is the model that is read" in capsys.readouterr().err
    assert (tmp_path / "published" / "weights.hdf5").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prepare", "gone", "-o", "out"], "error: gone: no such file or folder"),
        (["train", "gone", "-o", "out", "--options", "mini"], "error: gone: no prepared text"),
        (["train", "gone", "-o", "out", "--options", "mimi"], "error: mimi: neither"),
        (["evaluate", "gone", "text"], "error: gone/vocabulary.txt: cannot be read"),
        (["export", "gone", "out"], "error: gone/encoder.safetensors: no such file"),
    ],
)
def test_what_can_be_mended_is_one_line(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 1
    assert error[0].startswith(message)


@pytest.mark.parametrize(
    ("command", "option", "wrong"),
    [
        (command, option, wrong)
        for command, option in (
            ("prepare text -o out", "--min-count"),
            ("prepare text -o out", "--max-words"),
            ("train corpus -o out --options mini", "--every"),
            ("train corpus -o out --options mini", "--keep"),
            ("finetune model text --dev text -o out", "--devices"),
            ("evaluate model text", "--batch-size"),
        )
        for wrong in ("0", "-1", "many")
    ]
    + [("prepare text -o out", "--heldout", wrong) for wrong in ("-1", "0", "1", "2", "nan", "x")],
)
def test_numbers_that_make_no_sense(
    command: str, option: str, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*command.split(), option, wrong])
    assert caught.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"error: argument {option}: '{wrong}' is not a " in last


def test_two_do_not_train_in_one_folder(run: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with (
        locked(tmp_path / "out" / ".lock"),
        pytest.raises(TrainingError, match="out: another process trains here"),
    ):
        run(tmp_path / "out")
    run(tmp_path / "out")


def test_an_interruption_is_one_line(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(
        PretrainingModule, "training_step", lambda *_: signal.raise_signal(signal.SIGINT)
    )
    options = ["--options", "mini", "--set", "batch_size=2", "--accelerator", "cpu"]
    with pytest.raises(SystemExit) as caught:
        main(["train", str(prepared), "-o", str(tmp_path / "out"), *options])
    assert caught.value.code == 130
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == "interrupted; a training goes on with the same command"
