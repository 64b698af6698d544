"""A recipe is for one task and one kind of data; the paper's training is everywhere else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from torch import nn, ones

from bench.errors import ConfigError
from bench.overrides import composed
from bench.run.optimizer import optimizer_of

CONF = Path(__file__).parents[2] / "conf"
FOUND = sorted(path.stem for path in CONF.glob("recipe/*_*.yaml"))


@pytest.mark.parametrize("recipe", FOUND)
def test_a_recipe_holds_where_its_name_says(recipe: str) -> None:
    task, _, data = recipe.rpartition("_")
    own = composed([f"task={task}", f"data={data}"]).training
    papers = composed([f"task={task}", "data=paper"]).training
    if data == "mini":  # short runs, whatever the task
        papers.max_epochs, papers.patience = 8, 3
    assert own != papers
    assert composed([f"task={task}", f"data={data}", "recipe=paper"]).training == papers
    assert composed([f"task={task}", "data=paper", f"recipe={recipe}"]).training == own


@pytest.mark.parametrize("recipe", FOUND)
def test_a_recipe_takes_steps(recipe: str) -> None:
    weight = nn.Parameter(ones(2))
    task = recipe.rpartition("_")[0]
    training = composed([f"task={task}", f"recipe={recipe}"]).training
    optimizer = optimizer_of(training.optimizer, [weight])
    weight.sum().backward()
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] == training.optimizer.lr
    assert (weight < 1).all()


@pytest.mark.parametrize("recipe", FOUND)
def test_another_optimizer_inherits_no_key_unsaid(recipe: str) -> None:
    own, task = (
        OmegaConf.load(CONF / f"{name}.yaml").training.get("optimizer", {})
        for name in (f"recipe/{recipe}", f"task/{recipe.rpartition('_')[0]}")
    )
    assert "_target_" not in own or own.keys() >= task.keys()


def test_what_the_command_line_says_comes_first() -> None:
    assert composed(["task=ner", "data=open", "training.patience=3"]).training.patience == 3


def test_a_folder_of_data_is_open_data() -> None:
    words = ["task=ner", "data.dir=somewhere"]
    assert (
        composed(words).training.patience == composed(["task=ner", "data=open"]).training.patience
    )


def test_a_recipe_that_is_named_must_be_there(tmp_path: Path) -> None:
    words = ["task=ner", "data=open"]
    with pytest.raises(ConfigError, match="did you mean 'ner_open'"):
        composed([*words, "recipe=ner_opne"])
    (tmp_path / "recipe").mkdir()
    for name, patience in (("mine", 98), ("pos_open", 99)):
        text = f"# @package _global_\ntraining: {{patience: {patience}}}\n"
        (tmp_path / "recipe" / f"{name}.yaml").write_text(text)
    own = f"hydra.searchpath=[{tmp_path}]"
    assert composed([*words, own, "recipe=mine"]).training.patience == 98
    assert composed(["task=pos", "data=open", own]).training.patience == 99


def test_a_mistyped_recipe_is_told_before_anything_is_shown(
    bench: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("task=ner", "data=open", "recipe=ner_opne", "--cfg", "job") == 2
    assert "did you mean 'ner_open'?" in capsys.readouterr().err


def test_the_guide_names_vectors_of_the_size_that_each_head_has_in_the_paper() -> None:
    guide = (CONF.parent / "docs" / "guide.md").read_text("utf-8")
    named = re.findall(r"rows\.(\w+)\.word_vectors=glove\.\w+\.(\d+)d", guide)
    tasks = OmegaConf.load(CONF / "experiment" / "table1.yaml").rows
    sizes = {task: composed([f"task={task}"]).task.word_dim for task in tasks}
    assert {task: int(dim) for task, dim in named} == sizes
