"""Character CNN, highway, projection: a token's vector from its spelling alone (layer 0).

Peters et al. 2018, section 3.4; Kim et al. 2016 for the highway layers.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from elmo_core.bilm.chars import CHARACTERS, PADDING
from elmo_core.bilm.options import Options
from elmo_core.devices import portions, sent
from elmo_core.products import Linear, linear


class CharCNN(nn.Module):
    """The token layer: (words, characters) int64 → (words, projection_dim)."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        total = options.filters_total
        self.embedding = nn.Parameter(torch.empty(CHARACTERS, options.char_dim))
        self.banks = nn.ModuleList(
            nn.Conv1d(options.char_dim, number, width) for width, number in options.filters
        )
        self.widest = max(width for width, _ in options.filters)
        self.activation = torch.relu if options.activation == "relu" else torch.tanh
        self.highways = nn.ModuleList(Highway(total) for _ in range(options.highways))
        self.projection = Linear(total, options.projection_dim)

    def forward(self, char_ids: Tensor) -> Tensor:
        """Spell words; all positions count, padding included, as the published weights expect.

        Behind a word's end all places of a filter see padding, and give the same number. So words
        are taken in the order of their length, and cut just behind the place where the longest of
        their chunk and the widest filter end: a quarter of the work for English.
        """
        lengths = _lengths(char_ids)
        order = lengths.argsort(stable=True)
        words = portions(char_ids.device).words
        ordered = lengths[order].tolist()  # of a GPU, in one go
        vectors = [
            self._spell(char_ids[rows], max(ordered[i * words : (i + 1) * words], default=0))
            for i, rows in enumerate(order.split(words))
        ]
        return torch.cat(vectors)[order.argsort()]

    def _spell(self, char_ids: Tensor, longest: int) -> Tensor:
        """Spell words of at most `longest` characters before their padding."""
        features = self.activation(self._pool(char_ids, longest) + self._bias())
        for highway in self.highways:
            features = highway(features)
        return self.projection(features)

    def _pool(self, char_ids: Tensor, longest: int) -> Tensor:
        """Find the largest product of each filter with any window of its width: (words, filters).

        All filters are one matrix, the narrower ones filled up with zeros.
        """
        places = char_ids.shape[1]
        if longest + self.widest <= places:  # then any window further on holds padding alone
            windows, barred = longest + 1, None
        else:
            windows, barred = places, self._barred(places)
            char_ids = F.pad(char_ids, (0, self.widest - 1))
        table = F.pad(self.embedding, (0, 0, 1, 0))  # a row of zeros for id 0, the mask
        spelled = F.embedding(char_ids.unfold(1, self.widest, 1)[:, :windows], table)
        products = self._filtered(spelled.flatten(2))
        return _Max.apply(products if barred is None else products + barred)

    def _filtered(self, windows: Tensor) -> Tensor:
        """Apply the filters: (words, windows, widest · char_dim) → (words, windows, filters)."""
        return linear(windows, self._matrix())

    def _banks(self) -> list[nn.Conv1d]:
        return [bank for bank in self.banks if isinstance(bank, nn.Conv1d)]

    def _matrix(self) -> Tensor:
        """Return all filters as one matrix, (filters, widest · char_dim)."""
        banks = (bank.weight.transpose(1, 2) for bank in self._banks())
        return torch.cat([F.pad(b, (0, 0, 0, self.widest - b.shape[1])) for b in banks]).flatten(1)

    def _bias(self) -> Tensor:
        return torch.cat([bias for bank in self._banks() if (bias := bank.bias) is not None])

    def _barred(self, places: int) -> Tensor:
        """Return (places, filters): −∞ where a filter's window would stand out behind the last."""
        widths = [bank.kernel_size[0] for bank in self._banks() for _ in range(bank.out_channels)]
        end = torch.arange(places).unsqueeze(1) + torch.tensor(widths)
        barred = torch.where(end > places, -math.inf, 0.0).to(self.embedding.dtype)
        return sent(barred, self.embedding.device)


def _lengths(char_ids: Tensor) -> Tensor:
    """Count each word's characters up to the last one that is no padding: (words,)."""
    places = torch.arange(1, char_ids.shape[1] + 1, device=char_ids.device)
    return ((char_ids != PADDING + 1) * places).amax(dim=1)


class _Max(torch.autograd.Function):
    """The maximum over windows, (words, windows, filters) → (words, filters).

    It differentiates six times as fast as torch's `amax`.
    """

    @staticmethod
    def forward(ctx: Any, products: Tensor) -> Tensor:
        largest = products.amax(dim=1)
        ctx.save_for_backward(products, largest)
        return largest

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        products, largest = ctx.saved_tensors
        hits = torch.eq(products, largest.unsqueeze(1), out=torch.empty_like(products))
        return hits.mul_((gradient / hits.sum(dim=1)).unsqueeze(1))  # equal ones share


class Highway(nn.Module):
    """The layer g·relu(Wx + b) + (1 − g)·x, with g = σ(W'x + b'): (…, size) → (…, size)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = Linear(size, size)
        self.carry = Linear(size, size)

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.carry(x))
        return gate * torch.relu(self.transform(x)) + (1 - gate) * x
