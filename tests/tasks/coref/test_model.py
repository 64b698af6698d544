"""The coreference model against the paper's equations, span by span and pair by pair."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from tasks.coref import antecedents
from tasks.coref.antecedents import AntecedentScorer
from tasks.coref.spans import Spans, SpanScorer, weighted_sum
from tasks.nn.pair_products import pair_products
from tests.tasks.coref.test_prune import greedy

H, X, F = 5, 4, 3  # sizes of h, of x and of features
WIDTHS, PER_WORD, MOST = 4, 0.6, 6
SENTENCES = torch.tensor([0] * 5 + [1] + [2] * 7 + [3] * 6)
TOKENS = len(SENTENCES)


@pytest.fixture
def scorers() -> tuple[SpanScorer, AntecedentScorer]:
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"feature_dim": F, "feed_forward": 6, "dropout": 0.0}
    spans = SpanScorer(H, X, max_width=WIDTHS, spans_per_word=PER_WORD, **sizes)
    antecedents = AntecedentScorer(spans.output_dim, genres=2, max_antecedents=MOST, **sizes)
    for scorer in (spans, antecedents):
        for name, parameter in scorer.named_parameters():
            if "bias" in name:  # zero at the start
                torch.nn.init.normal_(parameter)
    return spans.double(), antecedents.double()


def document() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """h, x, and of each span that could be asked for: speaker, cluster; the genre."""
    drawn = torch.Generator().manual_seed(1)
    h, x = (torch.randn(TOKENS, n, generator=drawn, dtype=torch.double) for n in (H, X))
    speaker = torch.randint(2, (TOKENS,), generator=drawn)
    cluster = torch.randint(4, (TOKENS, WIDTHS), generator=drawn)  # 0: none
    return h.requires_grad_(), x.requires_grad_(), speaker, cluster, torch.tensor(2)


def run(
    scorers: tuple[SpanScorer, AntecedentScorer],
) -> tuple[Spans, antecedents.Links, list[Tensor]]:
    h, x, speaker, cluster, genre = document()
    spans = scorers[0](h, x, SENTENCES)
    links = scorers[1](
        spans, speaker[spans.first], genre, cluster[spans.first, spans.last - spans.first]
    )
    wanted = [h, x, *(p for scorer in scorers for p in scorer.parameters())]
    return spans, links, list(torch.autograd.grad(links.loss, wanted))


def distance_bucket(distance: int) -> int:
    """1, 2, 3, 4, 5–7, 8–15, 16–31, 32–63, 64 and more."""
    return sum(distance >= begin for begin in (2, 3, 4, 5, 8, 16, 32, 64))


class Slow:
    """The same by loops; what is not learned by gradient is decided on the way."""

    def __init__(self, scorers: tuple[SpanScorer, AntecedentScorer]) -> None:
        self.of_spans, self.of_pairs = scorers
        self.h, self.x, self.speaker, self.cluster, self.genre = document()

    def vector(self, first: int, last: int) -> Tensor:
        tokens = slice(first, last + 1)
        attention = self.of_spans.head(self.h[tokens]).squeeze(1).softmax(0)
        head = (attention[:, None] * self.x[tokens]).sum(0)
        width = self.of_spans.width.weight[last - first]
        return torch.cat([self.h[first], self.h[last], width, head])

    def mentions(self) -> dict[tuple[int, int], Tensor]:
        """Every span inside a sentence, with its score."""
        return {
            (s, e): self.of_spans.rest(self.of_spans.first(self.vector(s, e))).squeeze()
            for s in range(TOKENS)
            for e in range(s, min(s + WIDTHS, TOKENS))
            if SENTENCES[s] == SENTENCES[e]
        }

    def pair(self, i: tuple[int, int], j: tuple[int, int], distance: int) -> Tensor:
        one, other = self.vector(*i), self.vector(*j)
        same = int(self.speaker[i[0]] == self.speaker[j[0]])
        features = [
            self.of_pairs.speaker.weight[same],
            self.of_pairs.genre.weight[self.genre],
            self.of_pairs.distance.weight[distance_bucket(distance)],
        ]
        both = torch.cat([one, other, one * other, *features])
        return self.of_pairs.rest(self.of_pairs.first(both)).squeeze()

    def run(self) -> tuple[list[tuple[int, int]], Tensor, list[int], list[float], list[Tensor]]:
        scores = self.mentions()
        grid = torch.full((TOKENS, WIDTHS), -torch.inf, dtype=torch.double)
        for (s, e), score in scores.items():
            grid[s, e - s] = score.detach()
        kept = sorted(greedy(grid, int(PER_WORD * TOKENS)))
        clusters = [int(self.cluster[s, e - s]) for s, e in kept]
        loss, best, sure = torch.zeros((), dtype=torch.double), [], []
        for n, i in enumerate(kept):
            options = [-1, *range(max(0, n - MOST), n)]
            of_options = torch.stack(
                [scores[i].new_zeros(())]
                + [scores[i] + scores[kept[m]] + self.pair(i, kept[m], n - m) for m in options[1:]]
            )
            right = [m >= 0 and clusters[m] == clusters[n] > 0 for m in options]
            right[0] = not any(right)
            p = of_options.softmax(0)
            loss = loss - p[torch.tensor(right)].sum().log()
            best.append(options[int(p.argmax())])
            sure.append(p.max().item())
        wanted = [p for scorer in (self.of_spans, self.of_pairs) for p in scorer.parameters()]
        gradients = torch.autograd.grad(loss, [self.h, self.x, *wanted])
        return kept, loss, best, sure, list(gradients)


@pytest.mark.parametrize("block", [1, 3, 16])
def test_equals_the_equations(
    block: int,
    scorers: tuple[SpanScorer, AntecedentScorer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spans, scores, links, loss and every gradient, however many spans are scored at once."""
    monkeypatch.setattr(antecedents, "BLOCK", block)
    spans, links, gradients = run(scorers)
    kept, loss, best, sure, expected = Slow(scorers).run()
    assert list(zip(spans.first.tolist(), spans.last.tolist(), strict=True)) == kept
    assert len(kept) == int(PER_WORD * TOKENS) > MOST
    torch.testing.assert_close(links.loss, loss)
    assert links.antecedent.tolist() == best
    assert any(a >= 0 for a in best)
    assert links.probability.tolist() == pytest.approx(sure)
    for found, wanted in zip(gradients, expected, strict=True):
        torch.testing.assert_close(found, wanted)
        assert wanted.abs().sum() > 0


def test_the_loss_s_gradient_by_finite_differences(
    scorers: tuple[SpanScorer, AntecedentScorer],
) -> None:
    _, scorer = scorers
    drawn = torch.Generator().manual_seed(2)
    n = 7
    place, cluster = torch.arange(n), torch.tensor([1, 2, 0, 1, 2, 1, 3])
    vectors = torch.randn(n, scorer.parts[0], generator=drawn, dtype=torch.double)
    scores = torch.randn(n, generator=drawn, dtype=torch.double)
    changed = (vectors.requires_grad_(), scores.requires_grad_(), *scorer.parameters())

    def loss(*_: Tensor) -> Tensor:
        links: antecedents.Links = scorer(
            Spans(place, place, scores, vectors), place % 2, torch.tensor(1), cluster
        )
        return links.loss

    assert gradcheck(loss, changed, fast_mode=True)


def test_a_mention_scores_through_both_ends_of_its_pairs(
    scorers: tuple[SpanScorer, AntecedentScorer],
) -> None:
    """With nothing but mention scores, P(j | i) is the softmax of s(i) + s(j), 0 for none."""
    _, scorer = scorers
    torch.nn.init.zeros_(scorer.rest[-1].weight)
    torch.nn.init.zeros_(scorer.rest[-1].bias)
    scores = torch.tensor([1.0, 2.0, -0.5], dtype=torch.double, requires_grad=True)
    vectors = torch.zeros(3, scorer.parts[0], dtype=torch.double)
    place = torch.arange(3)
    links = scorer(
        Spans(place, place, scores, vectors), place, torch.tensor(0), torch.tensor([1, 0, 1])
    )
    none = torch.zeros((), dtype=torch.double)
    second = torch.stack([none, scores[1] + scores[0]]).log_softmax(0)[0]
    third = torch.stack([none, scores[2] + scores[0], scores[2] + scores[1]]).log_softmax(0)[1]
    torch.testing.assert_close(links.loss, -second - third)
    assert links.antecedent.tolist() == [-1, 0, 1]


def test_distance_buckets(scorers: tuple[SpanScorer, AntecedentScorer]) -> None:
    _, scorer = scorers
    i = torch.tensor([70])
    j = torch.arange(70)[:, None]
    speaker = torch.arange(71) % 2
    features = scorer.features(i, j, speaker, torch.tensor(1))
    for at, feature in enumerate(features[:, 0]):
        same, genre, distance = feature.split(F)
        assert torch.equal(distance, scorer.distance.weight[distance_bucket(70 - at)])
        assert torch.equal(same, scorer.speaker.weight[int(at % 2 == 0)])
        assert torch.equal(genre, scorer.genre.weight[1])
    unknown = scorer.features(i, j, speaker, torch.tensor(0))
    assert not unknown[:, :, F : 2 * F].any()


@pytest.mark.parametrize(("m", "n"), [(3, 4), (9, 4)])  # rows against a weight of five rows
def test_pair_products(m: int, n: int) -> None:
    drawn = torch.Generator().manual_seed(0)
    a, b, weight = (
        torch.randn(rows, 3, generator=drawn, dtype=torch.double, requires_grad=True)
        for rows in (m, n, 5)
    )
    torch.testing.assert_close(
        pair_products(a, b, weight), torch.einsum("md,nd,od->mno", a, b, weight)
    )
    assert gradcheck(pair_products, (a, b, weight))


def test_features_are_dropped_in_training() -> None:
    """Those of a pair, and the width of a span."""
    sizes: dict[str, Any] = {"feature_dim": 50, "feed_forward": 6, "dropout": 0.5}
    scorer = SpanScorer(H, X, max_width=WIDTHS, spans_per_word=PER_WORD, **sizes)
    h, x = torch.randn(TOKENS, H), torch.randn(TOKENS, X)
    pairs = AntecedentScorer(scorer.output_dim, genres=2, max_antecedents=MOST, **sizes)
    i, speaker, genre = torch.arange(5), torch.zeros(5, dtype=torch.long), torch.tensor(1)

    def dropped() -> list[float]:
        width = scorer(h, x, SENTENCES).vectors[:, 2 * H : 2 * H + 50]
        features = pairs.features(i, i[:, None], speaker, genre)
        return [(part == 0).float().mean().item() for part in (width, features)]

    assert dropped() == pytest.approx([0.5, 0.5], abs=0.1)
    scorer.eval(), pairs.eval()
    assert dropped() == [0, 0]


@pytest.mark.parametrize(("tokens", "kept"), [(1, 1), (3, 1), (4, 2), (9, 5)])
def test_how_many_spans_stay_is_rounded_down(tokens: int, kept: int) -> None:
    scorer = SpanScorer(
        H, X, max_width=1, spans_per_word=0.6, feature_dim=F, feed_forward=6, dropout=0.0
    )
    inside = torch.ones(tokens, 1, dtype=torch.bool)
    assert len(scorer.best(torch.randn(tokens), inside)) == kept


def test_the_sum_over_a_span_is_as_exact_as_what_is_summed() -> None:
    x = torch.randn(9, 4, dtype=torch.double, requires_grad=True)
    weights = torch.rand(5, 3, dtype=torch.double, requires_grad=True)
    where = torch.randint(9, (5, 3))
    assert gradcheck(lambda x, weights: weighted_sum(x, where, weights), (x, weights))
