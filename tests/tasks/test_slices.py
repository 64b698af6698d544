"""The properties by which a report tells results apart, counted by hand."""

from __future__ import annotations

from tasks.coref import Coref
from tasks.ner import NER
from tasks.squad import SQuAD
from tasks.srl import SRL

KNOWN = {"words": ["a"], "dim": 2}


def test_of_names_those_that_training_did_not_show() -> None:
    task = NER()
    task.restore({**KNOWN, "kinds": ["LOC", "PER"], "names": [["Rolf Gold", "PER"]]})
    tags = ["B-PER", "I-PER", "O", "B-LOC", "B-PER"]
    example = {"id": "1", "tokens": ["Rolf", "Gold", "a", "Oslo", "Rolf"], "tags": tags}
    found = task.slices(example)
    assert (found["new names"], found["types"], found["unknown words"]) == (2, "LOC PER", 4)
    assert task.slices({**example, "tags": ["O"] * 5})["types"] == "no name"


def test_of_arguments_how_far_they_are_from_the_predicate() -> None:
    """To their nearer end, before it or behind; the verb itself is none."""
    task = SRL()
    task.restore({**KNOWN, "roles": ["A0", "A1", "V"]})
    example = {"words": ["a"] * 6, "predicate": 2}
    for tags, away in (
        (["B-A0", "O", "B-V", "O", "O", "O"], 2),
        (["B-A0", "I-A0", "B-V", "O", "B-A1", "I-A1"], 2),
        (["O", "O", "B-V", "I-V", "O", "O"], 0),
    ):
        assert task.slices({**example, "tags": tags})["farthest argument"] == away


def test_of_answers_how_long_the_first_is() -> None:
    task = SQuAD()
    task.restore(KNOWN)
    example = {"tokens": ["a"] * 6, "question": ["In", "Which", "who"], "spans": [[1, 3], [1, 1]]}
    found = task.slices(example)
    assert (found["answer length"], found["question word"]) == (3, "which")


def test_of_mentions_how_far_the_one_before_is() -> None:
    """In the order of the text, from beginning to beginning."""
    task = Coref()
    task.restore({**KNOWN, "genres": []})
    clusters = [[[9, 9], [0, 2], [4, 4]], [[1, 1], [3, 3]]]
    example = {"sentences": [["a"] * 10], "genre": "", "clusters": clusters}
    assert task.slices(example)["farthest antecedent"] == 5
