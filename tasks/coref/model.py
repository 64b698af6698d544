"""End-to-end coreference (Lee et al. 2017) with ELMo, as in Peters et al. 2018, appendix A.6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from elmo_core import Placement
from elmo_core.devices import sent
from elmo_core.dropout import Dropout
from tasks.coref.antecedents import AntecedentScorer, Links
from tasks.coref.spans import Spans, SpanScorer
from tasks.nn.char_words import PAD, CharCNN
from tasks.nn.recurrent.coupled_lstm import CoupledBiLSTM
from tasks.nn.words import WordEmbedding


@dataclass(frozen=True)
class Sizes:
    """The hyperparameters of the model, as conf/task/coref.yaml has them."""

    word_dim: int = 300  # of word vectors that are learned
    char_dim: int = 8
    char_filters: int = 50
    char_widths: tuple[int, ...] = (3, 4, 5)
    hidden: int = 200  # units of the LSTM, in each direction
    feed_forward: int = 150  # units of both networks, in both hidden layers
    feature_dim: int = 20  # of width, speaker, genre and distance each
    max_width: int = 10  # tokens of a span
    spans_per_word: float = 0.4  # that stay after pruning
    max_antecedents: int = 250  # spans before a span that it may refer to
    max_sentences: int = 50  # of a document, in training
    lexical_dropout: float = 0.5  # on words and characters
    dropout: float = 0.2  # everywhere else


class EndToEnd(nn.Module):
    """The model that finds, for each of a document's likeliest mentions, the likeliest antecedent.

    Words and their spelling, one biLSTM over each sentence, spans, antecedents. The heads of spans
    are sought among words and spellings alone, as by Lee et al.'s own successor with ELMo (2018).
    In training, a document of more than `max_sentences` sentences shows a random stretch of as
    many.
    """

    def __init__(
        self,
        words: WordEmbedding,
        placement: Placement,
        sizes: Sizes,
        *,
        genres: int,
    ) -> None:
        super().__init__()
        self.words = words
        self.spelling = CharCNN(
            char_dim=sizes.char_dim, filters=sizes.char_filters, widths=sizes.char_widths
        )
        # As in Lee et al.'s code: spellings, like words, begin as vectors of a length near 1.
        nn.init.xavier_uniform_(self.spelling.table.weight)
        nn.init.zeros_(self.spelling.table.weight[PAD])
        self.placement = placement
        self.max_sentences = sizes.max_sentences
        self.lexical_dropout = Dropout(sizes.lexical_dropout)
        self.dropout = Dropout(sizes.dropout)
        x_dim = words.output_dim + self.spelling.output_dim
        self.encoder = CoupledBiLSTM(placement.input_dim(x_dim), sizes.hidden, sizes.dropout)
        shared: dict[str, Any] = {
            "feature_dim": sizes.feature_dim,
            "feed_forward": sizes.feed_forward,
            "dropout": sizes.dropout,
        }
        h_dim = placement.output_dim(self.encoder.output_dim)
        self.spans = SpanScorer(
            h_dim,
            x_dim,
            max_width=sizes.max_width,
            spans_per_word=sizes.spans_per_word,
            **shared,
        )
        self.antecedents = AntecedentScorer(
            self.spans.output_dim, genres=genres, max_antecedents=sizes.max_antecedents, **shared
        )

    def forward(self, batch: dict[str, Tensor], layers: Tensor | None) -> dict[str, Tensor]:
        """Resolve documents whose sentences stand one a row, document after document: `words`,
        `mask`, `speakers` (sentences, tokens), `lengths` (sentences,), `spellings` and `spelled`
        of `spell`; `genre` and `document_lengths`, in sentences, (documents,); `gold` (mentions,
        3): first token, last token, cluster, tokens counted through the batch, clusters from 1.

        Returns `loss`, the mean over documents; `mentions` (spans, 2), first and last token of each
        span that stays; `antecedent` (spans,), its antecedent's row in `mentions` or −1;
        `probability` (spans,), that of the antecedent, or of there being none.
        """
        # Where everything stands is found on the CPU, from lengths: a GPU is not waited for.
        numbers, lengths = batch["document_lengths"], batch["lengths"]
        begins = lengths.cumsum(0) - lengths  # of sentences, in the batch's tokens
        document = torch.arange(len(numbers)).repeat_interleave(numbers)
        if self.training:
            seen = stretches(document, self.max_sentences).nonzero().squeeze(1)
            batch, layers = _chosen(batch, layers, seen)
            begins, lengths, document = begins[seen], lengths[seen], document[seen]
        x, h = self.encode(batch, layers, lengths)

        sentence, cells = _tokens(lengths, x.shape[1])
        place = sent(cells, x.device)
        x, h, speakers = (
            part.flatten(0, 1).index_select(0, place) for part in (x, h, batch["speakers"])
        )
        sizes = torch.zeros_like(numbers).index_add_(0, document, lengths).tolist()
        parts = (part.split(sizes) for part in (x, h, sentence, speakers))
        documents: Any = zip(*parts, strict=True)
        seen_of_each = document.bincount()
        first = begins[seen_of_each.cumsum(0) - seen_of_each].tolist()  # tokens of the batch
        return _joined(
            [
                self.resolve(*document, begin=begin, genre=genre, gold=batch["gold"])
                for document, begin, genre in zip(documents, first, batch["genre"], strict=True)
            ]
        )

    def encode(
        self, batch: dict[str, Tensor], layers: Tensor | None, lengths: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return tokens' vectors x, and h, in the light of their sentences: (…, tokens, dim)."""
        mask, spelled = batch["mask"], self.spelling(batch["spellings"], batch["spelled"])
        x = torch.cat([F.normalize(self.words(batch["words"]), dim=2), spelled], dim=2)
        x = self.lexical_dropout(x)
        h = self.dropout(self.encoder(self.placement.input(x, layers, mask), lengths))
        return x, self.placement.output(h, layers, mask)

    def resolve(
        self,
        x: Tensor,
        h: Tensor,
        sentence: Tensor,
        speaker: Tensor,
        *,
        begin: int,
        genre: Tensor,
        gold: Tensor,
    ) -> tuple[Tensor, Links]:
        """Resolve one document, (tokens, …) each: first and last token of its spans, and links.

        `sentence`, the number of each token's, is on the CPU; `begin` is the document's first token
        in the batch.
        """
        spans = self.spans(h, x, sentence)
        cluster = self.clusters(spans, gold, begin, len(x))
        links = self.antecedents(spans, speaker[spans.first], genre, cluster)
        return torch.stack([spans.first, spans.last], dim=1) + begin, links

    def clusters(self, spans: Spans, gold: Tensor, begin: int, tokens: int) -> Tensor:
        """Return the gold cluster of each span, 0 if it is no mention.

        `gold` may hold other documents' mentions, and mentions too wide for a span: all these are
        put into one cell behind the others.
        """
        first, last, cluster = gold.unbind(1)
        first, last, widths = first - begin, last - begin, self.spans.max_width
        within = (first >= 0) & (last < tokens) & (last - first < widths)
        cells = cluster.new_zeros(tokens * widths + 1)
        cells[torch.where(within, first * widths + last - first, tokens * widths)] = cluster
        return cells[spans.first * widths + spans.last - spans.first]


def stretches(document: Tensor, most: int) -> Tensor:
    """Choose what a training step sees: at most `most` contiguous sentences of each document.

    `document` (sentences,), on the CPU, ascending from 0 → bool (sentences,). Where a stretch
    begins is drawn from torch's global seed, which the trainer sets for each epoch.
    """
    number = document.bincount()
    spare = (number - most).clamp(min=0)
    begin = (torch.rand(len(number)) * (spare + 1)).long()
    place = torch.arange(len(document)) - (number.cumsum(0) - number + begin)[document]
    return (place >= 0) & (place < most)


def _chosen(
    batch: dict[str, Tensor], layers: Tensor | None, rows: Tensor
) -> tuple[dict[str, Tensor], Tensor | None]:
    """Keep some of a batch's sentences."""
    rows = sent(rows, batch["mask"].device)
    names = ("words", "mask", "spelled", "speakers")
    kept = {name: batch[name].index_select(0, rows) for name in names}
    return {**batch, **kept}, None if layers is None else layers.index_select(0, rows)


def _tokens(lengths: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """List the tokens of sentences of these lengths, on the CPU: the sentence of each, and its cell
    in a grid (sentences, width)."""
    sentence = torch.arange(len(lengths)).repeat_interleave(lengths)
    within = torch.arange(len(sentence)) - (lengths.cumsum(0) - lengths)[sentence]
    return sentence, sentence * width + within


def _joined(results: Sequence[tuple[Tensor, Links]]) -> dict[str, Tensor]:
    """Join the documents' results, antecedents counted through all spans."""
    mentions, links = zip(*results, strict=True)
    antecedents, before = [], 0
    for of_document in (link.antecedent for link in links):
        antecedents.append(torch.where(of_document >= 0, of_document + before, -1))
        before += len(of_document)
    return {
        "loss": torch.stack([link.loss for link in links]).mean(),
        "mentions": torch.cat(mentions),
        "antecedent": torch.cat(antecedents),
        "probability": torch.cat([link.probability for link in links]),
    }
