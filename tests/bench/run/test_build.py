"""What a task is given: what tasks/task.py promises, and nothing that it does not ask for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from omegaconf import DictConfig, OmegaConf

from bench.errors import ConfigError
from bench.run.build import device_of, task_of

Configured = Callable[..., DictConfig]


class Plain:
    def __init__(self, **given: Any) -> None:
        self.given = given


class Asks(Plain):
    def __init__(self, *, word_vectors: str | None = None, **others: Any) -> None:
        super().__init__(word_vectors=word_vectors, **others)


class PassesOn(Asks):
    def __init__(self, *, hidden: int = 3, **others: Any) -> None:
        super().__init__(hidden=hidden, **others)


class PassesNothingOn(Asks):
    def __init__(self, *, data: str, folder: str | None) -> None:
        super().__init__(data=data, folder=folder, word_vectors="its own")


@pytest.mark.parametrize(
    ("kind", "vectors"),
    [
        (Plain, {}),
        (Asks, {"word_vectors": "vectors.txt"}),
        (PassesOn, {"word_vectors": "vectors.txt", "hidden": 3}),
        (PassesNothingOn, {"word_vectors": "its own"}),
    ],
)
def test_word_vectors_are_for_who_asks_for_them(
    kind: type[Plain],
    vectors: dict[str, Any],
    configured: Configured,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    module = ModuleType("own_tasks")
    vars(module)["Own"] = kind
    monkeypatch.setitem(sys.modules, "own_tasks", module)
    cfg = configured("task=wsd", "data=open", f"data.dir={tmp_path}", "word_vectors=vectors.txt")
    cfg.task = OmegaConf.create({"name": "own", "_target_": "own_tasks.Own"})
    made: Any = task_of(cfg)
    assert made.given == {"data": "open", "folder": str(tmp_path), **vectors}


def test_word_dropout_is_for_who_asks_for_it(
    configured: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    task: Any = task_of(configured("task=ner", "word_dropout=0.3"))
    assert task.word_dropout == 0.3
    assert "of its own" not in caplog.text
    assert not hasattr(
        task_of(configured("task=wsd", "data=open", "word_dropout=0.3")), "word_dropout"
    )
    assert "word_dropout=0.3 changes nothing: wsd has no words of its own" in caplog.text


def test_word_vectors_that_nothing_reads_are_told(
    configured: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    told = "word_vectors=v.txt changes nothing: wsd has no words of its own"
    words = ("task=wsd", "data=open", "word_vectors=v.txt")
    task_of(configured(*words, "encoder=static"))
    assert told not in caplog.text
    for other in ("encoder=random", "encoder=static elmo.placement=none"):
        caplog.clear()
        task_of(configured(*words, *other.split()))
        assert told in caplog.text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("+task.hiden=3", r"tasks\.snli\.SNLI: task\.hiden: no such key; did you mean 'hidden'\?"),
        ("task._target_=tasks.snli.SNLY", r"tasks\.snli has no SNLY; did you mean 'SNLI'\?"),
        ("task._target_=nowhere.Own", r"nowhere\.Own: .*nowhere"),
    ],
)
def test_what_cannot_be_built_is_told_in_one_line(
    words: str, message: str, configured: Configured
) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        task_of(configured("task=snli", "data=mini", words))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("devices", "variables", "expected"),
    [
        ("1", {}, "cuda:0"),
        ("3,", {}, "cuda:3"),
        ("4", {"LOCAL_RANK": "2"}, "cuda:2"),
        ("1,3", {"LOCAL_RANK": "1"}, "cuda:3"),
        ("4", {"SLURM_NTASKS": "4", "SLURM_LOCALID": "3"}, "cuda:3"),
        ("auto", {"LOCAL_RANK": "1"}, "cuda:1"),  # a sweep asks before the run counts them
        ("9,", {}, "cuda:0"),  # of a run that was trained elsewhere
    ],
)
def test_each_process_has_its_own_gpu(
    devices: str,
    variables: dict[str, str],
    expected: str,
    configured: Configured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 4)
    for name in ("LOCAL_RANK", "SLURM_NTASKS", "SLURM_LOCALID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert device_of(configured("task=pos", f"trainer.devices='{devices}'")) == expected
    assert device_of(configured("task=pos", "trainer=cpu")) == "cpu"


def test_a_mac_has_one_too(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: True)
    assert device_of(configured("task=pos")) == "mps"
    assert device_of(configured("task=pos", "trainer.accelerator=cuda")) == "cpu"
