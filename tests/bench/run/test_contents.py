"""A run id knows data by the bytes that a task reads, wherever they lie."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import DictConfig

from bench.choice import Choice
from bench.run import contents
from bench.run.contents import chosen, content
from bench.run.record import Record
from tests.bench.small import SMALL

Configured = Callable[..., DictConfig]


@pytest.fixture
def data(snli_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(snli_folder, tmp_path / "data")


@pytest.fixture
def run_id(configured: Configured, tmp_path: Path) -> Callable[..., str]:
    def of(folder: Path, *words: str) -> str:
        runs = f"paths.runs={tmp_path / 'runs'}"
        choice, record = chosen(configured("task=snli", f"data.dir={folder}", runs, *words))
        assert record.folder.name == choice.run_id
        return choice.run_id

    return of


def drop_a_line(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


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


def test_what_is_known_is_not_read_again(
    configured: Configured, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cfg = configured("task=snli", f"data.dir={data}")
    first = content(cfg)
    monkeypatch.delattr(contents, "_hashed")
    assert first is not None
    assert content(cfg) == first
    drop_a_line(data / "snli_1.0_dev.jsonl")
    with pytest.raises(NameError):  # it would have to be read
        content(cfg)


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


@pytest.mark.parametrize("task", ["coref", "ner", "pos", "snli", "squad", "srl", "sst5", "wsd"])
def test_every_task_names_what_it_reads(task: str, configured: Configured, tmp_path: Path) -> None:
    from tasks import smallworld

    data = shutil.copytree(smallworld.ensure(task), tmp_path / task)
    cfg = configured(f"task={task}", f"data.dir={data}", "data=open")
    first = content(cfg)
    (data / "unread.text").write_text("no task reads this")
    assert content(cfg) == first
    for path in data.rglob("*.*"):
        if path.name != "unread.text":
            path.write_bytes(path.read_bytes() + b"\n")
            assert content(cfg) not in (first, None), path
            break


def vectors(path: Path, size: int = 2) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"the {' '.join(['0.5'] * size)}\n")
    return path


def test_the_same_word_vectors_elsewhere_are_the_same_run(
    run_id: Callable[..., str], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = vectors(tmp_path / "vectors.txt")
    first = run_id(data, f"word_vectors={path}")
    assert run_id(data, f"word_vectors={vectors(tmp_path / 'b' / 'others.txt')}") == first
    assert run_id(data, f"word_vectors={vectors(tmp_path / 'more.txt', 3)}") != first
    monkeypatch.chdir(tmp_path)
    assert run_id(data, "word_vectors=vectors.txt") == first
    vectors(path, 3)
    assert run_id(data, f"word_vectors={path}") != first
    assert first != run_id(data)


@pytest.mark.parametrize("given", ["word_vectors", "encoder.vectors"])
def test_a_static_encoder_is_known_by_its_vectors(
    given: str, run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    ids = {
        run_id(data, "encoder=static", f"{given}={vectors(tmp_path / name, size)}")
        for name, size in (("one.txt", 2), ("two.txt", 2), ("three.txt", 3))
    }
    assert len(ids) == 2


def test_an_encoder_is_known_by_its_weights(
    run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    made, other = tmp_path / "model", tmp_path / "other"
    for folder, weights in ((made, b"one"), (other, b"two")):
        (folder / "steps").mkdir(parents=True)
        (folder / "encoder.safetensors").write_bytes(weights)
        (folder / "log.jsonl").write_text(str(folder))

    def own(path: Path) -> tuple[str, str]:
        return "encoder=elmo", f"encoder.source={path}"

    first = run_id(data, *own(made))
    (made / "log.jsonl").write_text("what the encoder is not read from")
    assert run_id(data, *own(made)) == first
    assert run_id(data, *own(other)) != first
    (other / "encoder.safetensors").write_bytes(b"one")
    assert run_id(data, *own(other)) == first
    assert run_id(data, *own(other / "encoder.safetensors")) == first
    plain = run_id(data, "elmo.placement=none", *own(made))
    (made / "encoder.safetensors").write_bytes(b"trained for longer")
    assert run_id(data, *own(made)) != first
    assert run_id(data, "elmo.placement=none", *own(made)) == plain


def test_a_model_in_a_folder_is_all_of_its_files(
    run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "bert"
    folder.mkdir()
    ids = set()
    for name in ("config.json", "model.safetensors"):
        (folder / name).write_text("{}")
        ids.add(run_id(data, "encoder=transformer", f"encoder.model={folder}"))
    parts = ["encoder=concat", "encoder@encoder.second=transformer"]
    ids.add(run_id(data, *parts, f"encoder.second.model={folder}"))
    (folder / "config.json").write_text("[]")
    ids.add(run_id(data, *parts, f"encoder.second.model={folder}"))
    assert len(ids) == 4


OWN = ("encoder=own", "encoder._target_=my_package.MyEncoder")


def test_what_an_encoder_of_ones_own_reads_may_lie_deeper(
    run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "sentences"
    weights = folder / "0_Transformer" / "model.bin"
    weights.parent.mkdir(parents=True)
    (folder / "modules.json").write_text("{}")
    own = (*OWN, f"+encoder.model={folder}")
    ids = set()
    for change in (
        lambda: weights.write_bytes(b"one"),
        lambda: weights.write_bytes(b"two"),
        lambda: weights.rename(folder / "model.bin"),
        lambda: (folder / "encoder.safetensors").write_bytes(b"beside"),  # ours would read this one
        lambda: (folder / "modules.json").write_text("[]"),
    ):
        change()
        ids.add(run_id(data, *own))
    assert len(ids) == 5
    (weights.parent / "loop").symlink_to("..")
    for hidden in (".git/HEAD", "0_Transformer/.cache/seen", "0_Transformer/.lock"):
        (folder / hidden).parent.mkdir(exist_ok=True)
        (folder / hidden).touch()
    assert run_id(data, *own) in ids
    elsewhere = shutil.copytree(folder, tmp_path / "elsewhere", symlinks=True)
    assert run_id(data, *OWN, f"+encoder.model={elsewhere}") in ids


def test_a_folder_that_two_encoders_read_is_all_that_either_reads(
    run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "both"
    (folder / "deeper").mkdir(parents=True)
    (folder / "encoder.safetensors").touch()
    one, two = ("encoder@encoder.first=own", "encoder@encoder.second=elmo")
    words = ["encoder=concat", one, two, f"encoder.second.source={folder}"]
    words += ["encoder.first._target_=my_package.MyEncoder", f"+encoder.first.source={folder}"]
    first = run_id(data, *words)
    (folder / "deeper" / "weights").write_text("read by the first")
    assert run_id(data, *words) != first


def test_a_file_that_cannot_be_read_is_named(
    run_id: Callable[..., str], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = vectors(tmp_path / "vectors.txt")

    def denied(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(contents, "_feed", denied)
    with pytest.raises(PermissionError, match=str(path)):
        run_id(Path("nowhere"), f"word_vectors={path}")


def test_an_encoder_of_an_earlier_step_is_known_by_its_weights(
    configured: Configured, tmp_path: Path
) -> None:
    kept = tmp_path / "model" / "steps" / "300.safetensors"
    (tmp_path / "link").symlink_to(tmp_path / "model")
    word_vectors = f"word_vectors={vectors(tmp_path / 'vectors.txt')}"

    def choice(name: str = "model", *words: str) -> Choice:
        source = f"encoder.source={tmp_path / name}@300"
        return chosen(configured("task=snli", "encoder=elmo", source, *words))[0]

    planned = [choice(), choice("model", word_vectors)]  # its training is under way
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"seed 1")
    first = choice()
    assert first.run_id != planned[0].run_id
    assert first.run_id == choice("link").run_id
    for before, now in zip(planned, (first, choice("model", word_vectors)), strict=True):
        assert before.run_id in now.ids_by_path  # of earlier versions
    kept.write_bytes(b"seed 2, in its place")
    assert choice().run_id not in (first.run_id, planned[0].run_id)


def test_names_and_missing_files_stand_for_themselves(
    run_id: Callable[..., str], data: Path, tmp_path: Path
) -> None:
    names = ("glove.840B.300d", "glove.6B.100d", str(tmp_path / "none.txt"), str(tmp_path))
    assert len({run_id(data, f"word_vectors={name}") for name in names}) == len(names)


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
    words += [f"word_vectors={vectors(tmp_path / 'v.txt')}", f"data.dir={data}", "data=open"]
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
