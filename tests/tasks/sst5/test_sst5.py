"""SST-5: trees and sentence files, the model's parts, a whole run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from datasets import Dataset

from elmo_core import Placement
from tasks.formats.treebank import unescape
from tasks.nn.maxout import Maxout
from tasks.nn.pooling import SelfAttentivePooling, masked_min
from tasks.nn.words import WordEmbedding, Words, WordVocabulary
from tasks.smallworld import sentiment
from tasks.sst5.data import read
from tasks.sst5.model import BCN, Sizes
from tasks.sst5.task import SST5
from tasks.sst5.trees import parse
from tasks.task import DataError
from tests.conftest import TINY_ENCODER

GOOD = "(3 (2 (2 The) (2 film)) (3 (3 (2 was) (4 (2 very) (3 good))) (2 .)))"
BAD = r"(1 (2 -LRB-) (1 (1 not) (2 (3 so/very) (2 2 1\/2))))".replace("2 1", "2\xa01")
SHORT = "(0 (1 Bad) (2 .))"


# --- trees


def test_a_tree_gives_words_and_constituents_outside_in() -> None:
    words, found = parse(GOOD + "\n")
    assert words == ["The", "film", "was", "very", "good", "."]
    assert [(c.sentiment, c.start, c.end) for c in found if c.end - c.start > 1] == [
        (3, 0, 6),
        (2, 0, 2),
        (3, 2, 6),
        (3, 2, 5),
        (4, 3, 5),
    ]
    assert len(found) == 5 + 6


def test_words_come_as_they_are_written_elsewhere() -> None:
    assert parse(BAD)[0] == ["(", "not", "so/very", "2\xa01/2"]
    escaped = ["-RRB-", "-lrb-", "``", "''", r"director\/writer", r"\*\*\*", "'s"]
    assert [unescape(word) for word in escaped] == [
        ")",
        "(",
        '"',
        '"',
        "director/writer",
        "***",
        "'s",
    ]


MALFORMED = {
    "not closed": "(2 (2 a) (3 b)",
    "after the end": "(2 (2 a) (3 b)) (2 c)",
    "closed too often": "(2 (2 a) (3 b)))",
    "sentiment 5": "(2 (5 a) (3 b))",
    "no sentiment": "(2 (a) (3 b))",
    "nothing": "()",
    "no words": "(2 (2 ) (3 b))",
    "no bracket": "good film",
    "two words in a leaf": "(2 (2 a b) (3 c))",
    "a word beside a constituent": "(2 (2 a) b)",
    "a constituent beside a word": "(2 a (2 b))",
    "not UTF-8": "(2 (2 \udce9) (2 b))",
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_tree_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    (tmp_path / "dev.txt").write_bytes(f"{GOOD}\n\n{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(DataError, match=r"dev\.txt, line 3: "):
        read(tmp_path, "dev")


# --- files


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    for split in ("train", "dev"):
        (tmp_path / f"{split}.txt").write_text("\n".join([GOOD, "", BAD, SHORT, GOOD]) + "\n")
    return tmp_path


def test_phrases_are_the_longer_constituents_of_training_sentences(
    trees: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "tasks")
    task = SST5(folder=str(trees))
    train, dev = task.load("train"), task.load("dev")
    assert train is not None
    assert dev is not None
    assert task.load("test") is None
    assert train["id"][:] == ["train-1", "train-1-1", "train-3", "train-4", "train-5", "train-5-1"]
    assert train["phrase"][:] == [False, True, False, False, False, True]
    assert train[1]["words"] == ["was", "very", "good", "."]
    assert train["label"][:3] == ["positive", "positive", "negative"]
    assert dev["id"][:] == ["dev-1", "dev-3", "dev-4", "dev-5"]
    assert "train.txt: 4 sentences, and 2 phrases of 4 words or more" in caplog.text
    assert "dev.txt: 4 sentences" in caplog.text
    assert len(SST5(folder=str(trees), min_phrase=3).load("train") or []) == 4 + 5
    (_, *phrases) = list(SST5(folder=str(trees), min_phrase=2).load("train") or [])[:5]
    labels = ["neutral", "positive", "positive", "very positive"]  # their own, not the sentence's
    assert [row["label"] for row in phrases] == labels
    assert len(SST5(folder=str(trees), phrases=False).load("train") or []) == 4


def test_phrases_do_not_make_a_rare_word_known(trees: Path) -> None:
    """A word of one sentence stands for the unknown, however many phrases it is in."""
    (trees / "train.txt").write_text(f"{GOOD.replace('good', 'rare')}\n{BAD}\n{SHORT}\n")
    task = SST5(folder=str(trees))
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    assert task.vocabulary()["words"] == ["."]


def test_words_of_phrases_are_known_where_their_sentence_is_not_drawn(trees: Path) -> None:
    task = SST5(folder=str(trees))
    train = task.load("train")
    assert train is not None
    whole = task.count_words(train)
    assert whole == task.count_words(train.filter(lambda row: not row["phrase"]))
    phrases = train.filter(lambda row: row["phrase"])
    assert task.count_words(phrases) == {"was": 2, "very": 2, "good": 2, ".": 2}
    assert task.yardsticks(phrases, train)["majority class"] > 0
    task.prepare(phrases)
    assert set(task.vocabulary()["words"]) == {"was", "very", "good", "."}


def test_the_majority_is_that_of_sentences() -> None:
    """Most phrases are neutral; what is scored is not."""
    train = Dataset.from_list(
        [{"label": "neutral", "phrase": True}] * 3 + [{"label": "positive", "phrase": False}]
    )
    dev = Dataset.from_dict({"label": ["positive", "negative"]})
    assert SST5().yardsticks(train, dev) == {"majority class": 50.0}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_sentence_files_say_that_they_hold_no_phrases(
    suffix: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [
        {"text": "The film\twas `` good '' .", "label": 3, "label_text": "positive"},
        {"text": "-lrb- not so\\/very", "label": 0, "label_text": "very negative"},
    ]
    if suffix == "jsonl":
        (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        Dataset.from_list(rows).to_parquet(str(tmp_path / "train.parquet"))
    found = read(tmp_path, "train", min_phrase=4)
    assert found is not None
    assert found["words"][:] == [
        ["The", "film", "was", '"', "good", '"', "."],
        ["(", "not", "so/very"],
    ]
    assert found["label"][:] == ["positive", "very negative"]
    assert "2 sentences; such a file holds no phrases" in caplog.text


@pytest.mark.parametrize(
    ("texts", "warned"),
    [(["I loved it!", "So-so.", "fine"], True), (["it !", "so ...", "it."], False)],
)
def test_untokenised_sentences_are_warned_of(
    texts: list[str], warned: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [json.dumps({"text": text, "label": 4}) for text in texts]
    (tmp_path / "dev.jsonl").write_text("\n".join(rows))
    read(tmp_path, "dev")
    assert ("2 of 3 texts end in a word such as 'it!'" in caplog.text) == warned


@pytest.mark.parametrize(
    "row",
    [
        {"text": "", "label": 1},
        {"label": 1},
        {"text": "a", "label": 5},
        {"text": "a", "label": True},
        {"text": "a"},
    ],
)
def test_a_malformed_row_is_refused_with_its_line(row: dict[str, object], tmp_path: Path) -> None:
    good = json.dumps({"text": "a", "label": 1})
    (tmp_path / "dev.jsonl").write_text(f"{good}\n{json.dumps(row)}\n")
    with pytest.raises(DataError, match=r"dev\.jsonl, line 2: "):
        read(tmp_path, "dev")


def test_missing_files_and_unknown_choices_are_told() -> None:
    with pytest.raises(ValueError, match=r"relu or maxout"):
        SST5(output="linear")
    with pytest.raises(DataError, match=r"data\.dir=FOLDER"):
        _ = SST5(data="glue").folder


# --- the model


def test_pooling_and_maxout_against_loops() -> None:
    torch.manual_seed(0)
    x, lengths = torch.randn(3, 5, 4), [3, 5, 1]
    mask = torch.arange(5) < torch.tensor(lengths).unsqueeze(1)
    attentive, maxout = SelfAttentivePooling(4), Maxout(4, 3, pool=2)
    for i, n in enumerate(lengths):
        assert torch.allclose(masked_min(x, mask)[i], x[i, :n].amin(0))
        weights = torch.stack([attentive.score(x[i, t]) for t in range(n)]).softmax(0)
        expected = sum(w * x[i, t] for t, w in enumerate(weights))
        assert torch.allclose(attentive(x, mask)[i], expected, atol=1e-6)
    every = maxout.linear(x)
    for unit in range(3):
        assert torch.equal(maxout(x)[..., unit], every[..., 2 * unit : 2 * unit + 2].amax(-1))


def model(where: str, output: str = "relu") -> BCN:
    torch.manual_seed(0)
    words = WordEmbedding(Words(WordVocabulary("abcdefgh"), 5))
    return BCN(words, Placement(where, 3, 4), Sizes(hidden=7, output=output), labels=5)


@pytest.mark.parametrize(
    ("where", "input_dim", "pooled"),
    [("none", 5, 14), ("input", 9, 14), ("output", 5, 18), ("input+output", 9, 18)],
)
def test_sizes_follow_the_placement(where: str, input_dim: int, pooled: int) -> None:
    built = model(where)
    assert built.feedforward[1].in_features == input_dim
    assert built.integrator.rnn.input_size == 3 * 14
    linear = [m for m in built.classifier if isinstance(m, torch.nn.Linear)]
    assert [m.in_features for m in linear] == [4 * pooled, 28, 14]
    assert linear[-1].out_features == 5


def test_the_final_network_is_relu_or_maxout() -> None:
    kinds = [type(layer).__name__ for layer in model("none").classifier]
    assert kinds == ["Dropout", "Linear", "ReLU", "Dropout", "Linear", "ReLU", "Dropout", "Linear"]
    kinds = [type(layer).__name__ for layer in model("none", "maxout").classifier]
    assert kinds == ["Dropout", "Maxout"] * 3


# --- a whole run


def test_builtin_run_end_to_end(bench: Callable[..., int], tmp_path: Path) -> None:
    arguments = (
        "task=sst5",
        "task.hidden=8",
        "task.word_dim=8",
        "task.min_phrase=8",
        "task.output=maxout",
        "training.max_epochs=1",
        "trainer=cpu",
        f"paths.runs={tmp_path}",
    )
    assert bench(*arguments, *TINY_ENCODER) == 0
    (folder,) = tmp_path.glob("sst5/*")
    result = json.loads((folder / "result.json").read_text())
    assert result["status"] == "finished"
    assert set(result["mix"]) == {"input", "output"}
    assert result["counts"]["test"] == sentiment.SIZES["test"]
    assert result["counts"]["train"] > sentiment.SIZES["train"]
    assert result["yardsticks"]["dev"]["majority class"] == pytest.approx(27)
    assert "phrases of 8 words or more" in (folder / "run.log").read_text()
