"""Character CNN, highway, projection: a token's vector from its spelling alone (layer 0).

Peters et al. 2018, section 3.4; Kim et al. 2016 for the highway layers.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_core.chars import CHARACTERS
from elmo_core.options import Options


class CharCNN(nn.Module):
    """(words, characters) int64 → (words, projection_dim)."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        total = options.filters_total
        self.embedding = nn.Parameter(torch.empty(CHARACTERS, options.char_dim))
        self.banks = nn.ModuleList(
            nn.Conv1d(options.char_dim, number, width) for width, number in options.filters
        )
        self.activation = torch.relu if options.activation == "relu" else torch.tanh
        self.highways = nn.ModuleList(Highway(total) for _ in range(options.highways))
        self.projection = nn.Linear(total, options.projection_dim)

    def forward(self, char_ids: Tensor) -> Tensor:
        """All positions count, padding characters included, as the published weights expect."""
        table = F.pad(self.embedding, (0, 0, 1, 0))  # a row of zeros for id 0, the mask
        spelled = F.embedding(char_ids, table).transpose(1, 2)  # (words, char_dim, characters)
        pooled = [self.activation(bank(spelled).amax(dim=-1)) for bank in self.banks]
        features = torch.cat(pooled, dim=-1)
        for highway in self.highways:
            features = highway(features)
        return self.projection(features)


class Highway(nn.Module):
    """g·relu(Wx + b) + (1 − g)·x, with the gate g = σ(W'x + b'); (…, size) → (…, size)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.carry = nn.Linear(size, size)

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.carry(x))
        return gate * torch.relu(self.transform(x)) + (1 - gate) * x
