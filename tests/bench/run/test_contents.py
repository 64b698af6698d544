"""A run id knows data by the bytes that a task reads, wherever they lie."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import DictConfig

from bench.run.contents import chosen, content
from bench.run.record import Record
from elmo_core.errors import FetchError
from tests import encoder_files
from tests.bench.run.conftest import change_unseen, drop_a_line
from tests.bench.small import SMALL

Configured = Callable[..., DictConfig]


def test_the_same_data_elsewhere_is_the_same_run(
    run_id: Callable[..., str], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_id(data)
    assert run_id(shutil.copytree(data, tmp_path / "elsewhere")) == first
    monkeypatch.chdir(tmp_path)
    assert run_id(Path("data")) == first
    os.utime(data / "snli_1.0_dev.jsonl", (0, 0))
    (data / "README.txt").write_text("what the task does not read")
    assert run_id(data) == first
    assert run_id(data, "seed=2") != first


def test_changed_data_is_another_run(run_id: Callable[..., str], data: Path) -> None:
    ids = {run_id(data)}
    for split in ("train", "dev", "test"):
        drop_a_line(data / f"snli_1.0_{split}.jsonl")
        ids.add(run_id(data))
    (data / "snli_1.0_test.jsonl").unlink()
    ids.add(run_id(data))
    assert len(ids) == 5


@pytest.mark.parametrize("damage", [b"", b"\xff", b"0" * 31])
def test_a_damaged_note_of_a_hash_is_made_anew(
    damage: bytes, run_id: Callable[..., str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(data / "cache"))
    first = run_id(data)
    notes = list((data / "cache" / "contents").iterdir())
    for note in notes:
        note.write_bytes(damage)
    assert notes
    assert run_id(data) == first


def test_data_behind_a_linked_folder_may_change_too(
    run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    collection = tmp_path / "collection"
    collection.mkdir()
    (collection / "snli").symlink_to(data)
    (data / "loop").symlink_to(collection)
    first = run_id(collection)
    drop_a_line(data / "snli_1.0_train.jsonl")
    assert run_id(collection) != first
    assert run_id(collection) == run_id(data)


def test_without_the_data_its_path_stands_in_the_id(
    run_id: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert run_id(tmp_path / "nowhere") != run_id(tmp_path / "empty")


def test_what_is_known_is_not_read_again(configured: Configured, data: Path) -> None:
    cfg, dev = configured("task=snli", f"data.dir={data}"), data / "snli_1.0_dev.jsonl"
    first = content(cfg)
    change_unseen(dev)
    assert content(cfg) == first is not None
    os.utime(dev, (0, 0))
    assert content(cfg) not in (first, None)


def test_a_task_that_names_no_files_has_all_of_the_folder(
    configured: Configured, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.snli.task.SNLI.paths", lambda *_: ())
    cfg = configured("task=snli", f"data.dir={data}", f"paths.runs={data / 'runs'}")
    first = content(cfg)
    for unseen in (".hidden", "runs/snli/result.json"):
        (data / unseen).parent.mkdir(parents=True, exist_ok=True)
        (data / unseen).write_text("{}")
        assert content(cfg) == first
    (data / "more.txt").write_text("one")
    assert content(cfg) != first


def test_data_below_the_runs_counts_too(
    configured: Configured, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.snli.task.SNLI.paths", lambda *_: ())
    cfg = configured("task=snli", f"data.dir={data}", f"paths.runs={data.parent}")
    first = content(cfg)
    drop_a_line(data / "snli_1.0_dev.jsonl")
    assert content(cfg) != first


@pytest.mark.parametrize("task", ["coref", "ner", "pos", "snli", "squad", "srl", "sst5", "wsd"])
def test_every_task_names_what_it_reads(task: str, configured: Configured, tmp_path: Path) -> None:
    from tasks import smallworld

    data = shutil.copytree(smallworld.ensure(task), tmp_path / task)
    cfg = configured(f"task={task}", f"data.dir={data}", "data=open")
    first = content(cfg)
    (data / "unread.text").write_text("no task reads this")
    assert content(cfg) == first
    read = sorted(set(data.rglob("*.*")) - {data / "unread.text"})
    assert len(read) >= 3
    known = {None, first}
    for path in read:
        path.write_bytes(path.read_bytes() + b"\n")
        assert content(cfg) not in known, path
        known.add(content(cfg))


def test_a_run_is_found_under_the_path_of_its_word_vectors(
    bench: Callable[..., int],
    configured: Configured,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words = [*SMALL, "elmo.placement=none", "training.max_epochs=1", f"paths.runs={tmp_path / 'r'}"]
    words += [
        f"word_vectors={encoder_files.glove(tmp_path / 'v.txt')}",
        f"data.dir={data}",
        "data=open",
    ]
    assert bench(*words) == 0
    choice, record = chosen(configured(*words))
    finished = record.finished()
    assert finished is not None
    assert [finished.data["vectors"]] == list(choice.files.values())
    latest, earliest = choice.ids_by_path
    for run_id in (latest, earliest):
        old = record.folder.rename(record.folder.with_name(run_id))
        result = (old / "result.json").read_text().replace(record.folder.name, run_id)
        (old / "result.json").write_text(result)
        record = Record(old)
        capsys.readouterr()
        assert bench(*words) == 0
        shown = capsys.readouterr().out
        assert f"did not note what was in {tmp_path / 'v.txt'}; force" in shown


def test_a_run_is_found_again_where_its_data_went(
    bench: Callable[..., int], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*SMALL, "elmo.placement=none", "training.max_epochs=1", f"paths.runs={tmp_path / 'r'}"]
    assert bench(*words, f"data.dir={data}") == 0
    other = data.rename(tmp_path / "moved")
    capsys.readouterr()
    assert bench(*words, f"data.dir={other}") == 0
    assert "finished earlier" in capsys.readouterr().out
    drop_a_line(other / "snli_1.0_train.jsonl")
    assert bench(*words, f"data.dir={other}") == 0
    assert "finished earlier" not in capsys.readouterr().out
    assert len(list((tmp_path / "r" / "snli").iterdir())) == 2


def test_a_run_of_an_earlier_version_is_found_until_its_data_changes(
    bench: Callable[..., int],
    configured: Configured,
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words = [*SMALL, "elmo.placement=none", "training.max_epochs=1", f"paths.runs={tmp_path / 'r'}"]
    words += [f"data.dir={data}", "data=open"]
    assert bench(*words) == 0
    choice, record = chosen(configured(*words))
    (by_path,) = choice.ids_by_path
    old = record.folder.rename(record.folder.with_name(by_path))
    result = json.loads((old / "result.json").read_text())
    result["run_id"] = by_path
    (old / "result.json").write_text(json.dumps(result))
    capsys.readouterr()
    assert bench(*words) == 0
    assert "finished earlier by an earlier version; force" in capsys.readouterr().out
    drop_a_line(data / "snli_1.0_train.jsonl")
    assert bench(*words) == 0
    assert "finished earlier" not in capsys.readouterr().out

    fingerprint = result["data"].pop("fingerprint")
    assert set(fingerprint) == {"train", "dev", "test"}
    (old / "result.json").write_text(json.dumps(result | {"schema": 1}))
    drop_a_line(data / "snli_1.0_train.jsonl")
    assert bench(*words) == 0
    assert "version, which did not note what was in the data; force" in capsys.readouterr().out


def test_without_a_cache_data_is_hashed_each_time(
    run_id: Callable[..., str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> Path:
        raise FetchError("whose home?")

    first = run_id(data)
    monkeypatch.setattr("bench.run.contents.cache_folder", nobody)
    assert run_id(data) == first
    drop_a_line(data / "snli_1.0_dev.jsonl")
    assert run_id(data) != first
