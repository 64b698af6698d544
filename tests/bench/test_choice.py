"""What makes two runs the same run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from omegaconf import DictConfig

from bench.choice import Choice
from bench.errors import ConfigError
from bench.overrides import composed
from bench.run import trust
from bench.run.record import Record
from tasks import smallworld

Configured = Callable[..., DictConfig]


def same(configured: Configured, one: list[str], other: list[str]) -> bool:
    first, second = (Choice.of(configured("task=snli", *words)) for words in (one, other))
    return first.run_id == second.run_id


def test_numbers_count_not_their_spelling(configured: Configured) -> None:
    assert same(configured, ["elmo.l2=0"], ["elmo.l2=0.0"])
    assert same(configured, ["task.dropout=0"], ["task.dropout=0.0"])
    assert same(configured, ["elmo.layers=0"], ["elmo.layers='0'"])
    assert not same(configured, ["elmo.l2=0"], ["elmo.l2=0.001"])


def test_what_does_not_change_the_numbers_does_not_count(configured: Configured) -> None:
    for other in (
        "paths.runs=x",
        "logger=csv",
        "force=true",
        "trainer=cpu",
        "trainer.devices=auto",
    ):
        assert same(configured, [], [other])
    for other in ("seed=2", "training.batch_size=8", "word_vectors=x", "data.dir=x"):
        assert not same(configured, [], [other])


def test_without_elmo_the_encoder_and_the_mix_do_not_count(configured: Configured) -> None:
    none = "elmo.placement=none"
    for other in ("elmo.l2=1", "elmo.layers=top", "encoder=elmo-small", "elmo.dropout=0.1"):
        assert same(configured, [none], [none, other])
        assert not same(configured, [], [other])


def test_word_dropout_counts_where_words_are_learned(configured: Configured) -> None:
    """And a run without it has the id that it had before there was the key."""
    assert "word_dropout" not in Choice.of(configured("task=snli")).values
    assert not same(configured, [], ["word_dropout=0.3"])
    file = "word_vectors=x"
    assert same(configured, [file], [file, "word_dropout=0.3"])


def test_without_weights_to_learn_their_penalty_does_not_count(configured: Configured) -> None:
    assert same(configured, ["elmo.layers=top"], ["elmo.layers=top", "elmo.l2=1"])


def test_builtin_data_of_another_version_is_another_run(configured: Configured) -> None:
    for task in ("snli", "srl"):
        assert configured("data=mini", f"task={task}").data.version == smallworld.version(task)
    assert not same(configured, ["data=mini"], ["data=mini", "data.version=0"])


def test_other_data_have_no_version() -> None:
    with pytest.raises(ConfigError, match=r"data\.version=3: must be left out"):
        composed(["task=snli", "data=open", "data.version=3"])


def test_builtin_data_of_another_version_is_read_of_but_not_run(
    configured: Configured, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=f"data.version=3: must be {smallworld.version('snli')}"):
        composed(["task=snli", "data=mini", "data.version=3"])
    Record(tmp_path).write_config(configured("task=snli", "data.version=3"))
    assert trust.read(tmp_path / "config.yaml").data.version == 3


def test_processes_that_share_the_steps_count(configured: Configured) -> None:
    cpu = ["trainer=cpu"]
    assert not same(configured, cpu, [*cpu, "trainer.devices=2"])
    assert not same(configured, [*cpu, "trainer.devices=2"], [*cpu, "trainer.devices=4"])
    for one in ("1", "auto"):
        assert same(configured, cpu, [*cpu, f"trainer.devices={one}"])
    named = ["trainer=gpu", "trainer.devices='1,3'"]
    assert same(configured, ["trainer=ddp", "trainer.devices=2"], named)
    assert Choice.of(configured(*named)).values["trainer"]["world_size"] == 2


def test_the_order_of_encoders_side_by_side_counts(configured: Configured) -> None:
    parts = [f"+encoder@encoder.{name}=random" for name in ("third", "fourth")]
    assert not same(configured, ["encoder=concat", *parts], ["encoder=concat", *parts[::-1]])


def test_choice_is_resolved(configured: Configured) -> None:
    chosen = Choice.of(configured("task=snli", "data=mini")).values
    assert chosen["training"]["max_epochs"] == 40
    assert chosen["elmo"]["l2"] == 0.001


def test_a_choice_of_fewer_epochs_has_the_id_of_its_run(configured: Configured) -> None:
    words = ("task=snli", "elmo.placement=input")
    asked = Choice.of(configured(*words, "training.max_epochs=4"))
    shorter = [Choice.of(configured(*words, f"training.max_epochs={n}")) for n in (3, 2, 1)]
    assert list(asked.shorter()) == [each.run_id for each in shorter]
    elsewhere = [replace(each, content="bytes of the data") for each in (asked, *shorter)]
    assert list(elsewhere[0].shorter()) == [each.run_id for each in elsewhere[1:]]


@pytest.mark.parametrize("name", ["my/task", ".mine", "..", "2024", "null"])
def test_a_task_is_called_as_a_folder_may_be(name: str) -> None:
    with pytest.raises(ConfigError, match=r"task\.name=.*a name that a folder may have"):
        composed([f"task.name={name}"])
