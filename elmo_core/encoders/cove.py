"""CoVe: the encoder of a translation model, McCann et al. 2017, "Learned in Translation"."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from elmo_core.devices import sent
from elmo_core.downloads.cache import cache_folder
from elmo_core.downloads.fetch import download
from elmo_core.encoder import check_sentences
from elmo_core.encoders.batches import in_batches
from elmo_core.errors import WeightsError
from elmo_core.precision import exact_float32
from elmo_core.state_dicts import add_tensors, read_state
from elmo_core.word_vectors import WordVectors

URL = "https://s3.amazonaws.com/research.metamind.io/cove/wmtlstm-8f474287.pth"
SHA256 = "8f474287"  # its first digits, which the authors put into the name
BATCH_TOKENS = 4096


class CoveEncoder:
    """The MT-LSTM: GloVe vectors, and the outputs of the biLSTM's layers above them.

    Layer 0 is the GloVe vector twice, [x; x], as a biLM's token layer is, so that all layers have
    one size: 600 in the published model. Each sentence starts from zero state.
    """

    def __init__(self, lstms: Sequence[nn.LSTM], vectors: WordVectors, lower: bool) -> None:
        self.lstms = nn.ModuleList(lstms).eval().requires_grad_(False)
        self.vectors, self.lower = vectors, lower
        self.name, self.layers, self.dim = "cove", len(lstms) + 1, 2 * vectors.dim
        weights = sum(parameter.numel() for parameter in self.lstms.parameters())
        self.parameters = weights + len(vectors) * vectors.dim

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the weights, the vectors and the choice of case."""
        digest = hashlib.sha256(f"cove {self.lower} {self.vectors.sha256}".encode())
        add_tensors(digest, self.lstms.state_dict().items())
        return digest.hexdigest()

    def to(self, device: torch.device | str) -> CoveEncoder:
        """Compute there from now on; results still arrive on the CPU."""
        self.lstms.to(device)
        return self

    @torch.no_grad()
    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return float32 (layers, tokens, dim) for each sentence, in order, on the CPU.

        Raises ValueError, saying where, for an empty sentence or an empty word.
        """
        check_sentences(sentences)
        device = next(self.lstms.parameters()).device
        with exact_float32(device):
            return in_batches(sentences, partial(self._contextualise, device), BATCH_TOKENS)

    def _embed(self, words: Sequence[str]) -> Tensor:
        return self.vectors([word.lower() for word in words] if self.lower else words)

    def _contextualise(
        self, device: torch.device, sentences: Sequence[Sequence[str]]
    ) -> Iterator[Tensor]:
        """Yield the layers of each of these sentences, the longest first."""
        embedded = [self._embed(words) for words in sentences]
        lengths = [len(rows) for rows in embedded]
        tokens = pad_sequence(embedded, batch_first=True)
        packed = pack_padded_sequence(sent(tokens, device), torch.tensor(lengths), batch_first=True)
        layers = [torch.cat([tokens, tokens], dim=-1)]
        for lstm in self.lstms:
            packed, _ = lstm(packed)
            layers.append(pad_packed_sequence(packed, batch_first=True)[0].cpu())
        for row, length in zip(torch.stack(layers, dim=1), lengths, strict=True):
            yield row[:, :length].clone()  # a view would keep the whole batch alive


def load_cove(
    vectors: str | Path | None,
    weights: str | Path | None = None,
    *,
    lower: bool = True,
    offline: bool = False,
) -> CoveEncoder:
    """Load the MT-LSTM over a GloVe text file's vectors (the published one: glove.840B.300d).

    `weights` is a state dict of `nn.LSTM` as PyTorch saves it, read without running code; without a
    path, the published file is taken from the cache, or downloaded into it. As in the original,
    words without a vector are zeros, and text is lower-cased, although these GloVe vectors know
    case: so the authors prepared the text that the MT-LSTM learned from.

    Raises OptionsError, WeightsError or FetchError, all of them ElmoCoreError.
    """
    table = WordVectors(vectors)
    path = Path(weights).expanduser() if weights else cache_folder() / "cove" / URL.split("/")[-1]
    if weights is None:
        download(URL, path, sha256=SHA256, offline=offline)
    return CoveEncoder(_read(path, table.dim), table, lower)


def _read(path: Path, dim: int) -> list[nn.LSTM]:
    """Read one biLSTM a layer, from a file that has one for all."""
    state = {key.removeprefix("rnn."): tensor for key, tensor in read_state(path).items()}
    count = sum(key.startswith("weight_ih_l") for key in state) // 2 or 1
    whole = nn.LSTM(dim, dim, num_layers=count, bidirectional=True, device="meta")
    try:
        whole.load_state_dict(state, assign=True)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise WeightsError(
            f"{path}: not a biLSTM of {dim} to {dim} a direction, which vectors of size {dim} ask "
            f"for: {reason}"
        ) from error
    return [_layer(state, k, dim) for k in range(count)]


def _layer(state: dict[str, Tensor], k: int, dim: int) -> nn.LSTM:
    """Make the k-th biLSTM alone: an nn.LSTM of several layers gives only the last's output."""
    lstm = nn.LSTM(2 * dim if k else dim, dim, bidirectional=True)
    own = {f"_l{k}": "_l0", f"_l{k}_reverse": "_l0_reverse"}
    for theirs, ours in own.items():
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(lstm, kind + ours).data.copy_(state[kind + theirs])
    return lstm
