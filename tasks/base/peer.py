"""AllenNLP's modules with our weights in them, of which a task's `peer.py` makes its network.

`python -m bench.speed --peer PYTHON` measures a training step of a task beside the same step of a
network that is built of AllenNLP's modules. Where a task's folder has a `peer.py`, that
interpreter runs it, and this file: they import nothing else of ours. A peer.py has

- `OVERRIDES`: what of our own configuration is changed, so that both compute the same function;
- `DIFFERENCE`: what is not the same all the same, in words; "" if nothing;
- `Network(parameters, chosen)`: an `nn.Module` whose `forward(batch, layers)` takes what our
  model's does (`Task.model`), and returns the loss alone.

`parameters` are our model's, by name. `chosen` has our configuration under `task` and `elmo`, the
encoder's `layers` and `dim` under `encoder`, and `Task.labels` under `labels`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import torch
from allennlp.data import Vocabulary
from allennlp.modules import FeedForward, ScalarMix
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper
from allennlp.modules.seq2vec_encoders import CnnEncoder
from allennlp.modules.token_embedders import Embedding
from allennlp.nn import Activation
from torch import Tensor, nn

Module = TypeVar("Module", bound=nn.Module)


class Weights:
    """Our model's parameters by name, and AllenNLP's modules that have them."""

    def __init__(self, parameters: Mapping[str, nn.Parameter]) -> None:
        self.parameters = parameters

    def __getitem__(self, name: str) -> nn.Parameter:
        return self.parameters[name]

    def into(self, module: Module, prefix: str) -> Module:
        """Copy our parameters into a module that calls them the same, after `prefix`."""
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.copy_(self[prefix + name])
        return module

    def embedding(self, name: str) -> Embedding:
        """Make a table, frozen if ours is; index 0 is padding."""
        weight = self[name]
        rows, dim = weight.shape
        made = Embedding(dim, rows, padding_index=0, trainable=weight.requires_grad)
        made.weight.data.copy_(weight)
        return made

    def mix(self, place: str) -> ScalarMix:
        """Make the mix of the encoder's layers at a place, `input` or `output`."""
        prefix = f"placement.mixes.{place}"
        made = ScalarMix(len(self[f"{prefix}.w"]), initial_scalar_parameters=self[f"{prefix}.w"])
        made.gamma.data.copy_(self[f"{prefix}.gamma"])
        return made

    def elmo(self, chosen: Mapping[str, Any], *places: str) -> Mixes:
        """Make the mixes at these places."""
        mixes = [self.mix(place) for place in places]
        return Mixes(mixes, chosen["encoder"]["dim"], chosen["elmo"]["dropout"])

    def words(self) -> Embedding:
        """Make the table of words."""
        return self.embedding("words.table.weight")

    def both_ways(self, prefix: str) -> PytorchSeq2SeqWrapper:
        """Make a bidirectional LSTM or GRU, whichever ours is."""
        gates, dim = self[f"{prefix}.weight_ih_l0"].shape
        hidden = self[f"{prefix}.weight_hh_l0"].shape[1]
        kind = {3: nn.GRU, 4: nn.LSTM}[gates // hidden]
        made = kind(dim, hidden, batch_first=True, bidirectional=True)
        return PytorchSeq2SeqWrapper(self.into(made, f"{prefix}."))

    def linear(self, prefix: str) -> nn.Linear:
        """Make a linear layer, with a bias if ours has one."""
        rows, columns = self[f"{prefix}.weight"].shape
        bias = f"{prefix}.bias" in self.parameters
        return self.into(nn.Linear(columns, rows, bias=bias), f"{prefix}.")

    def feed_forward(
        self, prefixes: Sequence[str], activations: Sequence[str], dropout: Sequence[float]
    ) -> FeedForward:
        """Make linear layers, each with what comes after it."""
        layers = [self.linear(prefix) for prefix in prefixes]
        functions = [Activation.by_name(name)() for name in activations]
        sizes = [layer.out_features for layer in layers]
        made = FeedForward(layers[0].in_features, len(layers), sizes, functions, list(dropout))
        made._linear_layers = nn.ModuleList(layers)
        return made

    def characters(self, prefix: str, dropout: float = 0.0) -> Characters:
        """Make a character CNN."""
        banks = [name for name in self.parameters if name.startswith(f"{prefix}.banks.")]
        shapes = [tuple(self[name].shape) for name in banks if name.endswith("weight")]
        widths = [width for _, _, width in shapes]
        filters, dim, _ = shapes[0]
        encoder = CnnEncoder(dim, filters, widths)
        for i in range(len(widths)):
            self.into(getattr(encoder, f"conv_layer_{i}"), f"{prefix}.banks.{i}.")
        return Characters(self.embedding(f"{prefix}.table.weight"), encoder, max(widths), dropout)


class Characters(nn.Module):
    """AllenNLP's character CNN of each token, over windows that also reach beyond a word's ends.

    Its own TokenCharactersEncoder has no such windows, and no dropout of characters. Filters of one
    width see what ours see; of several, the narrower ones see some windows more.
    """

    def __init__(self, table: Embedding, encoder: CnnEncoder, width: int, dropout: float) -> None:
        super().__init__()
        self.table, self.encoder, self.width = table, encoder, width
        self.dropout = nn.Dropout(dropout)

    def get_output_dim(self) -> int:
        dim: int = self.encoder.get_output_dim()
        return dim

    def forward(self, spellings: Tensor, spelled: Tensor) -> Tensor:
        """Read distinct words (words, characters) that stand where `spelled` (batch, tokens) says,
        from 1, each time anew: (batch, tokens, filters)."""
        before, after = (self.width - 1) // 2, self.width // 2
        words = nn.functional.pad(spellings, (0, 0, 1, 0))[spelled.flatten()]
        lengths = (words != 0).sum(1, keepdim=True) + before + after
        words = nn.functional.pad(words, (before, after))
        x = self.dropout(self.table(words))
        return self.encoder(x, torch.arange(words.shape[1]) < lengths).unflatten(0, spelled.shape)


class Mixes(nn.Module):
    """Stands for AllenNLP's Elmo: a mix for each place, of layers that are there already."""

    def __init__(self, mixes: Sequence[ScalarMix], dim: int, dropout: float) -> None:
        super().__init__()
        self._scalar_mixes = nn.ModuleList(mixes)  # AllenNLP's name: the BCN counts them
        self.dim, self.dropout = dim, nn.Dropout(dropout)

    def get_output_dim(self) -> int:
        return self.dim

    def forward(self, layers: Tensor) -> dict[str, list[Tensor]]:
        """Mix layers (batch, layers, tokens, dim): (batch, tokens, dim) for each place."""
        mixed = (mix(layers.unbind(1)) for mix in self._scalar_mixes)
        return {"elmo_representations": [self.dropout(each) for each in mixed]}


class Text(nn.Module):
    """Stands for AllenNLP's TextFieldEmbedder: [word; spelling; ELMo] of what `text` returns."""

    def __init__(
        self, table: Embedding, elmo: Mixes | None = None, spelling: Characters | None = None
    ) -> None:
        super().__init__()
        self.table, self.elmo, self.spelling = table, elmo, spelling
        self._token_embedders: dict[str, nn.Module] = {}  # where the BCN looks for ELMo

    def get_output_dim(self) -> int:
        parts = (self.table, self.elmo, self.spelling)
        return sum(part.get_output_dim() for part in parts if part is not None)

    def forward(self, given: Mapping[str, Mapping[str, Tensor]]) -> Tensor:
        text = given["text"]
        parts = [self.table(text["words"])]
        if self.spelling is not None:
            parts.append(self.spelling(text["spellings"], text["spelled"]))
        if self.elmo is not None:
            parts += self.elmo(text["layers"])["elmo_representations"]
        return torch.cat(parts, dim=2)


def text(words: Tensor, layers: Tensor, mask: Tensor) -> dict[str, dict[str, Tensor]]:
    """Return what AllenNLP's models take for a text: words and mask (batch, tokens), layers (batch,
    layers, tokens, dim)."""
    return {"text": {"words": words, "layers": layers, "mask": mask}}


def vocabulary(labels: Sequence[str]) -> Vocabulary:
    """Make a vocabulary of labels alone, in this order."""
    made = Vocabulary()
    made.add_tokens_to_namespace(list(labels), "labels")
    return made
