"""BiLM: characters in, every layer of both directions out; state in, state out.

Peters et al. 2018, sections 3.1 and 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_core.bilm.char_cnn import CharCNN
from elmo_core.bilm.initialise import draw
from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.bilm.options import Options


class State(NamedTuple):
    """The memory of both directions (0: forward, 1: backward) in every LSTM layer."""

    hidden: Tensor  # (2, depth, batch, D)
    cell: Tensor  # (2, depth, batch, H)


class BiLM(nn.Module):
    """The two language models that share the token layer; D is the size of one direction.

    A new BiLM has random weights; `elmo_core.bilm.weights` loads trained ones. To encode sentences,
    take `load_encoder`; this is the model inside, for who needs its state or its gradients.

    Args:
        options: the published options, as the JSON structure or parsed.

    Raises:
        OptionsError: options that make no sense.

    Example:
        >>> from elmo_core import BiLM
        >>> from elmo_core.bilm.chars import sentence_ids
        >>> from elmo_core.downloads.presets import PRESETS
        >>> bilm = BiLM(PRESETS["elmo-mini"].options)
        >>> layers, state = bilm(sentence_ids([["The", "bank", "closed", "."], ["Hi"]]))
        >>> layers.shape  # (batch, layers, tokens with both boundaries, 2D)
        torch.Size([2, 3, 6, 256])
        >>> layers, state = bilm(sentence_ids([["And", "then"], ["Hi", "again"]]), state)
    """

    def __init__(self, options: Options | Mapping[str, Any]) -> None:
        super().__init__()
        self.options = options = Options.parse(options)
        self.char_cnn = CharCNN(options)
        self.forward_lstm = nn.ModuleList(ProjectedLSTM(options) for _ in range(options.depth))
        self.backward_lstm = nn.ModuleList(ProjectedLSTM(options) for _ in range(options.depth))
        if not self.char_cnn.embedding.is_meta:  # there, only shapes are wanted
            self.initialise()

    @property
    def layers(self) -> int:
        """How many layers there are: the token layer, and one for each LSTM of a direction."""
        return 1 + self.options.depth

    @property
    def dim(self) -> int:
        """The size of a layer: both directions side by side."""
        return 2 * self.options.projection_dim

    def initialise(self, generator: Generator | None = None) -> None:
        """Draw all weights anew, as the published training program does before it begins."""
        for name, weight in self.named_parameters():
            draw(name, weight, self.options, generator)

    def forward(self, char_ids: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Compute token vectors from their spelling, then all layers.

        Args:
            char_ids: (batch, tokens, characters) int64, boundary tokens included, as
                `elmo_core.bilm.chars.sentence_ids` makes them. A token whose ids are all 0 is
                masked.
            state: what the previous call returned for the same rows, or None for zeros.

        Returns:
            What `contextualise` returns.

        Raises:
            ValueError: a masked token stands before a real one, or a row has no other.
        """
        mask = (char_ids != 0).any(dim=-1)
        lengths = mask.sum(dim=1).cpu()
        if not torch.equal(mask.cpu(), _mask(lengths, char_ids.shape[1])):
            raise ValueError("masked tokens must stand at the end of their sentence")
        # Masked tokens are left out of the CNN: it is the dearest part for short sentences.
        tokens = self.char_cnn.embedding.new_zeros(*mask.shape, self.options.projection_dim)
        # Autocast's products are rounded; token vectors, states and layers are as the weights.
        tokens[mask] = self.char_cnn(char_ids[mask]).to(tokens.dtype)
        return self.contextualise(tokens, lengths, state)

    def contextualise(
        self, tokens: Tensor, lengths: Tensor, state: State | None = None
    ) -> tuple[Tensor, State]:
        """Run both directions over token vectors; the backward one from each sentence's own end.

        Args:
            tokens: (batch, tokens, D), boundaries included.
            lengths: (batch,) on the CPU, the number of each sentence's tokens.
            state: what the previous call returned for the same rows, or None for zeros.

        Returns:
            The layers, (batch, layers, tokens, 2D), zeros behind each sentence's end, and the state
            of every row at its own last token. Layer 0 is the token vector twice, so that all
            layers are of one size.

        Raises:
            ValueError: a length is 0.
        """
        if (lengths == 0).any():
            raise ValueError("every row needs a token that is not masked")
        hidden, cell = state or self.zero_state(len(tokens), tokens)
        order = _reversal(lengths, tokens.shape[1]).to(tokens.device)
        ahead, *state_ahead = self._run(self.forward_lstm, tokens, lengths, hidden[0], cell[0])
        back, *state_back = self._run(
            self.backward_lstm, _reorder(tokens, order), lengths, hidden[1], cell[1]
        )
        mask = _mask(lengths, tokens.shape[1]).to(tokens.device).unsqueeze(-1)
        tokens = tokens.masked_fill(~mask, 0.0)
        layers = [torch.cat([tokens, tokens], dim=-1)]
        for a, b in zip(ahead, back, strict=True):
            layers.append(torch.cat([a, _reorder(b, order)], dim=-1))
        pairs = zip(state_ahead, state_back, strict=True)
        return torch.stack(layers, dim=1), State(*(torch.stack(pair) for pair in pairs))

    def _run(
        self, lstms: nn.ModuleList, tokens: Tensor, lengths: Tensor, hidden: Tensor, cell: Tensor
    ) -> tuple[list[Tensor], Tensor, Tensor]:
        """Run one direction: each layer's output (batch, tokens, D), and new states (depth, …)."""
        x = pack_padded_sequence(tokens, lengths, batch_first=True, enforce_sorted=False)
        outputs, hiddens, cells = [], [], []
        for k, lstm in enumerate(lstms):
            y, h, c = lstm(x, hidden[k], cell[k])
            if k > 0 and self.options.skip:
                # The residual joins what leaves the layer, never its recurrence, and there is none
                # from the tokens into the first LSTM.
                y = y._replace(data=y.data + x.data)
            padded, _ = pad_packed_sequence(y, batch_first=True, total_length=tokens.shape[1])
            outputs.append(padded)
            hiddens.append(h.to(hidden.dtype))
            cells.append(c)
            x = y
        return outputs, torch.stack(hiddens), torch.stack(cells)

    def zero_state(self, batch: int, like: Tensor) -> State:
        """Return the state before the first token, on the device and in the precision of `like`."""
        shape = (2, self.options.depth, batch)
        return State(
            like.new_zeros(*shape, self.options.projection_dim),
            like.new_zeros(*shape, self.options.cells),
        )


def _mask(lengths: Tensor, tokens: int) -> Tensor:
    """Return (batch, tokens), true at real tokens."""
    return torch.arange(tokens) < lengths.unsqueeze(1)


def _reversal(lengths: Tensor, tokens: int) -> Tensor:
    """Return each position's mirror within its sentence, (batch, tokens); padding stays in place.

    Its own inverse: applied twice, everything is where it was.
    """
    position = torch.arange(tokens).expand(len(lengths), tokens)
    return torch.where(_mask(lengths, tokens), lengths.unsqueeze(1) - 1 - position, position)


def _reorder(x: Tensor, order: Tensor) -> Tensor:
    """Take the tokens of each row of (batch, tokens, size) in `order` (batch, tokens)."""
    return x.gather(1, order.unsqueeze(-1).expand_as(x))
