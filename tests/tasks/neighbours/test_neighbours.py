"""Nearest uses of a word: which words are asked, what is found, whole runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bench.predict import Predictor
from elmo_core import Placement
from tasks.neighbours.task import Neighbours

TRAIN = ["We/PRP play/VB .", "The/DT play/NN ended/VBD", "A/DT play/NN , we/PRP play/VBP it/PRP"]
DEV = ["They/PRP play/VB it/PRP", "A/DT long/JJ play/NN", "We/PRP sang/VBD"]


def conllu(sentences: list[str]) -> str:
    """Of words with their tags; a word without one is its own."""
    lines = []
    for sentence in sentences:
        for number, pair in enumerate(sentence.split(), start=1):
            word, _, tag = pair.partition("/")
            lines.append("\t".join((str(number), word, "_", "X", tag or word, *"_____")))
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.conllu").write_text(conllu(TRAIN))
    (tmp_path / "dev.conllu").write_text(conllu(DEV))
    return tmp_path


@pytest.fixture
def prepared(folder: Path) -> Callable[..., tuple[Neighbours, list[dict], list[dict]]]:
    def make(**sizes: int) -> tuple[Neighbours, list[dict], list[dict]]:
        task = Neighbours(data="open", folder=str(folder), **sizes)
        train, dev = task.load("train"), task.load("dev")
        assert train is not None
        assert dev is not None
        task.prepare(train)
        return task, list(train), list(dev)

    return make


def test_tags_of_other_data_are_compared(prepared: Callable) -> None:
    task, _, dev = prepared()
    assert {*task.label_names} >= {"VB", "NN", "DT"}
    assert [{*task.gold_labels(example)} for example in dev] == [{"VB"}, {"NN"}, set()]
    again = Neighbours()
    again.restore(task.vocabulary())
    assert again.label_names == task.label_names


def test_train_without_a_word_of_several_tags_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for split in ("train", "dev"):
        (tmp_path / f"{split}.conllu").write_text(conllu(DEV[1:]))
    task = Neighbours(folder=tmp_path)
    task.prepare(task.load("train"))
    assert "nothing is asked" in caplog.text


def one_hot(*rows: list[int]) -> torch.Tensor:
    """(sentences, 1 layer, tokens, 4): each token's vector is the unit vector of this number."""
    return torch.stack([torch.eye(4)[torch.tensor(row)] for row in rows]).unsqueeze(1)


def test_a_word_takes_the_tag_of_its_nearest_use(prepared: Callable) -> None:
    task, train, dev = prepared()
    assert [use.context for use in task.all] == [
        "We *play* .",
        "The *play* ended",
        "A *play* , we play it",
        "A play , we *play* it",
    ]
    model = task.model(Placement("input", 1, 4, choice=0, dropout=0.9))
    layers = one_hot([0, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 2, 0, 0, 3, 0])
    model.train()(task.collate(train), layers)
    asked = one_hot([0, 3, 0], [0, 0, 2], [0, 0, 0])
    model.eval()
    with torch.no_grad():
        rows = task.predict(model(task.collate(dev), asked), dev)
    assert [row["prediction"] for row in rows] == [["VBP"], ["NN"], []]
    assert [row["gold"] for row in rows] == [["VB"], ["NN"], []]
    assert rows[0]["contexts"] == ["They *play* it"]
    assert rows[0]["neighbours"] == ["A play , we *play* it"]
    assert rows[0]["similarity"] == pytest.approx([1.0])
    assert task.score(rows)["accuracy"] == 50


def test_without_an_encoder_the_usual_tag(prepared: Callable) -> None:
    task, train, dev = prepared()
    rows = task.predict(task.model(Placement("none", 0, 0))(task.collate(dev), None), dev)
    assert [row["prediction"] for row in rows] == [["NN"], ["NN"], []]
    assert rows[0]["neighbours"] == rows[0]["similarity"] == [None]
    # "play" is NN twice, VB once, VBP once
    expected = {"usual tag of the word": 50, "any use": (25 + 50) / 2}
    assert task.yardsticks(train, dev) == pytest.approx(expected)
    assert task.score(rows[2:]) == {"accuracy": 0.0}  # its sentence asks for no word


def test_the_first_uses_are_kept(prepared: Callable) -> None:
    task, train, _ = prepared(uses=2)
    assert [use.tag for use in task.all] == ["VB", "NN"]
    model = task.model(Placement("input", 1, 4, choice=0, dropout=0.0)).train()
    rows = [0, 1, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [0, 2, 0, 0, 3, 0]
    model(task.collate(train), one_hot(*rows))
    assert torch.equal(model.vectors, torch.eye(4)[1:3])
    with pytest.raises(ValueError, match="uses=0: must be a whole number from 1"):
        Neighbours(uses=0)
    with pytest.raises(ValueError, match="tags=pos: unknown"):
        Neighbours(tags="pos")


def test_the_experiment(
    bench: Callable[..., int], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column a layer, beside the usual tag; each run says which uses were nearest, and its head
    does so for new text."""
    rows = ("~experiment.rows.CoVe", "~experiment.rows.random")
    words = (f"data.dir={folder}", f"paths.runs={tmp_path / 'runs'}", "trainer=cpu")
    assert bench("experiment=neighbours", *rows, *words) == 0
    assert "Whose nearest uses of a word are alike" in capsys.readouterr().out
    made = {}
    for path in (tmp_path / "runs").glob("neighbours/*/result.json"):
        record = json.loads(path.read_text())
        made[record["elmo"].get("layers", "usual tag")] = path.parent
    assert set(made) == {"usual tag", "0", "1", "2", "mean"}
    lines = (made["1"] / "predictions.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    (again,) = Predictor(made["1"])([(1, json.dumps({"tokens": ["They", "play", "it"]}))])
    assert again["neighbours"] == first["neighbours"]
    assert again["neighbours"][0] in {use.context for use in Predictor(made["1"]).task.all}
