"""Parts of speech: both file formats, the score, the probe."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bench.predict import Predictor
from elmo_core import Placement
from tasks.formats.tagged import SECTIONS, UPOS, XPOS, locate, read
from tasks.pos.model import IGNORED
from tasks.pos.task import POS
from tasks.scoring.tagging import counts, from_counts, score
from tasks.task import DataError

# --- files


def conllu(*rows: tuple[str, str, str, str]) -> str:
    return "".join(
        "\t".join((i, form, "_", upos, xpos, *"_____")) + "\n" for i, form, upos, xpos in rows
    )


SENTENCES = (
    "# sent_id = 1\n"
    + conllu(
        ("1-2", "Don't", "_", "_"),
        ("1", "Do", "AUX", "VB"),
        ("2", "n't", "PART", "RB"),
        ("3", "go", "VERB", "VB"),
        ("3.1", "home", "NOUN", "NN"),
        ("4", ".", "PUNCT", "."),
    )
    + "\n# newdoc id = two\n"
    + conllu(("1", "Rolf", "PROPN", "NNP"), ("2", "sang", "VERB", "VBD"))
)


@pytest.mark.parametrize("name", ["en_ewt-ud-dev.conllu", "dev.conllu"])
@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (XPOS, [["VB", "RB", "VB", "."], ["NNP", "VBD"]]),
        (UPOS, [["AUX", "PART", "VERB", "PUNCT"], ["PROPN", "VERB"]]),
    ],
)
def test_conllu(name: str, tags: str, expected: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / name).write_text(SENTENCES)
    dev = read(tmp_path, "dev", tags)
    assert dev is not None
    assert dev["tokens"][:] == [["Do", "n't", "go", "."], ["Rolf", "sang"]]
    assert dev["tags"][:] == expected
    assert dev["id"][:] == ["dev-1", "dev-2"]
    assert read(tmp_path, "train", tags) is None


def test_two_treebanks_in_one_folder_are_not_mixed(tmp_path: Path) -> None:
    for name in ("en_ewt-ud-train", "en_ewt-ud-dev", "de_pud-ud-test", "en_ewt-ud-test"):
        (tmp_path / f"{name}.conllu").write_text(SENTENCES)
    assert locate(tmp_path, "dev") == [tmp_path / "en_ewt-ud-dev.conllu"]
    with pytest.raises(DataError, match=r"which is test, de_pud-ud-test\.conllu or en_ewt-ud-test"):
        locate(tmp_path, "test")


TREES = r"""
( (S (NP-SBJ (NNP Rolf) (NNP Ek\/eus) )
    (VP (VBD sang)
      (NP (-NONE- *T*-1) ))
    (. .) ))
( (S (NP-SBJ (-NONE- *) )))
( (S (-LRB- -LRB-) (`` ``) (UH Oh) ('' '') (-RRB- -RRB-)))
"""


def test_what_a_mac_leaves_beside_a_file_is_no_treebank(tmp_path: Path) -> None:
    for name in ("en-ud-train.conllu", "._en-ud-train.conllu"):
        (tmp_path / name).write_bytes(b"\0\5\26\7")
    assert [path.name for path in locate(tmp_path, "train")] == ["en-ud-train.conllu"]


def test_the_treebank_s_trees(tmp_path: Path) -> None:
    (tmp_path / "20").mkdir()
    (tmp_path / "20" / "wsj_2000.mrg").write_text(TREES)
    dev = read(tmp_path, "dev", XPOS)
    assert dev is not None
    assert dev["tokens"][:] == [["Rolf", "Ek/eus", "sang", "."], ["(", '"', "Oh", '"', ")"]]
    assert dev["tags"][:] == [["NNP", "NNP", "VBD", "."], ["-LRB-", "``", "UH", "''", "-RRB-"]]
    with pytest.raises(DataError, match=r"wsj_2000\.mrg: the Penn Treebank has .* task\.tags=xpos"):
        read(tmp_path, "dev", UPOS)


def test_sections_are_the_usual_split(tmp_path: Path) -> None:
    folder = tmp_path / "parsed" / "mrg" / "wsj"
    folder.mkdir(parents=True)
    for section in range(25):
        (folder / f"wsj_{section:02}01.mrg").write_text(TREES)
    found = {split: [path.stem[4:6] for path in locate(tmp_path, split)] for split in SECTIONS}
    assert [len(found[split]) for split in ("train", "dev", "test")] == [19, 3, 3]
    assert (found["train"][-1], found["dev"], found["test"][0]) == ("18", ["19", "20", "21"], "22")
    train = read(tmp_path, "train", XPOS)
    assert train is not None
    assert len(train) == 19 * 2


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("dev.conllu", "# a\n1\tgo\tVB\n", r"dev\.conllu, line 2: expected 10 columns, found 3"),
        ("dev.conllu", conllu(("1", "go", "VERB", "_")), r"line 1: no XPOS \(task\.tags=upos"),
        ("dev.conllu", conllu(("1", "go", "VERB", "")), r"line 1: no XPOS \(task\.tags=upos"),
        ("dev.conllu", conllu(("1", "_", "VERB", "VB")), r"dev\.conllu: every word is _"),
        ("wsj_1900.mrg", "(S (NN a)\n (NN b c))\n", r"wsj_1900\.mrg, line 2: malformed tree"),
        ("wsj_1900.mrg", "(S (NN a))\n)\n", r"wsj_1900\.mrg, line 2: malformed tree"),
        ("wsj_1900.mrg", "a (S (NN a))\n", r"wsj_1900\.mrg, line 1: malformed tree"),
        ("wsj_1900.mrg", "(S (NN a) b\n (NN c))\n", r"wsj_1900\.mrg, line 2: malformed tree"),
        ("wsj_1900.mrg", "(S (NN a) b c)\n", r"wsj_1900\.mrg, line 1: malformed tree"),
        ("wsj_1900.mrg", "(S (NN a)) b\n", r"wsj_1900\.mrg: .* or more follows it"),
        ("wsj_1900.mrg", "(S (NN a)\n", r"wsj_1900\.mrg: the last tree is not closed"),
        ("wsj_1900.mrg", "\n", r"wsj_1900\.mrg: no examples left"),
    ],
)
def test_malformed_files_are_refused(name: str, text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=says):
        read(tmp_path, "dev", XPOS)


def test_a_missing_split_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no dev file of pos \(\*-ud-dev\.conllu, .*mrg\)"):
        POS(data="open", folder=str(tmp_path)).load("dev")


# --- score


def test_the_score_is_accuracy_and_the_recall_of_each_tag() -> None:
    gold, pred = [["DT", "NN"], ["NN", "VB"]], [["DT", "NN"], ["VB", "DT"]]
    assert score(gold, pred) == pytest.approx(
        {"accuracy": 50, "recall/DT": 100, "recall/NN": 50, "recall/VB": 0}
    )


def test_counts_add_up_to_the_score() -> None:
    rows = [
        {"gold": ["DT", "NN"], "prediction": ["DT", "NN"]},
        {"gold": ["NN", "VB", "NN"], "prediction": ["VB", "DT", "NN"]},
    ]
    sums = torch.tensor([counts(row) for row in rows]).double().sum(0).numpy()
    expected = score([row["gold"] for row in rows], [row["prediction"] for row in rows])
    assert from_counts(sums) == pytest.approx(expected["accuracy"])


# --- model


@pytest.fixture
def task(tmp_path: Path) -> POS:
    (tmp_path / "train.conllu").write_text(SENTENCES + "\n" + SENTENCES)
    dev = conllu(
        ("1", "Rolf", "PROPN", "NNP"), ("2", "went", "VERB", "VBD"), ("3", "!", "X", "SYM")
    )
    (tmp_path / "dev.conllu").write_text(dev)
    task = POS(data="open", folder=str(tmp_path), word_dim=4)
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    return task


@pytest.mark.parametrize("where", ["none", "input"])
def test_word_dropout_that_no_word_is_there_for_is_told(
    where: str, task: POS, caplog: pytest.LogCaptureFixture
) -> None:
    task.word_dropout = 0.3
    task.model(Placement(where, 3, 5) if where != "none" else Placement("none", 0, 0))
    assert ("change nothing in it" in caplog.text) == (where != "none")


@pytest.mark.parametrize("where", ["input", "output", "input+output"])
def test_the_probe_is_one_linear_layer_on_the_mix(where: str, task: POS) -> None:
    placement = Placement(where, 3, 5, choice=1, dropout=0.0)
    model = task.model(placement)
    names = {name for name, _ in model.named_parameters() if "gamma" not in name}
    assert names == {"linear.weight", "linear.bias"}
    train = task.load("train")
    assert train is not None
    layers = torch.randn(2, 3, 4, 5)
    layers[1, :, 2:] = 0
    output = model(task.collate([train[0], train[1]]), layers)
    x = torch.cat([layers[:, 1]] * len(placement.mixes), dim=2)
    weight, bias = model.linear.weight, model.linear.bias
    assert torch.allclose(output["logits"], x @ weight.T + bias, atol=1e-6)
    probabilities = output["logits"].log_softmax(2)
    index = {tag: i for i, tag in enumerate(task.tags)}
    losses = [
        -probabilities[i, j, index[tag]] for i in range(2) for j, tag in enumerate(train[i]["tags"])
    ]
    assert torch.allclose(output["loss"], torch.stack(losses).mean(), atol=1e-6)


def test_surprisals_are_the_loss_in_bits(task: POS) -> None:
    """Of sentences of different lengths, whose padding takes none."""
    train = task.load("train")
    assert train is not None
    examples = [train[0], train[1]]
    torch.manual_seed(1)
    output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    surprisals = task.surprisals(output, examples)
    assert [len(each) for each in surprisals] == [4, 2]
    mean = sum(map(sum, surprisals)) / 6
    assert mean * math.log(2) == pytest.approx(output["loss"].item())


def test_a_tag_that_training_did_not_show_is_missed(task: POS) -> None:
    dev = task.load("dev")
    assert dev is not None
    examples = [dev[0]]
    output = task.model(Placement("none", 0, 0))(task.collate(examples), None)
    assert torch.isfinite(output["loss"])
    assert (task.collate(examples)["tags"] == IGNORED).tolist() == [[False, False, True]]
    (row,) = task.predict(output, examples)
    assert row["gold"] == ["NNP", "VBD", "SYM"]
    assert set(row["prediction"]) <= set(task.tags) == {"VB", "RB", ".", "NNP", "VBD"}


def test_yardsticks(task: POS) -> None:
    """VB is the commonest tag; of dev's words, training shows Rolf alone."""
    train, dev = task.load("train"), task.load("dev")
    assert train is not None
    assert dev is not None
    found = task.yardsticks(train, dev)
    assert found == pytest.approx({"each word's usual tag": 100 / 3, "commonest tag": 0.0})


def test_unknown_tags_are_refused() -> None:
    with pytest.raises(ValueError, match="tags=pos: unknown"):
        POS(tags="pos")


def test_table6(bench: Callable[..., int], task: POS, tmp_path: Path) -> None:
    """From the files to the records, a column a layer; and a head on new text."""
    rows = ("~experiment.rows.CoVe", "~experiment.rows.random")
    words = ("training.max_epochs=2", f"paths.runs={tmp_path / 'runs'}", "trainer=cpu")
    assert bench("experiment=table6", f"data.dir={tmp_path}", *rows, *words) == 0
    folders = list((tmp_path / "runs").glob("pos/*"))
    assert len(folders) == 5
    predictor = Predictor(str(folders[0]))
    (row,) = predictor([(1, "Rolf sang .")])
    assert predictor.predict({"text": "Rolf sang ."}) == [{**row, "text": "Rolf sang ."}]
    assert len(row["prediction"]) == 3
    assert set(row["prediction"]) <= set(task.tags)


def test_a_probe_in_double_precision_reads_layers_in_float32(task: POS) -> None:
    """As the online code does, outside of a Trainer."""
    train = task.load("train")
    assert train is not None
    model = task.model(Placement("input", 3, 5, dropout=0.0)).double()
    output = model(task.collate([train[0]]), torch.randn(1, 3, len(train[0]["tokens"]), 5))
    assert output["logits"].dtype == torch.double
