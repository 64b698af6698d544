"""Where vectors are compared: as they are, around their mean, or with equal spread all around."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

SPACES = ("raw", "centred", "whitened")
RIDGE = 1e-3  # of the mean variance, added to all: directions that were hardly shown stay small


def check_space(kind: str) -> None:
    """Raise ValueError where `kind` is none of SPACES."""
    if kind not in SPACES:
        raise ValueError(f"space={kind}: unknown (choose {', '.join(SPACES)})")


class Space(nn.Module):
    """The space that vectors are moved to before their cosines are taken.

    Contextual vectors lie in a narrow cone, in which every cosine is high (Ethayarajh 2019).
    "centred" takes off the mean of the vectors shown (the first step of Mu & Viswanath 2018);
    "whitened" also divides by the square root of their covariance (Su et al. 2021), here by its
    Cholesky factor, since a rotation changes no cosine. "raw" leaves vectors as they are.

    Raises:
        ValueError: `kind` is none of these.
    """

    shown: Tensor
    total: Tensor
    products: Tensor

    def __init__(self, kind: str, dim: int) -> None:
        super().__init__()
        check_space(kind)
        self.kind = kind
        if kind != "raw":
            sides = (dim, dim) if kind == "whitened" else (0, 0)
            self.register_buffer("shown", torch.zeros((), dtype=torch.long))
            self.register_buffer("total", torch.zeros(dim, dtype=torch.double))
            self.register_buffer("products", torch.zeros(sides, dtype=torch.double))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Space:
        """Move to another device, unless it has no double precision, as Apple's GPUs have none."""
        if self.kind != "raw":
            try:
                fn(self.total[:0])
            except TypeError:
                return self
        return super()._apply(fn, recurse)

    def add(self, vectors: Tensor) -> None:
        """Take vectors (any, dim) into the mean and the covariance."""
        if self.kind == "raw":
            return
        exact = vectors.to(self.total.device).double()
        self.shown += len(vectors)
        self.total += exact.sum(0)
        if self.kind == "whitened":
            self.products += exact.T @ exact

    def forward(self, vectors: Tensor, counts: Tensor | None = None) -> Tensor:
        """Move vectors (any, dim), or sums of `counts` (any,) vectors each, to the space."""
        if self.kind == "raw" or not self.shown:
            return vectors
        mean = self.total / self.shown
        weights = torch.ones_like(vectors[:, 0]) if counts is None else counts.to(vectors.dtype)
        centred = vectors - weights.unsqueeze(1) * mean.to(vectors.dtype).to(vectors.device)
        if self.kind == "centred":
            return centred
        covariance = self.products / self.shown - mean.outer(mean)
        covariance.diagonal().add_(RIDGE * covariance.diagonal().mean() + 1e-12)
        factor = torch.linalg.cholesky(covariance).to(vectors.dtype).to(vectors.device)
        return torch.linalg.solve_triangular(factor, centred.T, upper=False).T
