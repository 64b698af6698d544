"""Word senses: the framework's files and score, the neighbour search, whole runs."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

from bench.predict import Predictor
from elmo_core import Placement
from tasks.data import DataError
from tasks.wsd import corpus
from tasks.wsd.corpus import read_keys, read_sentences
from tasks.wsd.data import first_senses, read
from tasks.wsd.inventory import read_first_senses
from tasks.wsd.model import NONE, SenseAverages, span_means
from tasks.wsd.score import counts, from_counts, score
from tasks.wsd.sources import SOURCES
from tasks.wsd.task import WSD
from tests.conftest import TINY_ENCODER, shared

RIVER, MONEY = "bank%1:17:01::", "bank%1:14:00::"
SAT, TAKE = "sit%2:35:00::", "take_place%2:30:00::"

# --- files


def sentence(name: str, *words: str) -> str:
    """`bank#NOUN=banks` is an instance, its id counted up; anything else a word."""
    lines, number = [f'<sentence id="{name}">'], 0
    for word in words:
        lemma, _, rest = word.partition("#")
        pos, _, form = rest.partition("=")
        if rest:
            mark = f'id="{name}.t{number:03}" lemma="{lemma}" pos="{pos}"'
            lines.append(f"<instance {mark}>{form}</instance>")
            number += 1
        else:
            lines.append(f'<wf lemma="{word}" pos="X">{word}</wf>')
    return "\n".join([*lines, "</sentence>"])


def text(name: str, *sentences: str) -> str:
    return "\n".join([f'<text id="{name}">', *sentences, "</text>"])


def write_set(folder: Path, name: str, texts: list[str], keys: str) -> None:
    inner = folder / name
    inner.mkdir(parents=True)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<corpus lang="en">\n'
    (inner / f"{name}.data.xml").write_text(head + "\n".join(texts) + "\n</corpus>\n")
    (inner / f"{name}.gold.key.txt").write_text(keys)


def write_inventory(folder: Path) -> None:
    lines = [f"{MONEY} 08420278 2 20", f"{RIVER} 09213565 1 25", f"{SAT} 01543123 1 98"]
    lines += ["happen%2:30:00:: 00339934 1 81", "long%5:00:00:tall:00 02385102 3 0"]
    (folder / "index.sense").write_text("\n".join([*lines, "long%3:00:02:: 01437963 1 123"]) + "\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """SemCor of two documents, SemEval-2007, two of the test sets and an inventory."""
    data = tmp_path / "data"
    one = text(
        "d000",
        sentence("d000.s000", "He", "sit#VERB=sat", "on", "the", "bank#NOUN=bank", "of", "it"),
        sentence("d000.s001", "Nothing", "else"),
    )
    two = text(
        "d001", sentence("d001.s000", "The", "bank#NOUN=bank &amp; I", "take_place#VERB=took place")
    )
    keys = f"d000.s000.t000 {SAT}\nd000.s000.t001 {RIVER}\n\nd001.s000.t000 {MONEY} {RIVER}\n"
    write_set(data, "semcor", [one, two], keys + f"d001.s000.t001 {TAKE}\n")
    dev = [text("d000", sentence("d000.s000", "bank#NOUN=Banks", "sit#VERB=sit"))]
    write_set(data, "semeval2007", dev, f"d000.s000.t000 {MONEY}\nd000.s000.t001 {SAT}\n")
    write_set(data, "senseval2", dev, f"d000.s000.t000 {RIVER}\nd000.s000.t001 {SAT}\n")
    rest = [text("d000", sentence("d000.s000", "long#ADJ=Long", "unheard#ADV=unheard"))]
    gold = "d000.s000.t000 long%3:00:02::\nd000.s000.t001 unheard%4:02:00::\n"
    write_set(data, "semeval2015", rest, gold)
    write_inventory(data)
    return data


@pytest.mark.parametrize("chunk", [1 << 16, 7])
def test_the_corpus_is_read_exactly(
    folder: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "CHUNK", chunk)
    train = read(folder, "train")
    assert train is not None
    assert train.to_list() == [
        {
            "id": "semcor.d000.s000",
            "set": "semcor",
            "tokens": ["He", "sat", "on", "the", "bank", "of", "it"],
            "instances": ["d000.s000.t000", "d000.s000.t001"],
            "lemmas": ["sit#v", "bank#n"],
            "spans": [[1, 2], [4, 5]],
            "senses": [[SAT], [RIVER]],
        },
        {
            "id": "semcor.d001.s000",
            "set": "semcor",
            "tokens": ["The", "bank", "&", "I", "took", "place"],
            "instances": ["d001.s000.t000", "d001.s000.t001"],
            "lemmas": ["bank#n", "take_place#v"],
            "spans": [[1, 4], [4, 6]],
            "senses": [[MONEY, RIVER], [TAKE]],
        },
    ]


def test_a_corpus_is_read_as_it_comes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first sentence is there before the last line is: what comes after is not XML."""
    monkeypatch.setattr(corpus, "CHUNK", 64)
    path = folder / "semcor" / "semcor.data.xml"
    path.write_text(path.read_text() + "<")
    sentences = read_sentences(path)
    assert next(sentences).id == "d000.s000"
    with pytest.raises(DataError, match=r"semcor\.data\.xml, line \d+: not XML"):
        list(sentences)


def test_sets_of_a_split_stand_together(folder: Path) -> None:
    test = read(folder, "test")
    assert test is not None
    assert test["set"][:] == ["senseval2", "semeval2015"]
    assert test["id"][:] == ["senseval2.d000.s000", "semeval2015.d000.s000"]
    assert read(folder / "semcor", "dev") is None
    with pytest.raises(DataError, match=r"no dev file of wsd \(semeval2007\.data\.xml\)"):
        WSD(data="open", folder=str(folder / "semcor")).load("dev")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('pos="VERB"', 'pos="V"', r"semcor\.data\.xml, line 6: pos='V' of d000\.s000\.t000"),
        ('lemma="sit" ', "", r"line 6: <instance> without lemma"),
        (">sat<", "> <", r"line 6: <instance> without a word"),
        ('<sentence id="d000.s000">', "", r"line 5: <wf> where none may stand"),
        ("</sentence>", "", r"line 17: not XML \(mismatched tag\)"),
        ("d000.s000.t001", "d9", r"line 9: semcor\.gold\.key\.txt has no senses of d9"),
    ],
)
def test_a_malformed_corpus_is_refused(folder: Path, old: str, new: str, says: str) -> None:
    path = folder / "semcor" / "semcor.data.xml"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=says):
        read(folder, "train")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("d000.s009.t000 x%1:00:00::\n", r"semcor\.gold\.key\.txt has 5 instances, .*xml 4"),
        ("d000.s009.t000\n", r"semcor\.gold\.key\.txt, line 6: no sense of d000\.s009\.t000"),
    ],
)
def test_keys_must_fit_the_corpus(folder: Path, more: str, says: str) -> None:
    path = folder / "semcor" / "semcor.gold.key.txt"
    path.write_text(path.read_text() + more)
    with pytest.raises(DataError, match=says):
        read(folder, "train")


def test_a_corpus_without_keys_is_refused(folder: Path) -> None:
    (folder / "semcor" / "semcor.gold.key.txt").unlink()
    with pytest.raises(DataError, match=r"no file .*semcor\.gold\.key\.txt"):
        read(folder, "train")


def test_keys_of_an_instance_may_stand_on_several_lines(tmp_path: Path) -> None:
    (tmp_path / "x.gold.key.txt").write_text("a one\nb two three\na four\n")
    assert read_keys(tmp_path / "x.gold.key.txt") == {"a": ["one", "four"], "b": ["two", "three"]}


def test_first_senses(folder: Path) -> None:
    """The lowest number wins, whatever the order of the lines; heads and satellites are one."""
    expected = {
        "bank#n": RIVER,
        "sit#v": SAT,
        "happen#v": "happen%2:30:00::",
        "long#a": "long%3:00:02::",
    }
    assert first_senses(folder) == expected
    table = "bank%1:14:00::\tbank\tn\t2\t1-n\nbank%1:17:01::\tbank\tn\t1\t2-n\n"
    (folder / "oewn_senses.tsv").write_text(
        table + ".22_caliber%3:01:00::\t.22 caliber\ta\t1\t3-a\n"
    )
    assert read_first_senses(folder / "oewn_senses.tsv") == {
        "bank#n": RIVER,
        ".22_caliber#a": ".22_caliber%3:01:00::",
    }


@pytest.mark.parametrize("line", ["bank 09213565 1 25", f"{RIVER} 09213565 1", f"{RIVER} 0 x 25"])
def test_a_malformed_inventory_is_refused(folder: Path, line: str) -> None:
    path = folder / "index.sense"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=r"index\.sense, line 7: expected a sense"):
        first_senses(folder)
    path.unlink()
    with pytest.raises(DataError, match=r"no sense inventory \(index\.sense, .*WordNet 3\.0"):
        first_senses(folder)


@pytest.mark.slow
def test_the_real_files(tmp_path: Path) -> None:
    with tarfile.open(shared("data/wsd.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = SOURCES
    dev = source.count(tmp_path, "dev")
    assert dev is not None
    assert dict(dev.counts) == source.counts["dev"]
    assert source.count(tmp_path, "test") is None
    train = source.count(tmp_path, "train")
    assert train is not None
    assert dict(train.counts) == {"sentences": 37_176, "semcor": 234_136}
    examples = read(tmp_path, "dev")
    assert examples is not None
    first = first_senses(tmp_path)
    answers = [[first[lemma]] for row in examples for lemma in row["lemmas"] if lemma in first]
    assert len(answers) == 455


# --- score

GOLD = [["a"], ["b", "c"], ["d"], ["e"]]


@pytest.mark.parametrize(
    ("answers", "precision", "recall", "f1"),
    [
        ([["a"], ["c"], ["x"], ["x"]], 50, 50, 50),
        ([["a"], ["b"], [], []], 100, 50, 200 / 3),
        (
            [["a", "x"], ["b", "c"], ["d", "x", "y"], []],
            100 * (11 / 6) / 3,
            100 * (11 / 6) / 4,
            None,
        ),
        ([[], [], [], []], 0, 0, 0),
        ([["a", "a"], ["b"], ["d"], ["e"]], 100, 100, 100),
    ],
)
def test_score_is_the_official_one(
    answers: list[list[str]], precision: float, recall: float, f1: float | None
) -> None:
    """By hand, after the framework's Scorer: answers to one instance share its point."""
    found = score(GOLD, answers, ["s"] * 4)
    harmonic = 2 * precision * recall / (precision + recall) if precision else 0
    assert found["precision"] == pytest.approx(precision)
    assert found["recall"] == pytest.approx(recall)
    assert found["f1"] == pytest.approx(harmonic if f1 is None else f1)


def test_each_set_and_the_whole() -> None:
    """The whole is over all instances, not the mean of the sets."""
    found = score(GOLD, [["a"], ["b"], ["d"], []], ["one", "one", "one", "two"])
    assert found["f1/one"] == pytest.approx(100)
    assert found["recall/two"] == found["f1/two"] == 0
    assert (found["precision"], found["recall"]) == (100, 75)
    assert found["f1"] == pytest.approx(2 * 100 * 75 / 175)


def test_counts_add_up_to_the_score() -> None:
    answers = [["a", "x"], ["c"], [], ["e"]]
    rows = [
        {"gold": GOLD[:1], "prediction": answers[:1]},
        {"gold": GOLD[1:], "prediction": answers[1:]},
    ]
    sums = torch.tensor([counts(row) for row in rows]).double().sum(0).numpy()
    assert from_counts(sums) == pytest.approx(score(GOLD, answers, ["s"] * 4)["f1"])


# --- averages and neighbours


def brute_force(vector: Tensor, sums: Tensor, candidates: list[int]) -> tuple[int, float]:
    best = max(candidates, key=lambda sense: float(F.cosine_similarity(vector, sums[sense], dim=0)))
    return best, float(F.cosine_similarity(vector, sums[best], dim=0))


def test_the_search_equals_brute_force() -> None:
    torch.manual_seed(0)
    model = SenseAverages(Placement("input", 3, 8), 40)
    model.sums.copy_(torch.randn(40, 8) * torch.rand(40, 1) * 100)
    model.counts.copy_(torch.rand(40) < 0.8)
    vectors = torch.randn(60, 8)
    rows = [torch.randperm(40)[: i % 9].tolist() for i in range(60)]
    candidates = torch.tensor([row + [NONE] * (9 - len(row)) for row in rows])
    nearest, cosines = model.search(vectors, candidates)
    answered = 0
    for vector, row, sense, cosine in zip(vectors, rows, nearest, cosines, strict=True):
        known = [one for one in row if model.counts[one]]
        if not known:
            assert (sense, cosine) == (NONE, 0)
            continue
        best, similarity = brute_force(vector, model.sums, known)
        assert sense == best
        assert cosine == pytest.approx(similarity, abs=1e-5)
        answered += 1
    assert answered > 40


def test_span_means() -> None:
    x = torch.randn(2, 5, 3)
    spans = torch.tensor([[[0, 1], [1, 4]], [[2, 5], [0, 0]]])
    expected = torch.stack(
        [
            torch.stack([x[0, 0], x[0, 1:4].mean(0)]),
            torch.stack([x[1, 2:].mean(0), torch.zeros(3)]),
        ]
    )
    assert torch.allclose(span_means(x, spans), expected, atol=1e-6)


@pytest.fixture
def task(folder: Path) -> WSD:
    task = WSD(data="open", folder=str(folder))
    train = task.load("train")
    assert train is not None
    task.prepare(train)
    return task


def trained(task: WSD, batches: list[list[int]], layers: Tensor) -> SenseAverages:
    train = task.load("train")
    assert train is not None
    model = task.model(Placement("input", 3, 6, choice="all", dropout=0.0))
    assert isinstance(model, SenseAverages)
    for batch in batches:
        examples = [train[i] for i in batch]
        model(task.collate(examples), layers[batch][:, :, : max(map(task.size, examples))])
    return model.eval()


def test_averages_of_senses(task: WSD) -> None:
    """Nothing is learned: the mix is the mean. Two keys: the vector counts for both."""
    layers = torch.randn(2, 3, 7, 6)
    layers[1, :, 6:] = 0
    x = layers.mean(1)
    money = x[1, 1:4].mean(0)
    expected = {SAT: x[0, 1], RIVER: x[0, 4] + money, MONEY: money, TAKE: x[1, 4:].sum(0) / 2}
    for batches in ([[0, 1]], [[0], [1]], [[1], [0]]):
        model = trained(task, batches, layers)
        assert not any(p.requires_grad for p in model.parameters())
        for key, vector in expected.items():
            assert torch.allclose(model.sums[task.keys.index(key)], vector, atol=1e-6), key
        assert model.counts[task.keys.index(RIVER)] == 2


def test_half_precision_changes_nothing(task: WSD) -> None:
    layers = torch.randn(2, 3, 7, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = trained(task, [[0, 1]], layers)
    assert torch.equal(half.sums, trained(task, [[0, 1]], layers).sums)


def test_evaluation_adds_nothing(task: WSD) -> None:
    layers = torch.randn(2, 3, 7, 6)
    model = trained(task, [[0, 1]], layers)
    before = model.sums.clone()
    dev = task.load("dev")
    assert dev is not None
    model(task.collate([dev[0]]), torch.randn(1, 3, 2, 6))
    assert torch.equal(model.sums, before)


def test_instances_take_the_nearest_sense_or_the_first(task: WSD) -> None:
    """A lemma that training did not show: the inventory's first sense, or no answer."""
    layers = torch.randn(2, 3, 7, 6)
    model = trained(task, [[0, 1]], layers)
    test = task.load("test")
    assert test is not None
    examples = [test[0], test[1]]
    given = torch.zeros(2, 3, 2, 6)
    given[0, :, 0] = 5 * model.sums[task.keys.index(MONEY)]
    output = model(task.collate(examples), given)
    rows = task.predict(output, examples)
    assert [row["prediction"] for row in rows] == [[[MONEY], [SAT]], [["long%3:00:02::"], []]]
    assert rows[0]["similarity"][0] == pytest.approx(1, abs=1e-5)
    assert rows[1]["similarity"] == [None, None]
    found = task.score(rows)
    assert found["precision"] == pytest.approx(200 / 3)
    assert found["recall"] == found["f1/senseval2"] == pytest.approx(50)


def test_without_an_encoder_all_take_the_first_sense(task: WSD) -> None:
    dev, train = task.load("dev"), task.load("train")
    assert dev is not None
    assert train is not None
    model = task.model(Placement("none", 0, 0))
    model(task.collate([train[0], train[1]]), None)
    rows = task.predict(model.eval()(task.collate([dev[0]]), None), [dev[0]])
    assert rows[0]["prediction"] == [[RIVER], [SAT]]


def test_yardsticks(task: WSD) -> None:
    """Of bank, the river is the first sense, and the more frequent one; sit has one sense."""
    train, test = task.load("train"), task.load("test")
    assert train is not None
    assert test is not None
    found = task.yardsticks(train, test)
    expected = score(
        [senses for row in test for senses in row["senses"]],
        [[RIVER], [SAT], ["long%3:00:02::"], []],
        ["s"] * 4,
    )["f1"]
    assert found == pytest.approx(dict.fromkeys(("first sense", "most frequent sense"), expected))


def test_new_text_says_what_is_wrong(task: WSD) -> None:
    found = task.parse(
        {"text": "He took a long walk", "word": "took", "pos": "VERB", "lemma": "take"}
    )
    assert (found["lemmas"], found["spans"]) == (["take#v"], [[1, 2]])
    for given, says in (
        ({"text": "He took", "pos": "VERB", "word": "take"}, "word: 'take' is neither"),
        ({"text": "He took", "pos": "V", "word": 1}, "pos: 'V' is unknown"),
        ({"text": "He took", "word": 1}, "needs the field 'pos'"),
    ):
        with pytest.raises(DataError, match=says):
            task.parse(given)


# --- whole runs


@pytest.fixture
def run(bench: Callable[..., int], folder: Path, tmp_path: Path) -> Callable[..., Path]:
    def call(*arguments: str) -> Path:
        words = ("task=wsd", f"data.dir={folder}", f"paths.runs={tmp_path / 'runs'}", "trainer=cpu")
        assert bench(*words, *TINY_ENCODER, *arguments) == 0
        (made,) = (tmp_path / "runs").glob("wsd/*")
        return made

    return call


def test_a_run_is_one_pass(
    run: Callable[..., Path], task: WSD, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many epochs are allowed, no instance is counted twice; the head answers as the run
    did."""
    made = run("elmo.layers=1", "training.max_epochs=3", "training.batch_size=1", "logger=csv")
    result: dict[str, Any] = json.loads((made / "result.json").read_text())
    assert result["epochs"] == 1
    assert result["counts"]["trainable_parameters"] == 0
    assert not {"train_loss", "lr"} & set(result["history"][0])
    assert {"f1/senseval2", "f1/semeval2015", "precision"} <= set(result["metrics"]["test"])
    assert set(result["yardsticks"]["test"]) == {"first sense", "most frequent sense"}
    assert load_file(made / "head.safetensors")["counts"].sum() == 5
    assert "epoch 1: dev f1" in capsys.readouterr().err
    lines = (made / "predictions.jsonl").read_text().splitlines()
    (dev,) = (row for row in map(json.loads, lines) if row["split"] == "dev")
    given = {"tokens": dev["tokens"], "word": 0, "pos": "NOUN", "lemma": "bank"}
    (row,) = Predictor(made)([(1, json.dumps(given))])
    assert row["prediction"] == dev["prediction"][:1]
    assert row["similarity"] == pytest.approx(dev["similarity"][:1], abs=1e-5)


def test_table5(
    bench: Callable[..., int], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As its file says: rows can be left out; a column a layer, beside the first sense."""
    rows = ("~experiment.rows.CoVe", "~experiment.rows.random")
    words = (f"data.dir={folder}", f"paths.runs={tmp_path / 'runs'}", "trainer=cpu")
    assert bench("experiment=table5", *rows, *words) == 0
    made = [json.loads(p.read_text()) for p in (tmp_path / "runs").glob("wsd/*/result.json")]
    found = {r["elmo"].get("layers", "first sense"): r["primary"]["value"] for r in made}
    assert set(found) == {"first sense", "0", "1", "2", "mean"}
    yardsticks = {r["yardsticks"]["test"]["first sense"] for r in made}
    assert yardsticks == {found["first sense"]}
    assert "Which layer knows word senses" in capsys.readouterr().out


def test_several_processes_are_refused(
    bench: Callable[..., int], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("task=wsd", f"data.dir={folder}", f"paths.runs={tmp_path / 'runs'}")
    several = ("trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2")
    assert bench(*words, *TINY_ENCODER, *several) == 2
    assert "trainer.devices: must be 1" in capsys.readouterr().err
