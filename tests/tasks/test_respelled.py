"""Examples spelled otherwise (Task.respelled): whatever the spelling, gold stays at its words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tasks
from bench.noise import Noise
from bench.noise.spelling import KINDS
from elmo_core import Placement
from tasks.squad.data import _example
from tasks.squad.respelling import respelled
from tasks.squad.tokens import tokenise
from tasks.task import Example, Task

Prepared = Callable[[str], tuple[Task, list[Example], dict[str, torch.Tensor]]]
names = pytest.mark.parametrize("name", tasks.names())
noises = st.builds(Noise, st.sampled_from(sorted(KINDS)), st.floats(0, 1), st.integers(0, 9))


@pytest.fixture(scope="module")
def prepared(ready: Callable[[str], tuple[Task, Any]]) -> Prepared:
    """A task that has seen its built-in training data; some of dev, and a model's output."""
    made: dict[str, Any] = {}

    def get(name: str) -> Any:
        if name not in made:
            task, _ = ready(name)
            dev, model = task.load("dev"), task.model(Placement("none", 0, 0)).eval()
            examples = [dev[i] for i in range(6)]
            with torch.no_grad():  # respelled, a batch has the same shapes
                made[name] = task, examples, model(task.collate(examples), None)
        return made[name]

    return get


def right(
    task: Task, examples: Sequence[Example], output: dict[str, torch.Tensor]
) -> list[Example]:
    """What `predict` says of examples, with gold for the prediction."""
    return [{**row, "prediction": row["gold"]} for row in task.predict(output, examples)]


@names
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(noise=noises, data=st.data())
def test_gold_stays_at_its_words(
    name: str, prepared: Prepared, noise: Noise, data: st.DataObject
) -> None:
    task, examples, output = prepared(name)
    number = data.draw(st.integers(0, len(examples) - 1))
    example = examples[number]
    before = json.dumps(example)
    noisy = task.respelled(example, noise)
    assert json.dumps(example) == before
    assert noisy.keys() == example.keys()
    assert noisy["id"] == example["id"]
    old, new = task.sentences(example), task.sentences(noisy)
    assert [len(words) for words in new] == [len(words) for words in old]
    assert all(word and not any(map(str.isspace, word)) for words in new for word in words)
    mixed = [noisy if i == number else each for i, each in enumerate(examples)]
    task.collate(mixed)
    clean, rows = right(task, examples, output), right(task, mixed, output)
    if name != "squad":  # whose gold is text
        assert [row["gold"] for row in rows] == [row["gold"] for row in clean]
    assert task.score(rows)[task.metric] == pytest.approx(task.score(clean)[task.metric])
    assert task.gold_labels(noisy) == task.gold_labels(example)


@names
def test_words_do_change_and_no_noise_changes_nothing(name: str, prepared: Prepared) -> None:
    task, examples, _ = prepared(name)
    assert [task.respelled(example, Noise("typos", 0)) for example in examples] == examples
    noisy = [task.respelled(example, Noise("typos", 1)) for example in examples]
    old = [word for e in examples for words in task.sentences(e) for word in words]
    new = [word for e in noisy for words in task.sentences(e) for word in words]
    changed = sum(a != b for a, b in zip(old, new, strict=True))
    letters = sum(any(map(str.isalpha, word)) for word in old)
    assert changed > 0.5 * letters * (name != "neighbours")
    assert changed > 0


def test_a_tag_that_is_spelled_like_its_token_stays(prepared: Prepared) -> None:
    for name in ("ner", "pos", "srl"):
        task, (example, *_), _ = prepared(name)
        words = next(key for key, value in example.items() if value is task.sentences(example)[0])
        same = {**example, words: ["TO"], "tags": ["TO"]}
        noisy = task.respelled(same, Noise("typos", 1))
        assert noisy[words] != ["TO"]
        assert noisy["tags"] == ["TO"]


class NoFields(Task):
    """A task whose examples hold no token lists."""

    def sentences(self, example: Example) -> list[list[str]]:
        return [example["text"].split()]


def test_a_task_that_cannot_says_so() -> None:
    NoFields.__abstractmethods__ = frozenset()
    with pytest.raises(NotImplementedError, match=r"its task does not say how \(Task.respelled\)"):
        NoFields().respelled({"id": "1", "text": "a b"}, Noise("typos", 1))


# -- SQuAD: characters

CONTEXT = "In the 1990s (and later) Anna's “old” house — ``the Nest'' — was sold. "


def question(answers: Sequence[tuple[int, int]], context: str = CONTEXT) -> Example:
    """An example of these answers, given by their first and last character."""
    record = {
        "id": "1",
        "context": context,
        "question": "Which house?",
        "answers": {
            "text": [context[a:b] for a, b in answers],
            "answer_start": [a for a, _ in answers],
        },
    }
    return _example(record, tokenise(context), "here")[0]


def aligned(example: Example, i: int) -> bool:
    first, last = example["spans"][i]
    text = example["context"][example["starts"][first] : example["ends"][last]]
    return bool(text == example["answers"][i])


def inside(context: str, a: int, b: int) -> bool:
    return bool(context[a:b].strip())


def test_an_answer_of_half_a_quotation_mark_and_a_space_stays_where_it_is() -> None:
    start = CONTEXT.index("''") + 1
    example = question([(start, start + 2)])
    noisy = respelled(example, Noise("case", 0))
    assert noisy["answers"] == example["answers"] == ["' "]
    assert noisy["context"] == CONTEXT


@settings(max_examples=300, deadline=None)
@given(noise=noises, data=st.data())
def test_answers_are_cut_out_of_the_new_paragraph(noise: Noise, data: st.DataObject) -> None:
    ends = st.integers(0, len(CONTEXT)).flatmap(
        lambda a: st.tuples(st.just(a), st.integers(a, len(CONTEXT)))
    )
    some = st.lists(ends.filter(lambda ab: inside(CONTEXT, *ab)), min_size=1, max_size=3)
    example = question(data.draw(some))
    noisy = respelled(example, noise)
    assert noisy["spans"] == example["spans"]
    for i, (first, last) in enumerate(noisy["spans"]):
        cover = noisy["context"][noisy["starts"][first] : noisy["ends"][last]]
        assert noisy["answers"][i].strip() in cover
        assert aligned(noisy, i) == aligned(example, i)
    for i, (old, new) in enumerate(zip(example["tokens"], noisy["tokens"], strict=True)):
        text = noisy["context"][noisy["starts"][i] : noisy["ends"][i]]
        if new != old:
            assert text == new
        else:
            assert text == example["context"][example["starts"][i] : example["ends"][i]]
    gaps = zip([0, *noisy["ends"]], [*noisy["starts"], None], strict=True)
    clean = zip([0, *example["ends"]], [*example["starts"], None], strict=True)
    for (a, b), (c, d) in zip(gaps, clean, strict=True):
        assert noisy["context"][a:b] == example["context"][c:d]


def test_a_word_in_which_an_answer_ends_keeps_its_spelling() -> None:
    start = CONTEXT.index("1990")
    example = question([(start, start + 4), (CONTEXT.index("house"), CONTEXT.index("house") + 5)])

    def louder(words: Sequence[str]) -> list[str]:
        return [f"{word}!" for word in words]

    noisy = respelled(example, louder)
    assert noisy["answers"] == ["1990", "house!"]
    assert "1990s (!" in noisy["context"]
    assert noisy["question"] == ["Which!", "house!", "?!"]


def test_the_questions_of_a_paragraph_share_their_new_paragraph() -> None:
    start = CONTEXT.index("house")
    one, other = question([(start, start + 5)]), question([(0, 2)])
    noise = Noise("typos", 0.5)
    assert respelled(one, noise)["context"] == respelled(other, noise)["context"] != CONTEXT
