"""ELMoForManyLangs: biLMs of 44 languages, Che et al. 2018, "Towards Better UD Parsing".

The LSTMs are ELMo's. A token's vector comes from its characters, Unicode ones instead of bytes, and
from a vector of its own: github.com/HIT-SCIR/ELMoForManyLangs, `modules/token_embedder.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

import torch
from torch import Tensor, nn

from elmo_core.bilm.frozen import FrozenDirections
from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.devices import portions, sent
from elmo_core.encoder import check_sentences
from elmo_core.encoders import manylangs_layout as layout
from elmo_core.encoders.batches import in_batches
from elmo_core.encoders.manylangs_layout import BOUNDARIES, Settings
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.precision import exact_float32
from elmo_core.products import check_precision
from elmo_core.state_dicts import add_tensors

CHUNK_WORDS = 128
"""Words spelled at a time: what the filters give is 400 kB a word in the published models."""


class Spelling:
    """Looks words and characters up: the rows of the vectors that they have."""

    def __init__(
        self, words: dict[str, int] | None, characters: dict[str, int] | None, width: int
    ) -> None:
        self.words, self.characters, self.width = words, characters, width

    def word(self, word: str) -> int:
        """Return a word's own row; as in the original, a long word is looked up as it is cut."""
        assert self.words is not None
        return self.words.get(word[: self.width - 2], self.words["<oov>"])

    def spelled(self, word: str) -> list[int]:
        """Return the rows of a word's characters, `width` of them, boundaries and padding included.

        As in the original, what the dictionary calls the end of a word stands at its beginning,
        and the other way round.
        """
        assert self.characters is not None
        rows, oov = self.characters, self.characters["<oov>"]
        cut = word[: self.width - 2]
        inner = [rows[cut]] if cut in BOUNDARIES else [rows.get(letter, oov) for letter in cut]
        framed = [rows["<eow>"], *inner, rows["<bow>"]]
        return framed + [rows["<pad>"]] * (self.width - len(framed))


class TokenLayer(nn.Module):
    """Computes a word's vector from its own row and from its characters."""

    def __init__(self, settings: Settings, words: int, characters: int) -> None:
        """Take the rows of both embeddings; 0 where the model has none."""
        super().__init__()
        options, size = settings.options, 0
        if words:
            size += settings.word_dim
            self.words = nn.Embedding(words, settings.word_dim)
        if characters:
            total = options.filters_total
            size += total
            self.characters = nn.Embedding(characters, options.char_dim)
            self.filters = nn.ModuleList(
                nn.Conv1d(options.char_dim, number, width) for width, number in options.filters
            )
            self.highways = nn.ModuleList(
                nn.Linear(total, 2 * total) for _ in range(options.highways)
            )
        self.projection = nn.Linear(size, options.projection_dim)
        self.activation = torch.relu if options.activation == "relu" else torch.tanh

    def forward(self, words: Tensor | None, characters: Tensor | None) -> Tensor:
        """Take rows (words,) and (words, characters); return vectors (words, projection_dim)."""
        parts = []
        if words is not None:
            parts.append(self.words(words))
        if characters is not None:
            parts.append(self._spell(characters))
        return self.projection(torch.cat(parts, dim=-1))

    def _spell(self, characters: Tensor) -> Tensor:
        """Return (words, filters); all positions count, padding included."""
        embedded = self.characters(characters).transpose(1, 2)
        x = torch.cat([bank(embedded).amax(dim=-1) for bank in self.filters], dim=-1)
        x = self.activation(x)
        for highway in self.highways:
            candidate, gate = highway(x).chunk(2, dim=-1)
            gate = torch.sigmoid(gate)
            x = gate * x + (1 - gate) * torch.relu(candidate)
        return x


class ManyLangsBiLM(nn.Module):
    """Holds the token layer and the LSTM layers of both directions."""

    def __init__(self, settings: Settings, words: int, characters: int) -> None:
        """Take the rows of both embeddings; 0 where the model has none."""
        super().__init__()
        options = settings.options
        self.settings = settings
        self.tokens = TokenLayer(settings, words, characters)
        self.forward_lstm, self.backward_lstm = (
            nn.ModuleList(ProjectedLSTM(options) for _ in range(options.depth)) for _ in range(2)
        )


class ManyLangsEncoder:
    """Reads each sentence from zero state, between its boundaries, alike in any company.

    Their program carries its state from batch to batch, so that its vectors of a sentence depend
    on what was read before it; its first batch begins with zeros, as every sentence does here.
    Layer 0 is the token's vector twice; the layers are their `output_layer` 0, 1 and 2.
    """

    def __init__(self, bilm: ManyLangsBiLM, spelling: Spelling, name: str, precision: str) -> None:
        """Take a model; `precision` is that of the LSTMs' products: float32, or bfloat16."""
        self.bilm = bilm.eval().requires_grad_(False)
        self.spelling, self.name, self.precision = spelling, name, precision
        self.layers = 1 + bilm.settings.options.depth
        self.dim = 2 * bilm.settings.options.projection_dim
        self.parameters = sum(weight.numel() for weight in bilm.parameters())

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of settings, dictionaries and weights; with the precision if not float32."""
        digest = hashlib.sha256(f"manylangs {self.bilm.settings}".encode())
        for rows in (self.spelling.words, self.spelling.characters):
            digest.update(repr(sorted((rows or {}).items())).encode())
        add_tensors(digest, self.bilm.state_dict().items())
        return digest.hexdigest() + ("" if self.precision == "float32" else f"-{self.precision}")

    @cached_property
    def _frozen(self) -> FrozenDirections:
        bilm = self.bilm
        return FrozenDirections((bilm.forward_lstm, bilm.backward_lstm), True, self.precision)

    def to(self, device: torch.device | str) -> ManyLangsEncoder:
        """Compute there from now on; results still arrive on the CPU."""
        self.bilm.to(device)
        self.__dict__.pop("_frozen", None)
        return self

    @torch.no_grad()
    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return float32 (layers, tokens, dim) for each sentence, in order, on the CPU.

        Raises ValueError, saying where, for an empty sentence or an empty word.
        """
        check_sentences(sentences)
        distinct = list(dict.fromkeys(word for words in sentences for word in words))
        rows = {word: row for row, word in enumerate(distinct, start=len(BOUNDARIES))}
        device = self.bilm.tokens.projection.weight.device
        with exact_float32(device):
            table = torch.cat(list(self._vectors([*BOUNDARIES, *distinct], device)))
            numbered = [[rows[word] for word in words] for words in sentences]
            most, read = portions(device), partial(self._frozen.contextualise, table)
            return in_batches(numbered, read, most.tokens, most.sentences)

    def _vectors(self, words: Sequence[str], device: torch.device) -> Iterator[Tensor]:
        """Yield layer 0 of these words, some at a time: (words, projection_dim)."""
        spelling = self.spelling
        for start in range(0, len(words), CHUNK_WORDS):
            chunk = words[start : start + CHUNK_WORDS]
            own = characters = None
            if spelling.words is not None:
                own = sent(torch.tensor([spelling.word(word) for word in chunk]), device)
            if spelling.characters is not None:
                characters = sent(torch.tensor([spelling.spelled(word) for word in chunk]), device)
            yield self.bilm.tokens(own, characters)


def load_manylangs(source: str | Path | None, *, precision: str = "float32") -> ManyLangsEncoder:
    """Load a model of ELMoForManyLangs, or of the NLPL repository in that layout, from its folder.

    Args:
        source: the unpacked folder, with `config.json`, the dictionaries and two `.pkl` files.
        precision: that of the LSTMs' products, float32 or bfloat16.

    Raises:
        OptionsError: a missing folder, settings that cannot be read, an unknown precision.
        WeightsError: dictionaries or weights that are missing, damaged, or do not fit.
    """
    check_precision(precision)
    if source is None:
        raise OptionsError("an ELMoForManyLangs model needs its folder: encoder.source=FOLDER")
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise OptionsError(f"{folder}: no such folder (unpack the model's archive there)")
    settings = layout.read_settings(folder)
    options = settings.options
    words = characters = None
    if settings.word_dim:
        words = layout.read_dictionary(folder / "word.dic", ("<oov>", "<pad>"))
    if options.char_dim:
        characters = layout.read_dictionary(folder / "char.dic", (*BOUNDARIES, *layout.MARKS))
    with torch.device("meta"):
        bilm = ManyLangsBiLM(settings, len(words or ()), len(characters or ()))
    state = layout.read_tokens(folder / "token_embedder.pkl")
    state |= layout.read_lstms(folder / "encoder.pkl", options)
    try:
        bilm.load_state_dict(state, assign=True)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise WeightsError(
            f"{folder}: the weights do not fit the settings and dictionaries: {reason}"
        ) from error
    spelling = Spelling(words, characters, options.characters)
    return ManyLangsEncoder(bilm, spelling, folder.resolve().name, precision)
