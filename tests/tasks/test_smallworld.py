"""The small world: reproducible, new words at test time, no label given away."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import tasks
from tasks import smallworld
from tasks.smallworld import edits, logic, names, senses, speech
from tasks.smallworld.claims import Claim, Phrase, judge
from tasks.smallworld.document import Sentence
from tasks.smallworld.language import sentence
from tasks.smallworld.lexicon import NOVEL, VERBS
from tasks.smallworld.logic import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from tasks.smallworld.sense_words import CONTEXTS
from tasks.smallworld.snli import SIZES
from tasks.smallworld.stories import Story
from tasks.smallworld.yardsticks import yardsticks

Row = dict[str, str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return smallworld.ensure(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, list[Row]]:
    return {split: _rows(folder, split) for split in SIZES}


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return smallworld.stories("dev")[0]


def _rows(folder: Path, split: str) -> list[Row]:
    lines = (folder / "snli" / f"snli_1.0_{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _words(rows: list[Row]) -> set[str]:
    text = " ".join(f"{row['sentence1']} {row['sentence2']}" for row in rows)
    return set(re.findall(r"[\w-]+", text))


def _claim(verb: str, roles: dict[str, str]) -> Claim:
    """A claim from plain nouns; "!" before the verb negates it."""
    found = next(v for v in VERBS if v.base == verb.lstrip("!"))
    kinds = {"thing": "thing", "day": "day"}
    phrases = {r: Phrase(noun, kinds.get(r, "person"), noun) for r, noun in roles.items()}
    return Claim(found, phrases, negated=verb.startswith("!"))


# --- the files


def test_the_same_seed_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    smallworld.build(tmp_path)
    files = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert {file.parts[0] for file in files} <= {"text", *tasks.names()}
    for file in files:
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes(), file


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


def test_text_is_one_tokenised_sentence_a_line(folder: Path) -> None:
    for name in ("train", "dev"):
        lines = (folder / "text" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert len(lines) > 500
        assert all(line == "" or line.endswith(" .") for line in lines)


# --- new words at test time


def test_names_of_dev_and_test_do_not_occur_in_train(rows: dict[str, list[Row]]) -> None:
    seen = _words(rows["train"])
    for split, own in (("dev", names.DEV), ("test", names.TEST)):
        new = {*own.women, *own.men, *own.surnames, *own.towns, *own.bodies}
        assert not new & seen
        assert len(new & _words(rows[split])) > len(new) / 2


def test_held_out_words_occur_in_dev_and_test_only(rows: dict[str, list[Row]]) -> None:
    held_out = {form for v in VERBS if v.base in NOVEL for form in (v.past, v.participle)} | NOVEL
    assert not held_out & _words(rows["train"])
    for split in ("dev", "test"):
        share = sum(bool(held_out & _words([row])) for row in rows[split]) / len(rows[split])
        assert 0.15 < share < 0.5


# --- labels


def test_no_label_leaks(folder: Path) -> None:
    figures = yardsticks(folder)
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
    assert judge(_claim(*SAID[premise]), _claim(*SAID[hypothesis])) == label


def test_a_claim_entails_itself_and_contradicts_its_negation(stories: list[Story]) -> None:
    for claim in (claim for story in stories[:50] for claim in story.claims):
        assert judge(claim, claim) == ENTAILMENT
        assert judge(claim, replace(claim, negated=not claim.negated)) == CONTRADICTION


def test_two_negations_of_one_side_cancel() -> None:
    for relation in (logic.SAME, logic.NARROWER, logic.WIDER, logic.APART, logic.OPPOSITE):
        assert relation.negate_premise().negate_premise() == relation
        assert relation.negate_hypothesis().negate_hypothesis() == relation


# --- language and annotation


def test_english() -> None:
    sold = _claim("sell", {"giver": "girl", "receiver": "boxer", "thing": "apple", "day": "Monday"})
    one, three = sold.roles["thing"], replace(sold.roles["thing"], count=3, noun="pear")
    red = sold.put("thing", replace(one, adjective="red"))
    assert sentence(sold).text == "A girl sold an apple to a boxer on Monday."
    assert sentence(replace(red, dative=True)).text == "A girl sold a boxer a red apple on Monday."
    passive = replace(sold.put("thing", three), passive=True, fronted=True)
    assert sentence(passive).text == "On Monday, three pears were sold by a girl to a boxer."
    assert sentence(replace(sold, negated=True)).text == (
        "A girl did not sell an apple to a boxer on Monday."
    )


def test_spans_lie_in_their_sentences(stories: list[Story]) -> None:
    for line in (line for story in stories for line in story.document.sentences):
        for span in (*line.mentions, *(a for p in line.predications for a in p.arguments)):
            assert 0 <= span.start < span.end <= len(line.tokens) - 1
            assert line.tokens[span.end - 1] not in {",", "."}
        assert all(m.start <= m.head < m.end for m in line.mentions)
        assert all(_is_form(line, p.position, p.lemma) for p in line.predications)


def _is_form(line: Sentence, position: int, lemma: str) -> bool:
    verb = next(verb for verb in VERBS if verb.base == lemma)
    return line.tokens[position] in (verb.base, verb.past, verb.participle)


def test_stories_come_back_to_their_people(stories: list[Story]) -> None:
    taken_up = Counter(
        line.tokens[m.start].lower()
        for story in stories
        for line in story.document.sentences
        for m in line.mentions
        if m.kind == "person"
    )
    assert min(taken_up[word] for word in ("she", "he", "they", "her", "him", "the")) > 10


TAGGED = [
    ("On Monday , three pears were sold by a girl to a boxer .",
     "IN NNP , CD NNS VBD VBN IN DT NN IN DT NN ."),
    ("A girl did not sell a boxer a red apple in the park .",
     "DT NN VBD RB VB DT NN DT JJ NN IN DT NN ."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TAGGED)
def test_parts_of_speech(text: str, expected: str) -> None:
    sold = _claim("sell", {"giver": "girl", "receiver": "boxer", "thing": "apple"})
    apple = sold.roles["thing"]
    if text.startswith("On"):
        pears = sold.put("thing", replace(apple, count=3, noun="pear"))
        claim = replace(
            pears.put("day", Phrase("Monday", "day", "Monday")), passive=True, fronted=True
        )
    else:
        red = sold.put("thing", replace(apple, adjective="red"))
        claim = replace(
            red.put("venue", Phrase("park", "venue", "park")), dative=True, negated=True
        )
    line = sentence(claim)
    assert " ".join(line.tokens) == text
    assert speech.tags(line) == expected.split()


def test_names_alone_are_names(stories: list[Story]) -> None:
    days = {"Monday", "Tuesday", "Friday", "Saturday", "Sunday"}
    for line in (line for story in stories for line in story.document.sentences):
        named = {i for m in line.mentions for i in range(m.start, m.name_end)}
        tags = speech.tags(line)
        found = {i for i, tag in enumerate(tags) if tag == "NNP" and line.tokens[i] not in days}
        assert found == named
        assert sum(tag in {"VB", "VBN"} for tag in tags) <= len(line.predications)


def test_senses_are_told_apart_by_new_contexts(folder: Path) -> None:
    keys, texts = {}, {}
    for split, name in senses.SETS.items():
        rows = (folder / "wsd" / name / f"{name}.gold.key.txt").read_text().splitlines()
        keys[split] = {row.split()[1] for row in rows}
        plain = re.sub(r"<[^>]*>", "", (folder / "wsd" / name / f"{name}.data.xml").read_text())
        texts[split] = " ".join(plain.split())
    kept = [re.sub(r"[{}\[\]*]", "", c) for of in CONTEXTS.values() for c in of if c[0] == "*"]
    kept = [" ".join(context.split()[-4:]) for context in kept]
    for split in ("train", "dev", "test"):
        assert set(CONTEXTS) <= keys[split]
        seen = sum(context in texts[split] for context in kept)
        assert seen == 0 if split == "train" else seen > len(kept) / 2
    inventory = (folder / "wsd" / "index.sense").read_text()
    assert all(key in inventory for split in keys for key in keys[split])


# --- the cache


def test_ensure_builds_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def quick(folder: Path, seed: int = 13) -> None:
        (folder / "file").write_text(str(random.random()))

    monkeypatch.setattr(smallworld, "build", quick)
    monkeypatch.setenv("ELMO_BENCH_CACHE", str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: smallworld.ensure(), range(8)))
    assert found == {tmp_path / f"smallworld-v{smallworld.VERSION}"}
    written = (found.copy().pop() / "file").read_text()
    assert (smallworld.ensure(tmp_path) / "file").read_text() == written
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(folder: Path, seed: int = 13) -> None:
        (folder / "half").write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(smallworld, "build", fails)
    with pytest.raises(OSError, match="disk full"):
        smallworld.ensure(tmp_path)
    assert list(tmp_path.iterdir()) == []
