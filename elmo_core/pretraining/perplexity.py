"""Perplexity: full softmax, no dropout, carried state; the same number for any batch size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from elmo_core.pretraining.corpus import Corpus, encoded
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.streams import Arcs
from elmo_core.pretraining.vocabulary import Vocabulary

STEPS = 50
"""Tokens of a window. Any other number gives the same result: the state is carried."""


@dataclass(frozen=True)
class Perplexity:
    """The exponential of the mean loss a token; a sentence's end (or beginning) is a token, too."""

    forward: float
    backward: float
    tokens: int

    @property
    def average(self) -> float:
        """The mean of both, as the paper reports it (section 3.4)."""
        return (self.forward + self.backward) / 2

    def __str__(self) -> str:
        return (
            f"{self.average:.2f} (forward {self.forward:.2f}, backward {self.backward:.2f}) "
            f"over {self.tokens:,} tokens"
        )


@torch.no_grad()
def measure(
    model: LanguageModel, corpus: Corpus, rows: int = 64, limit: int | None = None
) -> Perplexity:
    """Read a corpus in pieces, `rows` at a time; the first token of a piece meets zero state.

    `limit` measures on about so many tokens instead, in pieces from all over the text.
    """
    arcs = Arcs(corpus)
    device = model.softmax.weight.device
    wanted = arcs.pieces if limit is None else min(arcs.pieces, -(-limit // arcs.length))
    pieces = np.arange(wanted) * arcs.pieces // wanted
    loss, tokens = torch.zeros(2, dtype=torch.float64), 0
    was_training = model.training
    model.eval()
    for chosen in np.split(pieces, range(rows, wanted, rows)):
        state = model.bilm.zero_state(len(chosen), model.softmax.weight)
        for window, mask in arcs.windows(chosen, STEPS):
            window = window.to(device)
            vectors, state = model(window, state)
            losses = model.softmax.losses(vectors.flatten(0, 2), window.targets.flatten())
            counted = losses.cpu().double().view(2, *mask.shape) * torch.from_numpy(mask)
            loss += counted.sum(dim=(1, 2))
            tokens += int(mask.sum())
    model.train(was_training)
    forward, backward = (loss / tokens).exp().tolist()
    return Perplexity(forward, backward, tokens)


def measure_text(
    model: LanguageModel, vocabulary: Vocabulary, texts: Sequence[Path], rows: int = 64
) -> Perplexity:
    """Measure tokenised text, one sentence a line. The package's docstring has an example.

    Args:
        model, vocabulary: what `elmo_core.pretraining.folder.load` returns.
        texts: files, or folders with all files below.
        rows: how many pieces are read at a time; of no consequence but for speed.

    Returns:
        The perplexity of both directions; `average` is the figure that papers report.

    Raises:
        TextError: a text is missing or not UTF-8.
        CorpusError: there is no sentence.
    """
    with TemporaryDirectory() as folder:
        corpus = encoded(texts, vocabulary, model.bilm.options.characters, Path(folder))
        return measure(model, corpus, rows)
