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

from elmo_core.bilm.options import Options
from elmo_core.downloads.presets import PRESETS
from elmo_core.errors import OptionsError
from elmo_core.lightning import rank_zero_only
from elmo_core.pretraining import cli
from elmo_core.pretraining.__main__ import main
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.settings import Training, read
from elmo_core.pretraining.train import train

VERBS = ("prepare", "train", "evaluate", "finetune", "export")


def test_presets_are_the_published_training_except_our_own() -> None:
    for name in ("small", "medium", "original"):
        options, training = read(name)
        assert options.published() == PRESETS[f"elmo-{name}"].options
        assert training == Training()
    for name in ("mini", "base"):
        assert (read(name)[1].optimizer, read(name)[1].dropout) == ("adam", 0)
    assert read("elmo-mini") == read("mini")


def test_an_options_file_is_the_published_one_and_a_training_part(
    tiny_options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "options.json"
    path.write_text(json.dumps({**tiny_options, "training": {"dropout": 0.5, "epochs": 3}}))
    options, training = read(str(path), ["epochs=1.5", "optimizer=adam"])
    assert options.cells == 24
    assert training == Training(dropout=0.5, epochs=1.5, optimizer="adam")


def test_the_published_program_s_own_file_says_how_it_trained(
    tiny_options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "options.json"
    theirs = {
        "all_clip_norm_val": 10.0,
        "batch_size": 128,
        "bidirectional": True,
        "dropout": 0.1,
        "n_epochs": 10,
        "n_negative_samples_batch": 8192,
        "n_tokens_vocab": 793471,
        "n_train_tokens": 768648884,
        "unroll_steps": 20,
    }
    path.write_text(json.dumps(tiny_options | theirs))
    assert read(str(path))[1] == Training()
    changed = theirs | {"n_epochs": 3, "batch_size": 4, "sample_softmax": False}
    path.write_text(json.dumps(tiny_options | changed | {"training": {"batch_size": 5}}))
    assert read(str(path))[1] == Training(batch_size=5, epochs=3, n_negative_samples_batch=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("droput=0.5", "unknown key training.droput; did you mean 'dropout'"),
        ("dropout", "expected KEY=VALUE"),
        ("dropout=1", "training.dropout must be from 0 to below 1"),
        ("batch_size=1.5", "training.batch_size must be of type int"),
        ("batch_size=0", "training.batch_size must be above 0"),
        ("optimizer=sgd", "training.optimizer must be adagrad or adam"),
        ("epochs=Infinity", "training.epochs must be finite, got inf"),
        ("learning_rate=NaN", "training.learning_rate must be finite, got nan"),
        (f"learning_rate={10**400}", "training.learning_rate must be below 1e308"),
        (f"seed={10**30}", r"training.seed must be from 0 to below 2\^63"),
        ("n_negative_samples_batch=1", "samples_batch must be 0, or 2 or above, got 1"),
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
    assert (tmp_path / "published" / "weights.hdf5").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prepare", "gone", "-o", "out"], "error: gone: no such file or folder"),
        (["train", "gone", "-o", "out", "--options", "mini"], "error: gone: no prepared text"),
        (["train", "gone", "-o", "out", "--options", "mimi"], "error: mimi: neither"),
        (["evaluate", "m@10", "text"], "error: m@10: not a folder that `train` or `finetune`"),
        (
            ["finetune", "elmo-mini", "text", "--dev", "text", "-o", "out"],
            "error: elmo-mini: not a folder that `train` or `finetune` made (no encoder.safet",
        ),
        (["export", "m@10", "out"], "error: m@10: not a folder that `train` or `finetune` made"),
        (["evaluate", "gone", "text", "--device", "foo"], "error: device foo: Expected one of"),
        (["evaluate", "gone", "text", "--device", "cuda:99"], "error: device cuda:99: "),
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


@pytest.mark.parametrize("name", ["foo", "tpu"])
def test_an_accelerator_that_is_not_there(
    prepared: Path, options: Options, training: Training, tmp_path: Path, name: str
) -> None:
    with pytest.raises(TrainingError, match=f"accelerator {name}, devices 1: "):
        train(prepared, tmp_path / "out", options, training, accelerator=name)


def test_a_job_of_more_tasks_than_processes(
    prepared: Path,
    options: Options,
    training: Training,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("JOB_NAME", "train.sh"), ("NTASKS", "4")):
        monkeypatch.setenv(f"SLURM_{name}", value)
    with pytest.raises(TrainingError, match=r"accelerator cpu, devices 1: .*ntasks"):
        train(prepared, tmp_path / "out", options, training, accelerator="cpu")


def test_of_several_processes_the_first_one_says_what_finetuning_gave(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("elmo_core.pretraining.finetune.finetune", lambda *_, **__: (7, 5))
    said = []
    for rank in (0, 1):
        monkeypatch.setattr(rank_zero_only, "rank", rank)
        main(["finetune", "model", "text", "--dev", "text", "-o", "out", "--devices", "2"])
        said.append(capsys.readouterr().out)
    assert said == ["before: 7\nafter:  5\n", ""]


@pytest.mark.parametrize("verb", ["prepare", "evaluate"])
def test_ctrl_c_is_one_line(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, f"_{verb}", pressed)
    with pytest.raises(SystemExit) as caught:
        main([verb, "a", *(["b"] if verb == "evaluate" else ["-o", "b"])])
    assert caught.value.code == 130
    assert capsys.readouterr().err == "interrupted: give the same command again to go on\n"


def test_sigterm_is_one_line_too() -> None:
    code = (
        "import os, runpy, signal, sys; from elmo_core.pretraining import cli\n"
        "cli._prepare = lambda given: os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.argv = ['pretraining', 'prepare', 'a', '-o', 'b']\n"
        "runpy.run_module('elmo_core.pretraining', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        130,
        "interrupted: give the same command again to go on\n",
    )


def test_ctrl_c_in_training_is_what_it_is_elsewhere(
    run: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PretrainingModule, "training_step", pressed)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # Lightning ignores the next Ctrl-C
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out")


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


@pytest.mark.parametrize("name", ["batch_size", "unroll_steps"])
def test_a_batch_larger_than_the_text_is_refused(
    run: Callable[..., None], tmp_path: Path, name: str
) -> None:
    said = rf"training\.{name}: 1,000,000,000 [\w ]+, more than the text's [\d,]+ tokens"
    with pytest.raises(OptionsError, match=said):
        run(tmp_path / "out", **{name: 10**9})
    assert not (tmp_path / "out").exists()
