"""A paragraph and its question spelled otherwise, with the answers at the same words."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.task import Example, Respell


def respelled(example: Example, respell: Respell) -> Example:
    """Respell the words of paragraph and question, and cut the answers out of the new paragraph.

    What lies between words stays. So does a word inside which an answer begins or ends (1990 in
    "1990s"), since nobody can say where in its new spelling that would be.
    """
    answered = zip(example["answers"], example["spans"], strict=True)
    margins = [_margins(example, answer, span) for answer, span in answered]
    edges = zip(example["spans"], margins, strict=True)
    split = {word for span, cut in edges for word, more in zip(span, cut, strict=True) if more > 0}
    words = [
        old if i in split else new
        for i, (old, new) in enumerate(
            zip(example["tokens"], respell(example["tokens"]), strict=True)
        )
    ]
    context, starts, ends = _paragraph(example, words)
    answers = [
        context[starts[first] + before : ends[last] - after]
        for (first, last), (before, after) in zip(example["spans"], margins, strict=True)
    ]
    return {
        **example,
        "context": context,
        "tokens": words,
        "starts": starts,
        "ends": ends,
        "question": respell(example["question"]),
        "answers": answers,
    }


def _margins(example: Example, answer: str, span: Sequence[int]) -> tuple[int, int]:
    """Count the characters of an answer's words that stand before it and after it.

    A negative number counts white space of the answer that is outside its words.
    """
    first, last = span
    words = example["context"][example["starts"][first] : example["ends"][last]]
    # White space comes after a word's end: of equal places it is the last (the second ' of '').
    find = words.find if answer == answer.rstrip() else words.rfind
    place = max(find(answer.strip()), 0)
    before = place - (len(answer) - len(answer.lstrip()))
    return before, len(words) - before - len(answer)


def _paragraph(example: Example, words: Sequence[str]) -> tuple[str, list[int], list[int]]:
    """Return the paragraph with these words for its own, and where each begins and ends.

    A word that has not changed stands as the paragraph has it, which a token may have normalised.
    """
    context: str = example["context"]
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    length = before = 0
    places = zip(example["tokens"], words, example["starts"], example["ends"], strict=True)
    for old, new, start, end in places:
        between = context[before:start]
        word = context[start:end] if new == old else new
        starts.append(length + len(between))
        ends.append(starts[-1] + len(word))
        pieces += [between, word]
        length, before = ends[-1], end
    pieces.append(context[before:])
    return "".join(pieces), starts, ends
