"""The command line: shorthands, and one clear line for each mistake."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import HfApi

from bench.overrides import expand
from tests.bench.small import SMALL

Bench = Callable[..., int]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["task=snly"], ["task=snly", "did you mean 'snli'?"]),
        (["encoder=elmo-smal"], ["did you mean 'elmo-small'?", "random"]),
        (["elmo.placment=none"], ["elmo.placment", "did you mean 'elmo.placement'?"]),
        (["elmo.placement=inptu"], ["did you mean 'input'?", "input+output"]),
        (["elmo.layers=tpo"], ["did you mean 'top'?", "a layer's index"]),
        (["elmo.layers=00"], ["elmo.layers=00", "a layer's index"]),
        (["experiment=lambda", "experiment.seeds=[]"], ["lambda: experiment.seeds=[]: name one"]),
        (["elmo.l2=-1"], ["elmo.l2=-1.0", "0 or more"]),
        (["elmo.dropout=1.5"], ["elmo.dropout", "below 1"]),
        (["seed=many"], ["seed: Value 'many' of type 'str' could not be converted"]),
        (["task.hiden=3"], ["did you mean 'task.hidden'?"]),
        (["+task.depth=3", "trainer=cpu"], ["tasks.snli.SNLI: task.depth: no such key"]),
        (["+elmo.foo=3"], ["elmo.foo: no such key"]),
        (["+seeds=3"], ["seeds: no such key; did you mean 'seed'?"]),
        (["training.optimizer.betas=[0,1]"], ["+training.optimizer.betas=… adds a new one"]),
        (
            [
                "experiment=encoders",
                "experiment.columns.static={encoder: static, encoder.vectors: FILE}",
                "+experiment.columns.BERT={encoder: transformer}",
            ],
            ["experiment.columns.static.encoder.vectors", "++experiment.columns.static=… adds it"],
        ),
        (["+trainer.device=2"], ["trainer.device", "did you mean 'devices'?"]),
        (["hydra.searchpath=/my/conf"], ["hydra.searchpath=/my/conf: must be a list"]),
        (["hydra.searchpath=[/my/conf]"], ["hydra.searchpath: no folder /my/conf"]),
        (["hydra.searchpath=[file:///my/conf]"], ["hydra.searchpath: no folder /my/conf"]),
        (["~training"], ["training: may not be left out"]),
        (["training.scheduler.mode=min"], ["training.scheduler.mode=min: must be max"]),
        (["training.scheduler=5"], ["training.scheduler=5: must be null, or a mapping"]),
        (["training.scheduler_interval=step"], ["ReduceLROnPlateau", "scheduler_interval=epoch"]),
        (["features=stor"], ["features=stor", "did you mean 'store'?"]),
        (["features.mode=stor"], ["did you mean 'store'?"]),
        (["features.precision=float8"], ["float16"]),
        (["features.max_gb=0"], ["above 0"]),
        (["features.folder=x"], ["features.folder: no such key"]),
        (["training.batch_size=0"], ["training.batch_size=0", "1 or more"]),
        (["trainer=tpu"], ["trainer=tpu: unknown", "cpu"]),
        (["logger=null"], ["logger=null: no name (choose csv, none,"]),
        (["logger=[csv,wandb]"], ["logger=[csv,wandb]: one is taken, not a list (choose csv,"]),
        (["task=1"], ["task=1: no name (choose coref, neighbours,"]),
        (["-m", "features=store,null"], ["features=store,null: no name (choose auto,"]),
        (["task=[snli"], ["task=[snli: cannot be read as KEY=VALUE", "take quotes"]),
        (["experiment=lambda", "experiment.without=[columns.λ=0]"], ["λ=0]: cannot be read"]),
        (["data.dir=/no/such/folder"], ["data.dir: no folder /no/such/folder"]),
        (["trainer.precision=bf16"], ["trainer.precision=bf16: must be bf16-mixed"]),
        (["trainer.precision=32"], ["trainer.precision=32: must be 32-true"]),
        (["data.dir="], ["data.dir=: must be a path, or left out"]),
        (["word_vectors="], ["word_vectors=: must be a path, or left out"]),
        (["word_vectors=/no/such/file"], ["word vectors: /no/such/file is not a file"]),
        (["encoder=/no/such/biLM"], ["no encoder or file is called '/no/such/biLM'"]),
        (["training.optimizer._target_=torch.optim.Adamm"], ["torch.optim has no Adamm; did you"]),
        (["trainer.accelerator=abacus"], ["trainer.accelerator=abacus: unknown (choose"]),
        (["trainer.devices=two"], ["trainer.devices=two", "a number"]),
        (["trainer.strategy=ddp_spawn"], ["trainer.strategy=ddp_spawn: must be one of separate"]),
        (["trainer.strategy=ddp_fork"], ["trainer.strategy=ddp_fork: must be one of separate"]),
        (["--task", "snli"], ["did you mean task=snli?"]),
        (["--task=snli"], ["did you mean task=snli?"]),
        (["--seed", ""], ["did you mean seed=…?"]),
        (["sst5"], ["did you mean task=sst5?"]),
        (["--shell-completion"], ["--shell-completion: needs install=bash"]),
        (["report", "runs"], ["report: no KEY=VALUE; did you mean `python -m"]),
        (["reprot", "runs"], ["did you mean `python -m bench.report --help`?"]),
        (["encoder=bert-base-cased"], ["encoder=transformer encoder.model=bert-base-cased"]),
        (["encoder=a/b"], ["no such file or folder; a model on the hub: encoder=transformer"]),
        (["hydra/launcher=joblib"], ["-m or experiment="]),
        (["encoder=random,./mine"], ["encoder=random,./mine: several values", "give -m"]),
        (["encoder=random", "+encoder.precision=float64"], ["precision must be one of", "float64"]),
        (["experiment=demo", "seed=1,2", "--cfg", "job"], ["seed=1,2: several values", "--cfg"]),
        (["-m", "--cfg", "job"], ["--cfg and -m: one of the two"]),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    bench: Bench,
    arguments: list[str],
    expected: list[str],
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [f"data.dir={snli_folder}", "elmo.placement=input", f"paths.runs={tmp_path}"]
    keys = {argument.split("=")[0] for argument in arguments}
    given = [argument for argument in given if argument.split("=")[0] not in keys]
    small = [a for a in SMALL if a.split("=")[0] not in keys and "encoder" not in keys]
    assert bench(*small, *given, *arguments) == 2
    shown = capsys.readouterr().err
    errors = [line for line in shown.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "Traceback" not in shown
    for words in expected:
        assert words in shown


def malformed(folder: Path, line: str) -> Path:
    good = json.dumps({"gold_label": "neutral", "sentence1": "A man sits.", "sentence2": "Oh."})
    (folder / "snli_1.0_train.jsonl").write_text(f"{good}\n{line}\n")
    (folder / "snli_1.0_dev.jsonl").write_text(f"{good}\n")
    return folder


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{not json", "line 2: not JSON"),
        ('{"gold_label": "maybe", "sentence1": "a", "sentence2": "b"}', "unknown label 'maybe'"),
        ('{"gold_label": "neutral", "sentence1": "a"}', "line 2: 'sentence2' is missing"),
        ("[1]", "line 2: expected a JSON object"),
    ],
)
def test_malformed_data_names_file_and_line(
    bench: Bench, line: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = malformed(tmp_path, line)
    assert bench(*SMALL, f"data.dir={folder}", f"paths.runs={tmp_path / 'runs'}") == 2
    shown = capsys.readouterr().err
    assert expected in shown
    assert "snli_1.0_train.jsonl" in shown


def test_missing_split_and_no_examples_left(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = f"data.dir={tmp_path}"
    assert bench(*SMALL, folder, f"paths.runs={tmp_path / 'runs'}") == 2
    assert "no train file of snli" in capsys.readouterr().err
    (tmp_path / "snli_1.0_train.jsonl").mkdir()
    assert bench(*SMALL, folder, f"paths.runs={tmp_path / 'runs'}") == 2
    assert "; snli_1.0_train.jsonl is a folder" in capsys.readouterr().err
    (tmp_path / "snli_1.0_train.jsonl").rmdir()
    unlabelled = {"gold_label": "-", "sentence1": "A man sits.", "sentence2": "Oh."}
    (tmp_path / "snli_1.0_train.jsonl").write_text(json.dumps(unlabelled) + "\n")
    assert bench(*SMALL, folder, f"paths.runs={tmp_path / 'runs'}") == 2
    assert "no examples left" in capsys.readouterr().err


def test_unwritable_folder(bench: Bench, snli_folder: Path, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").write_text("")
    assert bench(*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'file'}") == 2
    assert "paths.runs=FOLDER" in capsys.readouterr().err


def test_a_second_process_on_the_same_run_is_refused(
    bench: Bench, snli_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bench.run.record import Record

    arguments = [*SMALL, f"data.dir={snli_folder}", f"paths.runs={tmp_path}"]
    assert bench(*arguments) == 0
    (folder,) = tmp_path.glob("snli/*")
    with Record(folder).lock():
        assert bench(*arguments, "force=true") == 2
    assert "another process" in capsys.readouterr().err


def test_a_model_of_the_hub_is_named_with_its_commit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("elmo_core.encoders.hub.commit", lambda model: "0" * 40)
    named = ["encoder=transformer", "encoder.model=google-bert/bert-base-cased"]
    assert expand(named) == [*named, f"encoder.revision={'0' * 40}"]
    for words in (
        [*named, "encoder.revision=main"],
        ["encoder=transformer", f"encoder.model={tmp_path}"],
        ["encoder=transformer", "encoder.model=a,b"],
        ["encoder=transformer"],
    ):
        assert expand(words) == words


def test_no_test_asks_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HfApi, "model_info", lambda *_, **__: pytest.fail("asked the hub"))
    words = ["encoder=transformer", "encoder.model=nobody/nothing-at-all"]
    assert expand(words) == words


def test_expand() -> None:
    assert expand(["task=snli", "encoder=random"]) == ["task=snli", "encoder=random"]
    assert expand(["-m", "task=glob(*)"]) == ["-m", "task=glob(*)"]
    assert expand(["encoder=./mine"]) == ["encoder=elmo", "encoder.source='mine'"]
    assert expand(["encoder=./mine@9"]) == ["encoder=elmo", "encoder.source='mine@9'"]
    assert expand(["data.dir=x"]) == ["data=open", "data.dir=x"]
    assert expand(["--info", "seed=2"]) == ["seed=2", "--info"]
    shown = expand(["task=ner", "--cfg", "job", "data.dir=x"])
    assert shown == ["task=ner", "data=open", "data.dir=x", "--cfg", "job"]
    assert expand(["data.dir=x", "data=paper"]) == ["data.dir=x", "data=paper"]
    assert expand(["word_vectors=~/v.txt"]) == ["word_vectors='~/v.txt'"]
    assert expand([r"word_vectors=~/my\ v.txt"]) == ["word_vectors='~/my v.txt'"]
    assert expand(["paths.runs=~/a b"]) == [f"paths.runs='{Path.home()}/a b'"]
    assert expand(["data.dir=~/a,~/b", "data=open"]) == ["data.dir='~/a','~/b'", "data=open"]
    assert expand(["seed=1,2", "-m", "task=ner"]) == ["-m", "seed=1,2", "task=ner"]


def test_a_path_may_have_a_comma(tmp_path: Path) -> None:
    one = tmp_path / "a,b"
    one.mkdir()
    for step in ("", "@9"):
        assert expand([f"encoder={one}{step}"])[1] == f"encoder.source='{one}{step}'"
    assert expand([f"encoder={one},{one}"]) == [f"encoder={one},{one}"]


def test_more_processes_than_cores_are_not_begun(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*SMALL, "trainer.devices=9999", f"paths.runs={tmp_path}") == 2
    assert "trainer.devices=9999: on a CPU that is a process each" in capsys.readouterr().err


def test_a_gpu_that_is_not_there_is_told_at_once(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    words = [word for word in SMALL if not word.startswith("trainer")]
    assert bench(*words, "trainer=gpu", f"paths.runs={tmp_path}", "data.dir=/not/read") == 2
    assert "no GPU is found here: trainer=cpu" in capsys.readouterr().err


def test_the_version_is_ours(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--version") == 0
    assert capsys.readouterr().out == f"elmo-bench {version('elmo-bench')}\n"


def test_without_a_word_it_shows_the_help(
    bench: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench() == 0
    assert "Choose one of each" in capsys.readouterr().out
