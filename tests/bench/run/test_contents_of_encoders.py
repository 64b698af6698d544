"""A run id knows word vectors and encoders by the bytes that are read, wherever they lie."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import DictConfig

from bench.choice import Choice
from bench.run import contents
from bench.run.contents import chosen

Configured = Callable[..., DictConfig]


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


@pytest.mark.parametrize("of_data", [False, True])
def test_a_file_that_cannot_be_read_is_named(
    of_data: bool,
    run_id: Callable[..., str],
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = vectors(tmp_path / "vectors.txt")

    def denied(_: object, path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(contents, "_feed", denied)
    with pytest.raises(PermissionError, match=str(data if of_data else words)):
        run_id(*((data,) if of_data else (Path("nowhere"), f"word_vectors={words}")))


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
