"""Linear-chain conditional random field (Lafferty et al. 2001) over padded sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

Follows = Callable[[str | None, str | None], bool]
"""Whether the second tag may follow the first; None is a sequence's beginning or end."""


class CRF(nn.Module):
    """The distribution p(y | x) ∝ exp(score of y) over sequences of tags.

    The score of y is Σ emissions[t, y_t] + Σ transitions[y_t, y_{t+1}] + start[y_1] + end[y_n].

    The scores of transitions, start and end are learned, except where `follows` says no: these
    stay at −inf, in learning as in decoding, so that probability goes only to sequences that can
    be chosen. (Peters et al. 2018, A.7, constrain decoding alone; constrained learning can only
    fit valid gold tags better, Papay et al. 2022.) Gold tags must be valid: otherwise the loss is
    infinite.
    """

    impossible: Tensor

    def __init__(self, tags: Sequence[str], follows: Follows = lambda before, after: True) -> None:
        super().__init__()
        bounded = [None, *tags]  # row and column 0: the sequence's beginning and end
        self.scores = nn.Parameter(torch.zeros(len(bounded), len(bounded)))
        nn.init.xavier_normal_(self.scores)
        allowed = torch.tensor([[follows(a, b) for b in bounded] for a in bounded])
        self.register_buffer("impossible", ~allowed, persistent=False)

    def chain(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return what `viterbi` needs: transitions (tags, tags), start (tags,), end (tags,)."""
        scores = self.scores.masked_fill(self.impossible, -torch.inf)
        return scores[1:, 1:], scores[0, 1:], scores[1:, 0]

    def forward(self, emissions: Tensor, mask: Tensor, tags: Tensor) -> Tensor:
        """Compute the mean negative log-likelihood of the gold tags over the batch, a scalar.

        `emissions` (batch, tokens, tags); `mask` (batch, tokens), True at real tokens, which come
        first, at least one a row; `tags` (batch, tokens), any index where `mask` is False.
        """
        emissions = emissions.float()
        return (self.log_partition(emissions, mask) - self.score(emissions, mask, tags)).mean()

    def score(self, emissions: Tensor, mask: Tensor, tags: Tensor) -> Tensor:
        """Compute the unnormalised log-score of each row's tags: (batch,)."""
        transitions, start, end = self.chain()
        emitted = emissions.gather(2, tags.unsqueeze(2)).squeeze(2).masked_fill(~mask, 0.0)
        moved = transitions[tags[:, :-1], tags[:, 1:]].masked_fill(~mask[:, 1:], 0.0)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return emitted.sum(1) + moved.sum(1) + start[tags[:, 0]] + end[last]

    def log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Compute log Σ_y exp(score of y) over all valid tag sequences of each row: (batch,)."""
        transitions, start, end = self.chain()
        total = start + emissions[:, 0]
        for t in range(1, emissions.shape[1]):
            arriving = torch.logsumexp(total.unsqueeze(2) + transitions, dim=1) + emissions[:, t]
            total = torch.where(mask[:, t, None], arriving, total)
        return torch.logsumexp(total + end, dim=1)
