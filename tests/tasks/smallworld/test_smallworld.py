"""The small world: reproducible, new words at test time, no label given away."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

import tasks
from tasks import smallworld
from tasks.smallworld import edits, logic, names
from tasks.smallworld.claims import judge
from tasks.smallworld.lexicon import NOVEL, VERBS
from tasks.smallworld.logic import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from tasks.smallworld.parts import Parts
from tasks.smallworld.snli import SIZES
from tasks.smallworld.stories import Story
from tasks.smallworld.yardsticks import unseen, yardsticks
from tests.tasks.conftest import said

Row = dict[str, str]


@pytest.fixture(scope="module")
def rows(world: Path) -> dict[str, list[Row]]:
    return {split: _rows(world, split) for split in SIZES}


def _rows(world: Path, split: str) -> list[Row]:
    lines = (world / "snli" / f"snli_1.0_{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _words(rows: list[Row]) -> set[str]:
    text = " ".join(f"{row['sentence1']} {row['sentence2']}" for row in rows)
    return set(re.findall(r"[\w-]+", text))


# --- the files


BYTES = {
    "coref": (10, "aaa331ef"),
    "ner": (7, "507ef88f"),
    "pos": (7, "d44178f0"),
    "snli": (7, "f6ff0340"),
    "squad": (7, "663c2ca5"),
    "srl": (8, "3fe15d2e"),
    "sst5": (9, "482ef252"),
    "text": (smallworld.LATEST, "b62c7d9a"),  # no task's, so in no run id
    "wsd": (7, "095a2f95"),
}


def test_a_version_has_the_same_bytes_in_every_process(world: Path) -> None:
    """A change of a task's files wants a new version: runs on other data are other runs."""
    assert set(smallworld.WRITERS) <= {"text", *tasks.names()}
    found = {name: (smallworld.version(name), _bytes(world, name)) for name in smallworld.WRITERS}
    assert found == BYTES


def test_a_folder_is_the_same_beside_others(tmp_path: Path) -> None:
    smallworld.build(tmp_path, contents=["srl", "ner"])
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["ner", "srl"]
    assert [_bytes(tmp_path, name) for name in ("srl", "ner")] == [BYTES["srl"][1], BYTES["ner"][1]]


def _bytes(world: Path, name: str) -> str:
    whole = sha256()
    for file in sorted(path for path in (world / name).rglob("*") if path.is_file()):
        whole.update(file.relative_to(world).as_posix().encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:8]


@pytest.mark.parametrize("split", SIZES)
def test_sizes_labels_and_votes(rows: dict[str, list[Row]], split: str) -> None:
    labels = Counter(row["gold_label"] for row in rows[split])
    assert labels["-"] == SIZES[split] // 100
    assert max(labels[one] for one in LABELS) - min(labels[one] for one in LABELS) <= 1
    assert sum(labels[one] for one in LABELS) == SIZES[split]
    for row in rows[split]:
        votes = Counter(row["annotator_labels"])
        winners = [label for label, n in votes.items() if n >= 3] or ["-"]
        assert votes.total() == 5
        assert winners == [row["gold_label"]]


def test_no_pair_and_no_id_occurs_twice(rows: dict[str, list[Row]]) -> None:
    every = [row for split in SIZES for row in rows[split]]
    assert len({(row["sentence1"], row["sentence2"]) for row in every}) == len(every)
    assert len({row["pairID"] for row in every}) == len(every)


def test_text_is_one_tokenised_sentence_a_line(world: Path) -> None:
    for name in ("train", "dev"):
        lines = (world / "text" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert len(lines) > 500
        assert all(line == "" or line.endswith(" .") for line in lines)


# --- new words at test time


def test_names_of_dev_and_test_do_not_occur_in_train(rows: dict[str, list[Row]]) -> None:
    seen = _words(rows["train"])
    for split, own in (("dev", names.DEV), ("test", names.TEST)):
        new = {*own.women, *own.men, *own.surnames, *own.towns, *own.bodies, *own.brands}
        assert not new & seen
        assert len(new & _words(rows[split])) > len(new) / 2


def test_pairs_with_unseen_words_are_counted() -> None:
    train = [{"sentence1": "A man sang.", "sentence2": "He did."}]
    sides = [("A man did.", "He sang!"), ("A cat sang.", "A cat did."), ("A cat.", "A man.")]
    pairs = [{"sentence1": premise, "sentence2": hypothesis} for premise, hypothesis in sides]
    somewhere, on_one_side = unseen(train, pairs)
    assert somewhere == pytest.approx(200 / 3)
    assert on_one_side == pytest.approx(100 / 3)


def test_held_out_words_occur_in_dev_and_test_only(rows: dict[str, list[Row]]) -> None:
    held_out = {form for v in VERBS if v.base in NOVEL for form in (v.past, v.participle)} | NOVEL
    assert not held_out & _words(rows["train"])
    for split in ("dev", "test"):
        share = sum(bool(held_out & _words([row])) for row in rows[split]) / len(rows[split])
        assert 0.5 < share < 0.75


# --- labels


def test_no_label_leaks(world: Path) -> None:
    figures = yardsticks(world)
    assert figures["hypothesis only"] <= 42
    assert figures["bags of words"] < 60
    assert figures["bags, compared"] < 65


@pytest.mark.parametrize("split", SIZES)
def test_every_phenomenon_leads_to_every_label(rows: dict[str, list[Row]], split: str) -> None:
    table = Counter((row["phenomenon"], row["gold_label"]) for row in rows[split])
    for phenomenon in edits.PHENOMENA:
        for label in LABELS:
            assert table[phenomenon, label] > 0, (phenomenon, label)


@pytest.mark.parametrize(
    "device",
    [" not ", r" w(as|ere) \w+ed by ", " (in|on) ", " (athlete|musician|scientist|adult)s? "],
)
def test_no_device_goes_with_one_label(rows: dict[str, list[Row]], device: str) -> None:
    counts = Counter(r["gold_label"] for r in rows["train"] if re.search(device, r["sentence2"]))
    total = sum(counts[label] for label in LABELS)
    assert total > 20
    assert all(0.26 < counts[label] / total < 0.41 for label in LABELS), counts


SAID = {
    "met": ("meet", {"agent": "girl", "patient": "boxer"}),
    "met back": ("meet", {"agent": "boxer", "patient": "girl"}),
    "beat": ("beat", {"agent": "girl", "patient": "boxer"}),
    "beaten": ("defeat", {"agent": "boxer", "patient": "girl"}),
    "helped": ("help", {"agent": "girl", "patient": "boxer"}),
    "helped back": ("assist", {"agent": "boxer", "patient": "girl"}),
    "sold": ("sell", {"giver": "girl", "receiver": "boxer", "thing": "pear"}),
    "bought": ("buy", {"giver": "girl", "receiver": "boxer", "thing": "fruit"}),
    "stole": ("steal", {"agent": "girl", "thing": "pear", "day": "Monday"}),
    "took": ("take", {"agent": "child", "thing": "fruit"}),
    "took not": ("!take", {"agent": "girl", "thing": "fruit"}),
    "stole not": ("!steal", {"agent": "girl", "thing": "pear"}),
    "stole on Sunday": ("steal", {"agent": "girl", "thing": "pear", "day": "Sunday"}),
    "awake": ("!awake", {"agent": "girl"}),
    "asleep": ("asleep", {"agent": "child"}),
    "asleep not": ("!asleep", {"agent": "girl"}),
}
FOLLOWS = [
    ("met", "met back", ENTAILMENT),
    ("beat", "beaten", CONTRADICTION),
    ("helped", "helped back", NEUTRAL),
    ("sold", "bought", ENTAILMENT),
    ("bought", "sold", NEUTRAL),
    ("stole", "took", ENTAILMENT),
    ("took", "stole", NEUTRAL),
    ("stole", "took not", CONTRADICTION),
    ("took not", "stole not", ENTAILMENT),
    ("stole not", "took not", NEUTRAL),
    ("took not", "stole", CONTRADICTION),
    ("stole", "stole on Sunday", CONTRADICTION),
    ("awake", "asleep", ENTAILMENT),
    ("awake", "asleep not", CONTRADICTION),
]


@pytest.mark.parametrize(("premise", "hypothesis", "label"), FOLLOWS)
def test_what_follows(premise: str, hypothesis: str, label: str) -> None:
    assert judge(said(*SAID[premise]), said(*SAID[hypothesis])) == label


def test_a_claim_entails_itself_and_contradicts_its_negation(stories: list[Story]) -> None:
    for claim in (claim for story in stories[:50] for claim in story.claims):
        assert judge(claim, claim) == ENTAILMENT
        assert judge(claim, replace(claim, negated=not claim.negated)) == CONTRADICTION


def test_two_negations_of_one_side_cancel() -> None:
    for relation in (logic.SAME, logic.NARROWER, logic.WIDER, logic.APART, logic.OPPOSITE):
        assert relation.negate_premise().negate_premise() == relation
        assert relation.negate_hypothesis().negate_hypothesis() == relation


# --- the cache


def test_ensure_builds_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smallworld.entities, "write", _two_files)
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: smallworld.ensure("ner"), range(8)))
    root = tmp_path / f"smallworld-v{smallworld.LATEST}"
    assert found == {root / "ner"}
    assert {path.name for path in root.iterdir()} == {"ner", "ner.json"}
    monkeypatch.setattr(smallworld.entities, "write", None)
    assert smallworld.ensure("ner") == root / "ner"


@pytest.mark.parametrize("damage", ["a file gone", "a file cut", "all gone", "no listing"])
def test_what_was_lost_is_built_again(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smallworld.entities, "write", _two_files)
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    folder = smallworld.ensure("ner")
    (folder / "notes.txt").write_text("the user's own")
    match damage:
        case "a file gone":
            (folder / "train").unlink()
        case "a file cut":
            os.truncate(folder / "below" / "test", 2)
        case "all gone":
            shutil.rmtree(folder)
        case _:
            folder.with_suffix(".json").unlink()
    assert smallworld.ensure("ner") == folder
    assert (folder / "train").read_text() == "a town"
    assert (folder / "below" / "test").read_text() == "a name"


def _two_files(folder: Path, parts: Parts) -> None:
    (folder / "below").mkdir(parents=True)
    (folder / "train").write_text("a town")
    (folder / "below" / "test").write_text("a name")


def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(folder: Path, parts: Parts) -> None:
        (folder / "half").write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(smallworld.entities, "write", fails)
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    with pytest.raises(OSError, match="disk full"):
        smallworld.ensure("ner")
    assert list((tmp_path / f"smallworld-v{smallworld.LATEST}").iterdir()) == []
