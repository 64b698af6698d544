"""Each model as its paper has it, one example at a time and without padding.

Layers that have tests of their own (tests/tasks/nn) are taken from the model; what is looked at is
how they are put together, with ELMo at both places.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core import Placement
from tasks.coref import model as coref
from tasks.ner import model as ner
from tasks.nn.char_words import spell
from tasks.nn.words import WordEmbedding, Words, WordVocabulary
from tasks.snli import model as snli
from tasks.squad import model as squad
from tasks.srl import model as srl
from tasks.sst5 import model as sst5

LETTERS = "abcdefgh"
SENTENCES = ["abcde", "fgh", "ba", "cdgh"]  # letters are words
LAYERS, DIM = 3, 4


def words() -> WordEmbedding:
    return WordEmbedding(Words(WordVocabulary(LETTERS), 5), std=1.0)


def placement() -> Placement:
    return Placement("input+output", LAYERS, DIM, dropout=0.0)


def drawn(model: nn.Module) -> Any:
    """Draw all that is learned, biases and mixes too, so that nothing falls away."""
    for name, parameter in model.named_parameters():
        if "table" not in name:
            nn.init.normal_(parameter, std=0.4)
    return model.eval()


def batch(sentences: list[str], prefix: str = "") -> dict[str, Tensor]:
    rows = [[2 + LETTERS.index(letter) for letter in sentence] for sentence in sentences]
    indices = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    spellings, spelled = spell([list(sentence) for sentence in sentences])
    found = {"words": indices, "mask": indices != 0, "lengths": (indices != 0).sum(1)}
    found |= {"spellings": spellings, "spelled": spelled}
    return {prefix + name: value for name, value in found.items()}


class One:
    """A model's parts over one sentence alone: (tokens, dim)."""

    def __init__(self, model: Any, layers: Tensor, row: int, sentence: str) -> None:
        self.model, self.layers = model, layers[row, :, : len(sentence)]
        alone = batch([sentence])
        self.words = model.words(alone["words"])[0]
        if hasattr(model, "spelling"):
            self.spelled = model.spelling(alone["spellings"], alone["spelled"])[0]

    def with_elmo(self, place: str, x: Tensor) -> Tensor:
        mix = self.model.placement.mixes[place]
        shares = zip(mix.w.softmax(0), self.layers, strict=True)
        return torch.cat([x, mix.gamma * sum(share * layer for share, layer in shares)], dim=1)


def over(layer: Any, *inputs: Tensor) -> Any:
    """A layer over padded sequences, of one that has no padding."""
    masks = [torch.ones(1, len(x), dtype=torch.bool) for x in inputs]
    found = layer(*(x[None] for x in inputs), *masks)
    return [x[0] for x in found] if isinstance(found, tuple) else found[0]


def read(recurrence: Any, x: Tensor) -> Tensor:
    """A recurrence over padded sequences, of one that has no padding."""
    found: Tensor = recurrence(x[None], torch.tensor([len(x)]))[0]
    return found


def encoder_layers() -> Tensor:
    return torch.randn(len(SENTENCES), LAYERS, max(map(len, SENTENCES)), DIM)


def test_esim() -> None:
    """Chen et al. 2017, equations 11 to 20."""
    model = drawn(snli.ESIM(words(), placement(), snli.Sizes(hidden=6), labels=3))
    layers, labels = encoder_layers(), torch.tensor([2, 0])
    given = {**batch(SENTENCES), "labels": labels}

    def encoded(row: int) -> Tensor:
        one = One(model, layers, row, SENTENCES[row])
        return one.with_elmo("output", read(model.encoder, one.with_elmo("input", one.words)))

    def pooled(own: Tensor, other: Tensor) -> list[Tensor]:
        sees = (own @ other.T).softmax(1) @ other
        m = torch.cat([own, sees, own - sees, own * sees], dim=1)
        v = read(model.composition, model.enhance(m).relu())
        return [v.mean(0), v.amax(0)]

    pairs = [(encoded(row), encoded(row + 1)) for row in (0, 2)]
    expected = torch.stack(
        [model.classifier(torch.cat([*pooled(a, b), *pooled(b, a)])) for a, b in pairs]
    )
    torch.testing.assert_close(model(given, layers)["logits"], expected)


def test_bcn() -> None:
    """McCann et al. 2017, section 5, of a text and itself."""
    model = drawn(sst5.BCN(words(), placement(), sst5.Sizes(hidden=6), labels=5))
    layers, rows = encoder_layers(), []
    for row, sentence in enumerate(SENTENCES):
        one = One(model, layers, row, sentence)
        h = read(model.encoder, model.feedforward(one.with_elmo("input", one.words)))
        c = (h @ h.T).softmax(1) @ h
        v = read(model.integrator, torch.cat([h, h - c, h * c], dim=1))
        v = one.with_elmo("output", v)
        weights = (v @ model.self_attentive.score.weight[0]).softmax(0)
        pools = torch.cat([v.amax(0), v.amin(0), v.mean(0), weights @ v])
        rows.append(model.classifier(pools))
    given = {**batch(SENTENCES), "labels": torch.tensor([0, 4, 2, 1])}
    found = model(given, layers)
    torch.testing.assert_close(found["logits"], torch.stack(rows))
    torch.testing.assert_close(found["loss"], F.cross_entropy(torch.stack(rows), given["labels"]))


def test_feed_forward_layers() -> None:
    """Between two linear layers stands ReLU, wherever a paper has a feed-forward network."""
    none = Placement("none", 0, 0)
    bcn = drawn(sst5.BCN(words(), none, sst5.Sizes(hidden=6), labels=5))
    x = torch.randn(3, 5)
    torch.testing.assert_close(bcn.feedforward(x), bcn.feedforward[1](x).relu())
    esim = drawn(snli.ESIM(words(), none, snli.Sizes(hidden=6), labels=3))
    first, last = (layer for layer in esim.classifier if isinstance(layer, nn.Linear))
    x = torch.randn(3, 48)
    torch.testing.assert_close(esim.classifier(x), last(first(x).relu()))
    sizes = coref.Sizes(hidden=6, feed_forward=7)
    end_to_end = drawn(coref.EndToEnd(words(), none, sizes, genres=2))
    for scorer in (end_to_end.spans, end_to_end.antecedents):
        second, last = (layer for layer in scorer.rest if isinstance(layer, nn.Linear))
        x = torch.randn(3, 7)
        torch.testing.assert_close(scorer.rest(x), last(second(x.relu()).relu()))


def test_deep_srl() -> None:
    """He et al. 2017, section 2; the loss is a sum over tokens, a mean over sentences."""
    sizes = srl.Sizes(predicate_dim=3, hidden=6, layers=3)
    model = drawn(srl.DeepSRL(words(), placement(), sizes, tags=4))
    layers, given = encoder_layers(), batch(SENTENCES)
    given["predicate"] = F.one_hot(torch.tensor([4, 0, 1, 2]), given["words"].shape[1])
    tags = torch.randint(4, given["words"].shape).masked_fill(~given["mask"], srl.IGNORED)
    tags[0, 1] = srl.IGNORED  # a role that training has not shown
    found, losses = model({**given, "tags": tags}, layers), []
    for row, sentence in enumerate(SENTENCES):
        one, tokens = One(model, layers, row, sentence), len(sentence)
        x = torch.cat([one.words, model.predicate(given["predicate"][row, :tokens])], dim=1)
        h = one.with_elmo("output", read(model.encoder, one.with_elmo("input", x)))
        logits = model.dense(h)
        torch.testing.assert_close(found["logits"][row, :tokens], logits)
        gold = tags[row, :tokens]
        known = gold != srl.IGNORED
        losses.append(F.cross_entropy(logits[known], gold[known], reduction="sum"))
    torch.testing.assert_close(found["loss"], torch.stack(losses).mean())


def test_tagger() -> None:
    """Peters et al. 2018, A.7; the CRF never chooses what the scheme forbids."""
    tags, sizes = ["O", "B-X", "I-X"], ner.Sizes(char_dim=3, char_filters=4, hidden=(6, 5))
    model = drawn(ner.Tagger(words(), placement(), sizes, tags=tags, scheme="bio"))
    layers, given = encoder_layers(), batch(SENTENCES)
    found = model({**given, "tags": torch.zeros_like(given["words"])}, layers)
    losses = []
    for row, sentence in enumerate(SENTENCES):
        one = One(model, layers, row, sentence)
        x = one.with_elmo("input", torch.cat([one.words, one.spelled], dim=1))
        h = one.with_elmo("output", read(model.upper, read(model.lower, x)))
        emissions, gold = model.dense(h), torch.zeros(1, len(h), dtype=torch.long)
        torch.testing.assert_close(found["emissions"][row, : len(h)], emissions)
        losses.append(model.crf(emissions[None], gold == 0, gold))
    torch.testing.assert_close(found["loss"], torch.stack(losses).mean())
    assert found["transitions"][0].isneginf().tolist() == [False, False, True]  # after O


def test_bidaf() -> None:
    """Clark & Gardner 2017, section 3.1; rows of layers are paragraph, question, paragraph, …"""
    sizes = squad.Sizes(char_dim=3, char_filters=4, hidden=6)
    model = drawn(squad.BiDAF(words(), placement(), sizes))
    layers = encoder_layers()
    given = {**batch(SENTENCES[0::2]), **batch(SENTENCES[1::2], "question_")}
    first, last = torch.tensor([[1], [0]]), torch.tensor([[3], [1]])
    found, losses = model({**given, "first": first, "last": last}, layers), []

    def encoded(row: int) -> Tensor:
        one = One(model, layers, row, SENTENCES[row])
        x = one.with_elmo("input", torch.cat([one.words, one.spelled], dim=1))
        return one.with_elmo("output", read(model.encoder, x))

    for row in (0, 1):
        x = model.merge(*over(model.attention, encoded(2 * row), encoded(2 * row + 1)))
        h = read(model.inner, x)
        sees = over(model.self_attention, h)
        x = x + model.inner_merge(sees, h, sees * h)
        start = read(model.start, x)
        end = read(model.end, torch.cat([x, start], dim=1))
        scores = [model.start_score(start), model.end_score(end)]
        expected = [score.squeeze(1).log_softmax(0) for score in scores]
        for name, log_probabilities in zip(("start", "end"), expected, strict=True):
            torch.testing.assert_close(found[name][row, : len(x)], log_probabilities)
            assert found[name][row, len(x) :].isneginf().all()
        losses.append(-expected[0][first[row, 0]] - expected[1][last[row, 0]])
    torch.testing.assert_close(found["loss"], torch.stack(losses).mean())


def test_what_coreference_reads() -> None:
    """Lee et al. 2017, section 4: words of length 1, spellings, one LSTM over each sentence."""
    sizes = coref.Sizes(char_dim=3, char_filters=4, hidden=6)
    model = drawn(coref.EndToEnd(words(), placement(), sizes, genres=2))
    layers, given = encoder_layers(), batch(SENTENCES)
    x, h = model.encode(given, layers, given["lengths"])
    for row, sentence in enumerate(SENTENCES):
        one = One(model, layers, row, sentence)
        lengths = one.words.norm(dim=1, keepdim=True)
        own = torch.cat([one.words / lengths, one.spelled], dim=1)
        states = one.with_elmo("output", read(model.encoder, one.with_elmo("input", own)))
        torch.testing.assert_close(x[row, : len(own)], own)
        torch.testing.assert_close(h[row, : len(own)], states)
