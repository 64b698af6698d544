"""Mistakes beside words that are right: which of them is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hydra import initialize_config_dir

from bench.config import CONF
from bench.overrides import expand

Bench = Callable[..., int]
Shown = pytest.CaptureFixture[str]


def test_a_mistake_beside_a_folder_of_ones_own(bench: Bench, tmp_path: Path, capsys: Shown) -> None:
    assert bench(f"--config-dir={tmp_path}", "task=snly") == 2
    assert "did you mean 'snli'?" in capsys.readouterr().err


def test_a_mistake_beside_a_key_of_one_of_several_encoders(bench: Bench, capsys: Shown) -> None:
    parts = ("encoder=concat", "encoder@encoder.second=random", "encoder.second.seed=3")
    assert bench(*parts, "seed=many") == 2
    shown = capsys.readouterr().err
    assert "seed: Value 'many'" in shown
    assert "no such key" not in shown


def test_a_model_beside_another_encoder_is_named_with_its_commit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elmo_core.encoders.hub.commit", lambda model: "0" * 40)
    words = ["encoder=concat", "encoder@encoder.second=transformer"]
    words += ["encoder.second.model=google-bert/bert-base-cased"]
    assert expand(words) == [*words, f"encoder.second.revision={'0' * 40}"]
    with initialize_config_dir(str(CONF), version_base="1.3"):  # as within a sweep
        assert expand(words) == [*words, f"encoder.second.revision={'0' * 40}"]
        assert expand(["encoder=./a b"]) == ["encoder=elmo", "encoder.source='a b'"]


def test_an_own_encoder_of_the_hub_is_given_no_key_that_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("elmo_core.encoders.hub.commit", lambda model: "0" * 40)
    file = tmp_path / "encoder" / "mine.yaml"
    file.parent.mkdir()
    words = ["encoder=mine", "encoder.model=gpt2", f"hydra.searchpath=[{tmp_path}]"]
    monkeypatch.setattr("sys.argv", ["bench", *words])
    file.write_text("_target_: my_package.MyEncoder\nmodel: bert\n")
    assert expand(words) == words
    file.write_text("_target_: x\n  bad: [\n")
    assert expand(words) == words
    for text in ("_target_: x\nmodel: bert\nrevision: null\n", "defaults: [transformer, _self_]\n"):
        file.write_text(text)
        assert expand(words) == [*words, f"encoder.revision={'0' * 40}"]
    file.write_text("defaults: [transformer, _self_]\n_target_: my_package.load\n")
    assert expand(words) == [*words, f"encoder.revision={'0' * 40}"]
    file.write_text("model: ${oops\n")
    assert expand(words) == words  # Hydra says what is wrong with it
    parts = "defaults:\n- /encoder@first: transformer\n- /encoder@second: static\n_target_: x\n"
    file.write_text(parts)
    of_part = [words[0], "encoder.first.model=gpt2", words[2]]
    assert expand(of_part) == [*of_part, f"encoder.first.revision={'0' * 40}"]
    file.with_name("other.yaml").write_text("defaults: [mine]\n")
    for text in ("defaults: 5\n_target_: x\n", "defaults: [other]\n"):
        file.write_text(text)
        assert expand(words) == words


def test_only_what_takes_a_revision_is_given_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []

    def commit(model: str) -> str:
        asked.append(model)
        return "0" * 40

    monkeypatch.setattr("elmo_core.encoders.hub.commit", commit)
    files = {
        "conf/encoder/mine": "_target_: x\nmodel: m\n",
        "conf/encoder/both": "defaults: [concat, {override /encoder@first: transformer}]\n",
        "conf/encoder/short": "defaults: [/encoder/transformer@first]\n_target_: x\n",
        "theirs_of_test/conf/encoder/theirs": "_target_: x\nmodel: m\n",
        "theirs_of_test/conf/encoder/pinned": "_target_: x\nmodel: m\nrevision: null\n",
    }
    for name, text in files.items():
        file = tmp_path / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "theirs_of_test/conf/__init__.py").touch()  # Hydra warns without
    monkeypatch.syspath_prepend(tmp_path)
    path = f"hydra.searchpath=[{tmp_path}/conf,pkg://theirs_of_test.conf]"
    monkeypatch.setattr("sys.argv", ["bench", path])
    for name in ("theirs", "transformer,mine", "trasformer"):
        words = [f"encoder={name}", "encoder.model=gpt2", path]
        assert expand(words) == words
    assert not asked
    for name, key in (("both", "encoder.first"), ("short", "encoder.first"), ("pinned", "encoder")):
        words = [f"encoder={name}", f"{key}.model=gpt2", path]
        assert expand(words) == [*words, f"{key}.revision={'0' * 40}"]
