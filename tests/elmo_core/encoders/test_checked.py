"""What is said of an encoder that does not keep to the protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import nn

from elmo_core.downloads.presets import PRESETS
from elmo_core.encoder import KeepsWords
from elmo_core.encoders.checked import Checked
from elmo_core.encoders.random import random_elmo
from elmo_core.errors import EncoderError

SENTENCES = [["a", "b", "c"], ["d"]]


class Own:
    name, layers, dim, fingerprint = "own", 2, 4, "1"

    def __init__(self, change: Callable[[Any], Any] = lambda layers: layers) -> None:
        self.change = change

    def to(self, device: str) -> Own:
        return self

    def encode(self, sentences: list[list[str]]) -> list[Any]:
        return [self.change(torch.ones(2, len(words), 4)) for words in sentences]


def test_what_is_right_passes_unchanged() -> None:
    expected = Own().encode(SENTENCES)
    got = Checked(Own()).encode(SENTENCES)
    assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
    assert Checked(Own()).encode([]) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x[:1], "encode gave (1, 3, 4) for the 3 tokens 'a b c', not (2, 3, 4)"),
        (lambda x: x[:, 1:], "encode gave (2, 2, 4) for the 3 tokens 'a b c', not (2, 3, 4)"),
        (lambda x: x[..., :3], "encode gave (2, 3, 3)"),
        (lambda x: x[0], "encode gave (3, 4)"),
        (lambda x: x.double(), "encode gave torch.float64 on cpu"),
        (lambda x: x.to("meta"), "encode gave torch.float32 on meta"),
        (lambda x: x.requires_grad_(), "torch.float32 on cpu, with gradient"),
        (lambda x: x.numpy(), "encode gave a ndarray for the 3 tokens 'a b c'"),
        (lambda x: x.index_fill(1, torch.tensor(0), torch.nan), "NaN or infinity in layer 0"),
        (lambda x: x / torch.tensor([1, 0, 1, 1]), "NaN or infinity in layer 0, token 0"),
    ],
)
def test_results_that_are_not_layers(change: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(EncoderError, match=re.escape(message)) as caught:
        Checked(Own(change)).encode(SENTENCES)
    assert str(caught.value).startswith("encoder own: ")


@pytest.mark.parametrize(
    ("results", "message"),
    [(lambda given: given[:-1], "1 results for 2"), (lambda given: None, "None for 2 sentences")],
)
def test_another_number_of_results(
    monkeypatch: pytest.MonkeyPatch, results: Callable[[Any], Any], message: str
) -> None:
    encode = Own.encode
    monkeypatch.setattr(Own, "encode", lambda self, given: results(encode(self, given)))
    with pytest.raises(EncoderError, match=f"encoder own: encode gave {message}"):
        Checked(Own()).encode(SENTENCES)


def test_long_sentences_are_not_quoted_in_full() -> None:
    with pytest.raises(EncoderError, match=r"for the 50 tokens 'a a a a' …"):
        Checked(Own(lambda layers: layers[:1])).encode([["a"] * 50])


def test_parts_of_the_protocol_that_are_missing() -> None:
    class Half:
        name, layers, dim = "half", 1, 1

    with pytest.raises(EncoderError, match=r"Half is not an encoder: .*no fingerprint and no enc"):
        Checked(Half())


@pytest.mark.parametrize(("key", "value"), [("layers", 0), ("dim", 4.0), ("dim", None)])
def test_sizes_that_are_not_whole_numbers(
    monkeypatch: pytest.MonkeyPatch, key: str, value: Any
) -> None:
    monkeypatch.setattr(Own, key, value)
    with pytest.raises(EncoderError, match=f"encoder own: its {key} must be a whole number"):
        Checked(Own())


@pytest.mark.parametrize("value", [None, "", lambda self: "1"])
def test_fingerprints_that_tell_nothing_apart(monkeypatch: pytest.MonkeyPatch, value: Any) -> None:
    """None is everybody's, and a method that is no property is another one in each process."""
    monkeypatch.setattr(Own, "fingerprint", value)
    with pytest.raises(EncoderError, match="encoder own: its fingerprint must be a string"):
        _ = Checked(Own()).fingerprint


class Keeping(Own):
    kept: list[str]

    def keep_words(self, words: Iterable[str]) -> None:
        self.kept = list(words)


def test_words_are_kept_where_the_encoder_can() -> None:
    own = Keeping()
    checked = Checked(own)
    assert isinstance(checked, KeepsWords)
    checked.keep_words(["a", "b"])
    assert own.kept == ["a", "b"]
    assert not isinstance(Checked(Own()), KeepsWords)


def test_the_presets_number_is_the_encoders() -> None:
    encoder = random_elmo("elmo-mini")
    assert encoder.parameters == Checked(encoder).parameters == PRESETS["elmo-mini"].parameters


def test_parameters_are_told_or_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    own: Any = Own()
    assert Checked(own).parameters == 0
    own.first, own.again = (linear := nn.Linear(3, 5)), linear
    assert Checked(own).parameters == 3 * 5 + 5
    own.parameters = 7
    assert Checked(own).parameters == 7


def test_parameters_of_an_encoder_that_is_a_module() -> None:
    class Module(nn.Module):
        name, layers, dim, fingerprint = "module", 1, 1, "1"

        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def encode(self, sentences: list[list[str]]) -> list[Any]:
            return []

    assert Checked(Module()).parameters == 6
