"""ElmoEncoder: a frozen biLM that turns sentences into layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, partial

import torch
from torch import Tensor

from elmo_core.bilm import weights
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.chars import boundary_ids, word_ids
from elmo_core.bilm.frozen import FrozenBiLM
from elmo_core.devices import portions, sent
from elmo_core.encoder import check_sentences
from elmo_core.encoders.batches import in_batches
from elmo_core.precision import exact_float32

Sentences = Sequence[Sequence[str]]


class ElmoEncoder:
    """A frozen biLM: each sentence from zero state, without boundaries, the same in any company.

    The published program carried its state from batch to batch, so that vectors depended on what
    was read before; here a sentence's vectors depend on the sentence alone. Whoever needs the state
    calls `bilm` directly.
    """

    def __init__(
        self, bilm: BiLM, name: str, precision: str = "float32", identity: str | None = None
    ) -> None:
        """Take a biLM.

        Args:
            bilm: Its weights stay as they are.
            name: What it is called.
            precision: Of its LSTMs' products, float32 or bfloat16 (CPU).
            identity: What stands for the weights in the fingerprint, where they are computed and
                their last bits depend on the processor.
        """
        self.bilm = bilm.eval().requires_grad_(False)
        self.name, self.layers, self.dim = name, bilm.layers, bilm.dim
        self.parameters = sum(parameter.numel() for parameter in bilm.parameters())
        self.precision, self._identity = precision, identity
        self._kept: tuple[dict[str, int], Tensor] | None = None  # what `_spell` gave

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of options and weights, and the precision where it is not float32."""
        mark = "" if self.precision == "float32" else f"-{self.precision}"
        return (self._identity or weights.fingerprint(self.bilm)) + mark

    @cached_property
    def _frozen(self) -> FrozenBiLM:
        return FrozenBiLM(self.bilm, self.precision)

    def to(self, device: torch.device | str) -> ElmoEncoder:
        """Compute there from now on; results still arrive on the CPU."""
        self.bilm.to(device)
        self.__dict__.pop("_frozen", None)
        self._kept = None
        return self

    @torch.no_grad()
    def keep_words(self, words: Iterable[str]) -> None:
        """Compute layer 0 of these words now, for good: `encode` then only looks it up."""
        device = self.bilm.char_cnn.embedding.device
        with exact_float32(device):
            self._kept = self._spell([list(words)], device)

    @torch.no_grad()
    def encode(self, sentences: Sentences) -> list[Tensor]:
        """Return float32 (layers, tokens, dim) for each sentence, in order, on the CPU.

        Raises ValueError, saying where, for an empty sentence or an empty word.
        """
        check_sentences(sentences)
        device = self.bilm.char_cnn.embedding.device
        with exact_float32(device):
            rows, table = self._spell(sentences, device)
            numbered = [[rows[word] for word in words] for words in sentences]
            most, read = portions(device), partial(self._frozen.contextualise, table)
            return in_batches(numbered, read, most.tokens, most.sentences)

    def _spell(self, sentences: Sentences, device: torch.device) -> tuple[dict[str, int], Tensor]:
        """Compute layer 0 of every distinct word, once: word → row, and the rows (words + 2, D).

        Rows 0 and 1 are the sentence boundaries.
        """
        rows, kept = self._kept or ({}, None)
        new = dict.fromkeys(w for words in sentences for w in words if w not in rows)
        if kept is not None and not new:
            return rows, kept
        width = self.bilm.options.characters
        boundaries = boundary_ids(width) if kept is None else ()
        spelled = [*boundaries, *(word_ids(word, width) for word in new)]
        table = self._frozen.char_cnn(sent(torch.tensor(spelled), device))
        rows = rows | {word: row for row, word in enumerate(new, start=len(rows) + 2)}
        return rows, table if kept is None else torch.cat([kept, table])
