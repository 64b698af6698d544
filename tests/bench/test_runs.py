"""`python -m bench.runs`, and what failed and repeated runs leave behind."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.run.record import Record
from bench.runs import main
from tasks.snli.task import SNLI
from tests.bench.made_up import Maker
from tests.bench.small import DIVERGING, SMALL
from tests.bench.verbs import status

Bench = Callable[..., int]
Shown = pytest.CaptureFixture[str]
NAN = (*DIVERGING, "training.optimizer.lr=1e6")


@pytest.fixture
def one(bench: Bench, snli_folder: Path, tmp_path: Path) -> Callable[..., int]:
    """`one("seed=2")`: a run of seconds; returns its exit status."""
    common = [*SMALL, "training.max_epochs=1", f"data.dir={snli_folder}", f"paths.runs={tmp_path}"]
    return lambda *words: bench(*common, "elmo.placement=none", *words)


def runs(*words: str) -> int:
    return status(main, words)


def test_list_show_clean(
    one: Callable[..., int], tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (one("seed=1"), one("seed=2", *NAN)) == (0, 2)
    folder = f"--runs={tmp_path}"
    finished, failed = sorted(
        tmp_path.glob("snli/*"), key=lambda path: "failed" in (path / "result.json").read_text()
    )
    unfinished = tmp_path / "snli" / "none-0000000000"
    unfinished.mkdir()
    text = (finished / "config.yaml").read_text().replace("seed: 1", "seed: 3")
    (unfinished / "config.yaml").write_text(text)
    capsys.readouterr()

    assert runs("list", folder) == 0
    shown = capsys.readouterr().out
    dev = json.loads((finished / "result.json").read_text())["metrics"]["dev"]["accuracy"]
    assert f"{dev:.2f}" in shown
    assert all(path.name in shown for path in (finished, failed, unfinished))
    for word, path in (("seed=2", failed), ("status=finished", finished), ("seed=3", unfinished)):
        assert runs("list", "task=snli", word, folder) == 0
        shown = capsys.readouterr().out
        found = [each for each in (finished, failed, unfinished) if each.name in shown]
        assert found == [path], word

    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, a narrow one
    monkeypatch.setenv("COLUMNS", "80")
    assert runs("list", folder) == 0
    rows = capsys.readouterr().out
    assert all(word in rows for word in (finished.name, f"{dev:.2f}", "failed", "unfinished"))
    monkeypatch.delenv("FORCE_COLOR")

    assert runs("show", finished.name[:-3], folder) == 0
    assert f"{dev:.2f}" in capsys.readouterr().out
    assert runs("show", failed.name, folder) == 0
    assert "try a lower training.optimizer.lr" in capsys.readouterr().out
    assert runs("show", "none-", folder) == 2

    assert runs("clean", folder) == 2  # nobody to ask
    assert "--yes" in capsys.readouterr().err
    assert failed.exists()
    with Record(unfinished).lock():
        assert runs("clean", "--yes", folder) == 0
        said = capsys.readouterr()
        assert unfinished.name not in said.out
        assert "left alone" in said.err
    assert (finished.exists(), failed.exists(), unfinished.exists()) == (True, False, True)
    assert runs("clean", "--yes", folder) == 0
    assert not unfinished.exists()
    assert finished.exists()


def test_list_and_show_say_which_run_is_which(
    tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    make, folder = Maker(tmp_path), f"--runs=~/{tmp_path.name}"
    ids = [make.run(placement="input", l2=l2) for l2 in (1.0, 0.001)]
    assert runs("list", folder) == 0
    lines = capsys.readouterr().out.splitlines()
    for run_id, words in zip(ids, ("elmo.l2=1.0", "elmo.l2=0.001"), strict=True):
        (line,) = (line for line in lines if run_id in line)
        assert line.split()[-1] == words
    assert runs("show", ids[0], folder) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[-3:] == [
        "seed  1",
        "differs in  elmo.l2=1.0",
        "command  python -m bench task=snli",
    ]
    assert runs("list", "task=nsli", folder) == 0
    assert capsys.readouterr().out.strip().endswith("(tasks: snli)")
    shutil.rmtree(tmp_path / "snli" / ids[1])
    assert runs("list", folder) == 0
    assert "differs in" not in capsys.readouterr().out


def test_a_whole_id_is_the_run_and_not_its_evaluations(
    one: Callable[..., int], tmp_path: Path, capsys: Shown
) -> None:
    assert one() == 0
    (folder,) = tmp_path.glob("snli/*")
    shutil.copytree(folder, folder.with_name(f"{folder.name}-on-0123456789"))
    assert runs("show", folder.name, f"--runs={tmp_path}") == 0
    assert runs("show", folder.name[:-1], f"--runs={tmp_path}") == 2
    assert f"snli/{folder.name}-on-0123456789 of the runs" in capsys.readouterr().err
    assert runs("show", f"snli/{folder.name}", f"--runs={tmp_path}") == 0
    assert runs("show", str(folder), f"--runs={tmp_path}") == 0
    assert runs("show", f"ner/{folder.name}", f"--runs={tmp_path}") == 2


def test_a_run_that_ends_while_the_question_stands_is_kept(
    one: Callable[..., int], tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert one() == 0
    (folder,) = tmp_path.glob("snli/*")
    result = (folder / "result.json").rename(tmp_path / "result.json")

    def ends(question: str) -> bool:
        result.rename(folder / "result.json")
        return True

    monkeypatch.setattr("bench.runs.agreed", ends)
    assert runs("clean", f"--runs={tmp_path}") == 0
    assert "is finished now: left alone" in capsys.readouterr().err
    assert (folder / "result.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "sed=1"], "did you mean 'seed'?"),
        (["list", "ner"], "expected KEY=VALUE"),
        (["list", "status=finished,fialed"], "a status is one of finished, failed, unfinished"),
        (["list", "--runs=/no/such/folder"], "--runs FOLDER"),
        (["show", "x-1"], "x-1: none of the runs in"),
    ],
)
def test_mistakes(words: list[str], said: str, tmp_path: Path, capsys: Shown) -> None:
    folder = [] if "--runs=/no/such/folder" in words else [f"--runs={tmp_path}"]
    assert runs(*words, *folder) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "mistake",
    [
        ["data.dir=/no/such/folder"],
        ["elmo.layers=9", "elmo.placement=input"],
        ["encoder=/no/such/biLM", "elmo.placement=input"],
        ["trainer.accelerator=abacus"],
    ],
)
def test_a_mistyped_run_leaves_nothing(
    one: Callable[..., int], mistake: list[str], tmp_path: Path, capsys: Shown
) -> None:
    words = [word for word in mistake if "encoder" not in word]
    words += [f"encoder.source={w.partition('=')[2]}" for w in mistake if w.startswith("encoder")]
    kind = ["encoder=elmo"] if "encoder" in str(mistake) else []
    assert one(*kind, *words) == 2
    assert capsys.readouterr().err.count("error: ") == 1
    assert not list(tmp_path.iterdir())


@pytest.fixture
def nfs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are open stay in their folder under another name until they are closed."""
    unlink, rmdir = os.unlink, os.rmdir

    def is_open(file: os.stat_result) -> bool:
        with os.scandir("/proc/self/fd") as found:
            return any(os.path.exists(e) and os.path.samestat(e.stat(), file) for e in found)

    def unlinked(path: Any, *, dir_fd: int | None = None) -> None:
        if is_open(facts := os.stat(path, dir_fd=dir_fd)):
            kept = os.path.join(os.path.dirname(path), f".nfs{facts.st_ino}")
            os.rename(path, kept, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
        else:
            unlink(path, dir_fd=dir_fd)

    def removed(path: Any, *, dir_fd: int | None = None) -> None:
        for kept in () if dir_fd else Path(path).glob(".nfs*"):
            if not is_open(kept.stat()):
                unlink(kept)
        rmdir(path, dir_fd=dir_fd)

    monkeypatch.setattr("os.unlink", unlinked)
    monkeypatch.setattr("os.rmdir", removed)
    monkeypatch.setattr(Path, "rmdir", removed)


@pytest.mark.usefixtures("nfs")
@pytest.mark.skipif(sys.platform != "linux", reason="what is open is known from /proc")
def test_folders_are_removed_on_nfs(one: Callable[..., int], tmp_path: Path, capsys: Shown) -> None:
    assert one("data.dir=/no/such/folder") == 2
    assert "data.dir: no folder /no/such/folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    for name in ("none-0000000000", "none-0000000001"):
        (tmp_path / "snli" / name).mkdir(parents=True)
        (tmp_path / "snli" / name / "config.yaml").touch()
    assert runs("clean", "--yes", f"--runs={tmp_path}") == 0
    assert not list(tmp_path.iterdir())


def test_a_bug_leaves_its_record(
    one: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SNLI, "prepare", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        one()
    (path,) = tmp_path.glob("snli/*/result.json")
    assert json.loads(path.read_text())["status"] == "failed"


def test_a_score_that_is_no_number_is_told_at_once(
    one: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setattr(SNLI, "score", lambda *_: {"accuracy": float("nan")})
    assert one() == 2
    assert "error: the task's accuracy is nan: a score that is not" in capsys.readouterr().err


def test_force_repeats_a_run_whose_result_is_damaged(
    one: Callable[..., int], tmp_path: Path, capsys: Shown
) -> None:
    assert one() == 0
    (path,) = tmp_path.glob("snli/*/result.json")
    whole = json.loads(path.read_text())["metrics"]
    path.write_text("{")
    assert one() == 2
    assert f"{path}: damaged" in capsys.readouterr().err
    assert one("force=true") == 0
    assert json.loads(path.read_text())["metrics"] == whole


def test_a_failure_of_a_damaged_run_that_is_repeated_is_told(
    one: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert one() == 0
    (path,) = tmp_path.glob("snli/*/result.json")
    path.write_text("{")
    monkeypatch.setattr(SNLI, "prepare", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        one("force=true")
    assert json.loads(path.read_text())["status"] == "failed"


def test_force_keeps_the_old_result_until_there_is_a_new_one(
    one: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    assert one() == 0
    (folder,) = tmp_path.glob("snli/*")
    names = ("result.json", "predictions.jsonl", "head.safetensors", "vocabulary.json")
    before = {name: (folder / name).read_bytes() for name in names}
    with monkeypatch.context() as patch:

        def refused(self: SNLI, *given: Any) -> Any:
            assert before == {name: (folder / name).read_bytes() for name in names}
            raise OSError(28, "No space left on device")

        patch.setattr(SNLI, "predict", refused)
        assert one("force=true") == 2
    assert "disk full" in capsys.readouterr().err
    assert before == {name: (folder / name).read_bytes() for name in names}
    written = (folder / "result.json").stat().st_mtime_ns
    assert one("-m", "force=true", "trainer.accelerator=abacus") == 2  # a sweep says so, too
    assert (folder / "result.json").stat().st_mtime_ns == written
    assert one("force=true") == 0
    assert (folder / "result.json").stat().st_mtime_ns != written


def test_clean_removes_runs_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "thesis" / "conf"
    conf.mkdir(parents=True)
    (conf / "config.yaml").write_text("defaults: []\n")
    assert runs("clean", "--yes", f"--runs={tmp_path}") == 0
    assert (conf / "config.yaml").exists()
    assert f"{conf}: not named as a run is: left alone" in capsys.readouterr().err
