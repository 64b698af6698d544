"""What every encoder refuses to read."""

from __future__ import annotations

from typing import Any

import pytest

from elmo_core.encoder import check_sentences


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([["a"], []], "sentence 1 is empty"),
        ([["a"], ["b", ""]], "sentence 1, token 1: an empty word"),
        ([["a", 7]], "sentence 0, token 1: not a string but 7"),
        (["a b"], "sentence 0 is a string: give a list of tokens"),
    ],
)
def test_errors_say_where(sentences: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_sentences(sentences)
