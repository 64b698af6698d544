"""What is known before the first run: costs, what is missing, whose encoder it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from bench.console import duration
from bench.sweep import sweeper
from elmo_core.store.plan import Cost
from tasks.snli.task import SNLI

Sweep = Callable[..., int]
Shown = pytest.CaptureFixture[str]


def test_a_plan_tells_examples_tokens_features_and_time(
    sweep: Sweep, snli_folder: Path, tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.sweep.forecast.amount", lambda size: f"{size} bytes")
    store = f"features.dir={tmp_path / 'features'}"
    assert sweep("elmo.placement=input", "elmo.l2=0,1", "plan=true", store) == 0
    shown = capsys.readouterr().out
    task = SNLI(folder=snli_folder)
    read = [e for split in ("train", "dev") for e in task.load(split) or ()]
    sentences = [tuple(words) for example in read for words in task.sentences(example)]
    tokens = sum(map(len, sentences))
    kept = sum(map(len, set(sentences))) * 40 * 4  # layer 0 has 8 numbers, twice; the others 16
    assert f"snli  input     2        80  {tokens:>6,}  {kept} bytes " in shown
    assert "estimated now, by 4 steps" in shown
    assert f"{kept} bytes to be computed first" in shown
    assert not (tmp_path / "features").exists()
    assert not (tmp_path / "runs").exists()


def test_a_plan_of_several_encoders_breaks_no_word_in_80_columns(
    bench: Sweep, snli_folder: Path, tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("bench.sweep.forecast.duration", lambda seconds: "24 h 41 min")
    places = [f"data.dir={snli_folder}", f"paths.runs={tmp_path}", f"features.dir={tmp_path}"]
    small = ["task=snli", "task.hidden=8", "task.word_dim=8", "trainer=cpu", *places]
    assert bench("-m", *small, "encoder=random,elmo-mini", "plan=true") == 0
    table = capsys.readouterr().out.partition("examples")[2].split()
    assert {"random", "elmo-mini", "input+output"} <= set(table)


def test_a_plan_takes_the_time_of_earlier_runs(
    sweep: Sweep, tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sweep("elmo.placement=none") == 0
    (path,) = (tmp_path / "runs").glob("snli/*/result.json")
    content = json.loads(path.read_text())
    for epoch, seconds in zip(content["history"], (1000, 3000), strict=True):
        epoch["seconds"] = seconds
    path.write_text(json.dumps(content))
    assert median(epoch["seconds"] for epoch in content["history"]) == 2000
    capsys.readouterr()
    assert sweep("elmo.placement=none", "seed=2,3", "plan=true") == 0
    shown = capsys.readouterr().out
    assert "33 min  67 min" in shown
    assert "at most 2 h 13 min for 2 runs" in shown
    assert "measured in 1 earlier run on this machine" in shown
    monkeypatch.setattr(SNLI, "surprisals", lambda self, output, examples: [])
    assert sweep("elmo.placement=none", "seed=2", "plan=true", "training.online_code=true") == 0
    assert "33 min  3 h 37 min" in capsys.readouterr().out  # six more, with 60 and 6 × 20 of 80
    monkeypatch.setattr("bench.sweep.trial.device_name", lambda device: "another processor")
    assert sweep("elmo.placement=none", "seed=2", "plan=true") == 0
    assert "estimated now" in capsys.readouterr().out
    assert sweep("elmo.placement=none", "seed=2", "plan=true", "task.hidden=9") == 0
    assert "estimated now" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "examples"), [("features=live", 60 + 20), ("trainer.limit_batches=1", 32 + 20)]
)
def test_what_keeps_no_features_is_planned_so(
    sweep: Sweep, capsys: Shown, monkeypatch: pytest.MonkeyPatch, words: str, examples: int
) -> None:
    """It encodes all sentences in every epoch, whatever is stored or was measured with a store."""

    def a_second_a_token(_: object, missing: dict[bytes, tuple[str, ...]]) -> Cost:
        tokens = sum(map(len, missing.values()))
        return Cost(len(missing), tokens, 10**15, tokens)

    assert sweep("elmo.placement=input") == 0
    monkeypatch.setattr("bench.sweep.room.estimate", a_second_a_token)
    capsys.readouterr()
    assert sweep("elmo.placement=input", "seed=2", "plan=true", words) == 0
    shown = capsys.readouterr().out
    assert "features: none are kept, encoded anew in every epoch" in shown
    assert "features take" not in shown
    (found,) = re.findall(rf"snli  input     1 +{examples} +(\d+) +(\d+ min)\*", shown)
    assert found[1] == duration(int(found[0]))


def test_a_folder_of_data_is_walked_once_for_all_cells(
    sweep: Sweep, snli_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = []

    def stamp(*given: str) -> str:
        walked.append(given)
        return "as it was"

    monkeypatch.setattr("bench.run.contents.stamp", stamp)
    monkeypatch.setattr("bench.sweep.forecast.show", lambda *_: None)
    words = (f"data.dir={snli_folder}", "elmo.placement=none,input", "seed=1,2,3", "plan=true")
    assert sweep(*words) == 0
    assert len(walked) == 1


def test_shares_of_one_set_are_drawn_from_one_reading(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, load = [], SNLI.load

    def reading(self: SNLI, split: str) -> object:
        read.append(split)
        return load(self, split)

    monkeypatch.setattr(SNLI, "load", reading)
    monkeypatch.setattr("bench.sweep.forecast.tried", lambda *_: 1.0)
    words = ("elmo.placement=none", "data.train_share=0.1,0.5,1", "seed=1,2", "plan=true")
    assert sweep(*words) == 0
    assert sorted(read) == ["dev", "test", "train"]


def test_a_plan_names_what_is_not_there_and_fetches_nothing(
    bench: Sweep, local_downloads: None, tmp_path: Path, capsys: Shown
) -> None:
    words = ["task=snli,srl", "data=paper", "seed=1,2", f"paths.runs={tmp_path}", "plan=true"]
    assert bench("-m", *words) == 0
    shown = capsys.readouterr().out
    assert re.search(r"not known for snli .* would be fetched from https://", shown)
    assert re.search(r"not known for srl · seed 1, srl · seed 2: .* cannot be downloaded", shown)
    assert bench("task=snli", "encoder=elmo-original", f"paths.runs={tmp_path}", "plan=true") == 0
    assert "options.json is not there yet: it would be fetched" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["elmo.layers=all,7"], "elmo.layers=7: "),
        (["data.dir=/nowhere,SNLI"], "data.dir: no folder /nowhere"),
        (["word_vectors=null,/nowhere/glove.txt"], "word_vectors=/nowhere/glove.txt: no such file"),
    ],
)
def test_what_stops_one_of_several_runs_stops_them_before_the_first(
    sweep: Sweep, snli_folder: Path, tmp_path: Path, capsys: Shown, words: list[str], reason: str
) -> None:
    words = [word.replace("SNLI", str(snli_folder)) for word in words]
    assert sweep("elmo.placement=input", *words, "plan=true") == 0
    assert reason in capsys.readouterr().out
    assert sweep("elmo.placement=input", *words) == 2
    said = capsys.readouterr().err.splitlines()
    assert any(line.startswith("snli · ") and reason in line for line in said)
    assert said[-1].startswith("error: nothing was started: 1 of 2 runs cannot be done")
    assert not (tmp_path / "runs").exists()


def test_a_row_that_is_no_task_is_left_out_by_its_name(
    bench: Sweep, tmp_path: Path, capsys: Shown
) -> None:
    assert bench("experiment=table5", f"paths.runs={tmp_path}", "trainer=cpu") == 2
    assert "'~experiment.rows.NAME'" in capsys.readouterr().err.splitlines()[-1]


def test_what_learns_nothing_takes_one_process(bench: Sweep, tmp_path: Path, capsys: Shown) -> None:
    words = ("trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2")
    assert bench("experiment=smoke", "task=wsd", *words, f"paths.runs={tmp_path}") == 2
    said = capsys.readouterr().err
    assert "must be 1 where nothing is learned by gradient" in said
    assert "nothing was started" in said


def test_a_table_with_another_encoder_than_the_papers_says_so(
    sweep: Sweep, own: str, tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("_forecast", "_require", "_run"):
        monkeypatch.setattr(sweeper.Sweep, step, lambda self, todo: None)
    file = tmp_path / "experiment" / "own.yaml"
    file.write_text(f"{file.read_text()}paper_encoders: [elmo-original]\n")

    def said(*words: str) -> bool:
        sweep("experiment=own", own, *words)
        line = "encoder: random, not the paper's: its numbers are of elmo-original"
        return line in capsys.readouterr().err

    assert said("plan=true")
    assert said("data=paper")
    assert not said("data=open")
    assert not said("data=paper", "experiment.paper_encoders=[random]")


def test_a_disk_without_room_for_all_features_is_told_before(
    sweep: Sweep, tmp_path: Path, capsys: Shown
) -> None:
    """In the plan and before the first run; nothing is said where there is room."""
    store = [f"features.dir={tmp_path / 'features'}", "elmo.placement=input"]
    assert sweep("seed=1,2", *store, "plan=true") == 0
    assert "features take" not in capsys.readouterr().out
    assert sweep("seed=1,2", *store, "features.max_gb=1e-5", "plan=true") == 0
    (told,) = [line for line in capsys.readouterr().out.splitlines() if "features take" in line]
    assert re.search(r"features take [\d.]+ MB, but 0.0 MB are left of 0.0 MB", told)
    assert "what does not fit is kept in memory by each run. features.dir=FOLDER" in told
    assert sweep("seed=1,2", *store, "features.max_gb=1e-5") == 0
    shown = capsys.readouterr().err.splitlines()
    assert shown.index(told) < next(i for i, line in enumerate(shown) if line.startswith("[1/2]"))


def test_features_that_must_be_stored_and_cannot_start_nothing(
    sweep: Sweep, tmp_path: Path, capsys: Shown
) -> None:
    store = [f"features.dir={tmp_path / 'features'}", "features=store", "features.max_gb=1e-5"]
    said = r"snli · seed 1, snli · seed 2: features=store: they take [\d.]+ MB, but 0.0 MB are left"
    assert sweep("seed=1,2", "elmo.placement=input", *store) == 2
    assert re.search(said, capsys.readouterr().err)
    assert not (tmp_path / "runs").exists()
    assert sweep("seed=1,2", "elmo.placement=input", *store, "plan=true") == 0
    assert re.search(f"not known for {said}", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        ("missing_login", "logger=wandb: no API key: `wandb login`, or logger.offline=true"),
        ("find_spec", "logger=tensorboard: not installed: pip install 'elmo-bench[tensorboard]'"),
    ],
    ids=["wandb", "tensorboard"],
)
def test_a_logger_without_what_it_needs_starts_nothing(
    asks: str,
    said: str,
    sweep: Sweep,
    capsys: Shown,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    answer = said if asks == "missing_login" else None
    monkeypatch.setattr(f"bench.run.loggers.{asks}", lambda _: answer)
    words = "seed=1,2", "elmo.placement=none", said.partition(":")[0]
    assert sweep(*words, "plan=true") == 0
    assert said in capsys.readouterr().out.splitlines()
    assert sweep(*words) == 2
    assert f"snli · seed 1, snli · seed 2: {said}" in capsys.readouterr().err.splitlines()
    assert not list(tmp_path.glob("runs/*/*"))
