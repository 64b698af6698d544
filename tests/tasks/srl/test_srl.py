"""SRL: official scores, every file format, malformed files, decoding, a whole run."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from omegaconf import DictConfig

from bench.evaluate.labels import check
from elmo_core import Placement
from tasks.smallworld import roles
from tasks.smallworld.document import Argument, Document, Predication, Sentence
from tasks.smallworld.lexicon import Lexicon
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story
from tasks.srl.data import read
from tasks.srl.score import arguments, score
from tasks.srl.task import SRL
from tasks.task import DataError
from tests.conftest import TINY_ENCODER, shared

WORDS = ["Ann", "gave", "up", "what", "she", "made", "."]
BRACKETS = {
    1: ("give", ["(ARG0*)", "(V*)", "(C-V*)", "(ARG1*", "*", "*)", "*"]),
    5: ("make", ["*", "*", "*", "(R-ARG1*)", "(ARG0*)", "(V*)", "*"]),
}
TAGS = [
    ["B-ARG0", "B-V", "B-C-V", "B-ARG1", "I-ARG1", "I-ARG1", "O"],
    ["O", "O", "O", "B-R-ARG1", "B-ARG0", "B-V", "O"],
]


def test_scores_equal_the_official_ones() -> None:
    cases = shared("scorers/srl.jsonl").read_text(encoding="utf-8").splitlines()
    assert cases
    for line in cases:
        case = json.loads(line)
        ours, official = score(case["sentences"]), case["official"]
        tables = [("", ours, official)]
        for part in ("per_label", "excluded"):
            theirs = official.get(part, {})
            assert ours[part].keys() == theirs.keys(), case["id"]
            tables += [(role, ours[part][role], theirs[role]) for role in theirs]
        for role, mine, theirs in tables:
            for name in ("precision", "recall", "f1"):
                assert mine[name] == pytest.approx(theirs[name], abs=1e-4), (case["id"], role)


def test_a_renamed_role_takes_its_pieces_with_it() -> None:
    gold = ["B-ARG1", "B-V", "B-C-ARG1"]
    row = {"gold": gold, "prediction": ["B-ARG2", "B-V", "B-C-ARG2"]}
    task = SRL()
    assert task.renamed(row, {"ARG2": "ARG1"}) == {"gold": gold, "prediction": gold}
    assert task.renamed(row, {"ARG1": "O"})["gold"] == ["O", "B-V", "O"]
    task.roles, task.tags = ["ARG1", "C-ARG1", "V"], ["O"]
    check(task, [{"tags": ["B-A1", "B-V", "B-C-A1"]}], {"A1": "ARG1"})
    check(task, [{"tags": ["B-A1", "B-V", "B-C-A1"]}], {"A1": "O"})
    kept = task.renamed(row, {"ARG1": "X", "C-ARG1": "C-Y"})
    assert kept["gold"] == ["B-X", "B-V", "B-C-Y"]


def test_a_proposition_that_gold_lacks_is_skipped() -> None:
    """As srl-eval.pl does; one that the prediction lacks is missed with all its arguments."""
    right = {"gold": ["B-V", "B-A1"], "pred": ["B-V", "B-A1"]}
    invented = {"gold": None, "pred": ["B-A0", "B-V"]}
    missed = {"gold": ["B-A0", "B-V"], "pred": None}
    assert score([{"propositions": [right, invented]}]) == score([{"propositions": [right]}])
    found = score([{"propositions": [right, invented, missed]}])
    assert (found["precision"], found["recall"]) == (100, 50)


def test_continuations() -> None:
    assert arguments(["B-A1", "B-C-A1", "O", "B-A1", "I-A1", "B-C-A1"]) == [
        ("A1", ((0, 1), (1, 2))),
        ("A1", ((3, 5), (5, 6))),
    ]
    orphan = ["O", "B-C-A1", "O", "I-C-A1", "B-R-A1"]
    assert arguments(orphan) == [("A1", ((1, 2), (3, 4))), ("R-A1", ((4, 5),))]


Cells = Callable[[int, str, str], list[str]]


def lines(before: Cells, after: str = "") -> Iterator[str]:
    """A sentence with both predicates, then one without any."""
    for i, word in enumerate(WORDS):
        lemma = BRACKETS[i][0] if i in BRACKETS else "-"
        brackets = [cells[i] for _, cells in BRACKETS.values()]
        yield "\t".join([*before(i, word, lemma), *brackets, after]).strip()
    yield ""
    yield "\t".join([*before(0, "Indeed", "-"), after]).strip()
    yield ""


def propbank(folder: Path) -> Path:
    def before(i: int, word: str, lemma: str) -> list[str]:
        return ["doc", "0", str(i), word, "XX", "*", lemma, lemma if lemma == "-" else f"{lemma}.1"]

    path = folder / "dev.tsv"
    path.write_text("\n".join(lines(before)), encoding="utf-8")
    return path


def conll_2005(folder: Path) -> Path:
    def before(i: int, word: str, lemma: str) -> list[str]:
        return [word, "*", "XX", "*", "*", "*", lemma if lemma == "-" else "01", lemma]

    path = folder / "dev-set.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines(before)).replace("\t", "   "))
    return path


def conll_2012(folder: Path) -> Path:
    """A word with a lemma but no frameset is no predicate."""

    def before(i: int, word: str, lemma: str) -> list[str]:
        frameset = "-" if lemma == "-" else "01"
        sense = "up" if word == "up" else lemma
        return ["doc", "0", str(i), word, "XX", "*", sense, frameset, "-", "-", "*"]

    path = folder / "data/development/data/english/annotations/doc.v4_gold_conll"
    path.parent.mkdir(parents=True)
    text = "\n".join(lines(before, "(12)"))
    path.write_text(f"#begin document (doc); part 000\n{text}\n#end document\n", encoding="utf-8")
    other = folder / "data/development/data/arabic/annotations/doc.v4_gold_conll"
    other.parent.mkdir(parents=True)
    other.write_text("#begin document (other); part 000\nbroken\n", encoding="utf-8")
    return path


def in_one_file(folder: Path) -> Path:
    return conll_2012(folder).rename(folder / "dev.english.v4_gold_conll")


@pytest.mark.parametrize("write", [propbank, conll_2005, conll_2012, in_one_file])
def test_every_format_reads_the_same(
    write: Callable[[Path], Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "tasks")
    write(tmp_path)
    found = read(tmp_path, "dev")
    assert found is not None
    assert found["words"][:] == [WORDS, WORDS]
    assert found["predicate"][:] == [1, 5]
    assert found["lemma"][:] == ["give", "make"]
    assert found["tags"][:] == TAGS
    assert len(set(found["id"])) == 2
    assert len(set(found["sentence"])) == 1
    assert "2 predicates in 2 sentences; 1 sentences without a predicate" in caplog.text
    warned = "2 sentences, but the dev set of the paper has 15680" in caplog.text
    assert warned == (write in (conll_2012, in_one_file))
    assert read(tmp_path, "train") is None


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("(C-V*)", "C-V*)", 3, "malformed brackets 'C-V*)'"),
        ("(C-V*)", "*)", 3, "closes what was never opened"),
        ("(C-V*)", "(C-V*", 3, "(C-V* is never closed"),
        ("(C-V*)\t*", "(C-V*)", 3, "9 columns, but the sentence begins with 10"),
        ("make.1", "-", 1, "bracket column 1 has no V"),
    ],
)
def test_malformed_files_are_refused_with_file_and_line(
    old: str, new: str, line: int, reason: str, tmp_path: Path
) -> None:
    path = propbank(tmp_path)
    text = path.read_text(encoding="utf-8").replace(old, new)
    path.write_text(text.replace("(V*)", "(Z*)") if new == "-" else text, encoding="utf-8")
    with pytest.raises(DataError) as refusal:
        read(tmp_path, "dev")
    assert f"{path}, line {line}: " in str(refusal.value)
    assert reason in str(refusal.value)


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dev.txt").write_text("just\nwords\n")
    with pytest.raises(DataError, match=r"dev.txt, line 1: not a column file"):
        read(tmp_path, "dev")
    with pytest.raises(DataError, match="no train file of srl"):
        SRL(folder=str(tmp_path)).load("train")


def test_nested_arguments_keep_the_outer_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "tasks")
    path = propbank(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("(ARG1*\t(R-ARG1*)", "(ARG1(ARG2*)\t(R-ARG1*)"), "utf-8")
    found = read(tmp_path, "dev")
    assert found is not None
    assert found[0]["tags"] == TAGS[0]
    assert "1 arguments inside another one left out" in caplog.text


def test_smallworld_writes_what_the_reader_reads(tmp_path: Path) -> None:
    """Two predicates in one sentence, in the order of their words."""
    predications = (
        Predication(5, "make", "make", (Argument(3, 4, "R-ARG1"), Argument(4, 5, "ARG0"))),
        Predication(1, "give", "give", (Argument(0, 1, "ARG0"), Argument(3, 6, "ARG1"))),
    )
    document = Document("d", (Sentence(tuple(WORDS), (), predications),))
    parts = Parts(seed=1)
    parts.update(dict.fromkeys(("train", "dev", "test"), ([Story(document, ())], Lexicon(0.0))))
    roles.write(tmp_path, parts)
    found = read(tmp_path, "test")
    assert found is not None
    assert found["predicate"][:] == [1, 5]
    assert found["tags"][:] == [[*TAGS[0][:2], "O", *TAGS[0][3:]], TAGS[1]]


@pytest.fixture
def task(tmp_path: Path) -> SRL:
    propbank(tmp_path)
    ready = SRL(folder=str(tmp_path), word_dim=5, predicate_dim=3, hidden=7, layers=2)
    examples = ready.load("dev")
    assert examples is not None
    ready.prepare(examples)
    return ready


def test_one_sentence_with_two_predicates_is_one_for_the_encoder(task: SRL) -> None:
    examples = list(task.load("dev") or [])
    assert [task.sentences(example) for example in examples] == [[WORDS], [WORDS]]
    batch = task.collate(examples)
    assert batch["predicate"].tolist() == [[0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0]]
    assert task.roles == ["ARG0", "ARG1", "C-V", "R-ARG1", "V"]
    assert len(task.words.vocabulary) == 2  # every word stands in one sentence, so occurs once


def test_confidence_does_not_know_of_padding_and_given_vectors_are_trained(task: SRL) -> None:
    long, other = task.load("dev") or ()
    short = {**other, "words": other["words"][:6], "tags": other["tags"][:6]}
    model = task.model(Placement("none", 0, 0)).eval()
    task.words.vectors = torch.zeros(len(task.words.vocabulary) - 2, 5)
    assert task.model(Placement("none", 0, 0)).words.table.weight.requires_grad
    together = task.predict(model(task.collate([long, short]), None), [long, short])
    (alone,) = task.predict(model(task.collate([short]), None), [short])
    assert together[1]["confidence"] == pytest.approx(alone["confidence"], rel=1e-5)


def test_a_role_that_training_never_showed_does_not_count_in_the_loss(task: SRL) -> None:
    (example, _) = task.load("dev") or ()
    batch = task.collate([{**example, "tags": ["B-NEW", *example["tags"][1:]]}])
    assert (batch["tags"] < 0).tolist() == [[True] + [False] * 6]
    assert math.isfinite(task.model(Placement("none", 0, 0))(batch, None)["loss"].item())


def test_predictions_are_well_formed_and_the_best_of_these(task: SRL) -> None:
    example = (task.load("dev") or [{}])[0]
    logits = torch.full((1, 7, len(task.tags)), -5.0)
    for token, tag in enumerate(["I-ARG0", "O", "B-V", "I-ARG1", "I-ARG1", "B-ARG1", "I-ARG1"]):
        logits[0, token, task.index[tag]] = 5.0
    logits[0, 0, task.index["B-ARG0"]] = 1.0
    logits[0, 3, task.index["B-ARG1"]] = 4.0
    output = {"logits": logits, "mask": torch.ones(1, 7, dtype=torch.bool)}
    (row,) = task.predict(output, [example])
    expected = ["B-ARG0", "O", "B-V", "B-ARG1", "I-ARG1", "B-ARG1", "I-ARG1"]
    assert row["prediction"] == expected
    assert row["tokens"] == example["words"]  # of new text, nothing else tells them
    shares = logits[0].softmax(1)
    chosen = [shares[token, task.index[tag]].item() for token, tag in enumerate(expected)]
    assert row["confidence"] == pytest.approx(math.prod(chosen) ** (1 / 7), rel=1e-4)


def test_training_is_as_in_the_paper(configured: Callable[..., DictConfig]) -> None:
    cfg = configured("task=srl", "data=paper")
    training, optimizer = cfg.training, cfg.training.optimizer
    assert (training.batch_size, training.max_epochs, training.patience) == (80, 500, 200)
    assert (training.clip_value, training.clip_norm) == (None, 1.0)  # He et al.'s: see the card
    assert (optimizer._target_, optimizer.rho) == ("torch.optim.Adadelta", 0.95)
    assert (cfg.elmo.placement, cfg.elmo.l2) == ("input", 0.001)
    assert (cfg.task.layers, cfg.task.hidden, cfg.task.dropout) == (8, 300, 0.1)


def test_builtin_data_end_to_end(bench: Callable[..., int], tmp_path: Path) -> None:
    sizes = ("task.word_dim=16", "task.predicate_dim=8", "task.hidden=24", "task.layers=2")
    training = ("training.max_epochs=1", "elmo.placement=input+output", "trainer=cpu")
    arguments = ("task=srl", *sizes, *training, *TINY_ENCODER, f"paths.runs={tmp_path}")
    assert bench(*arguments) == 0
    (result,) = tmp_path.glob("srl/*/result.json")
    record = json.loads(result.read_text())
    assert record["primary"]["name"] == "f1"
    assert record["primary"]["split"] == "test"
    assert record["metrics"]["dev"].keys() == {"precision", "recall", "f1"}
    assert record["mix"].keys() == {"input", "output"}
    predictions = [json.loads(line) for line in (result.parent / "predictions.jsonl").open()]
    dev = [row for row in predictions if row["split"] == "dev"]
    assert len({row["id"] for row in dev}) == len(dev) == record["counts"]["dev"]
