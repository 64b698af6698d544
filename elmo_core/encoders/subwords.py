"""Words → sub-words of a Hugging Face tokenizer, and their vectors back to words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

POOLINGS = ("first", "mean", "last")
SURROGATES = re.compile("[\ud800-\udfff]")


class Subwords(NamedTuple):
    ids: list[int]
    counts: list[int]  # of each word, at least 1


class SubwordTokenizer:
    """A reader of sentences as running text, tokens joined by spaces, that knows whose each id is.

    `is_split_into_words` of the library would read words one by one, and whether they then get the
    space before them that byte-level vocabularies know words by depends on the tokenizer. A word
    of which nothing is left (a control character, say) is read as the unknown token. What looks
    like a special token in the text is text.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        bare = self._ids("a", add_special_tokens=False)
        framed = self._ids("a")
        at = next((i for i in range(len(framed)) if framed[i : i + len(bare)] == bare), len(framed))
        self.prefix, self.suffix = framed[:at], framed[at + len(bare) :]
        self.padding = tokenizer.pad_token_id or 0
        unknown = tokenizer.unk_token_id
        self.unknown = self._ids("?", add_special_tokens=False) if unknown is None else [unknown]
        self.definition: str = tokenizer.backend_tokenizer.to_str()

    def _ids(self, text: str, **options: Any) -> list[int]:
        return list(self._tokenizer(text, **options)["input_ids"])

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[Subwords]:
        """Return the sub-words of each sentence; there must be one sentence at least."""
        encoded = self._tokenizer(
            [SURROGATES.sub("\ufffd", " ".join(words)) for words in sentences],
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        rows = zip(sentences, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        return [self._by_word(words, ids, offsets) for words, ids, offsets in rows]

    def _by_word(
        self, words: Sequence[str], ids: list[int], offsets: list[tuple[int, int]]
    ) -> Subwords:
        """Give each sub-word to the word of its last character, a space to the word behind it.

        Of a space alone some tokenizers say (k, k): it stands before k.
        """
        owner = [i for i, word in enumerate(words) for _ in range(len(word) + (i > 0))]
        pieces: list[list[int]] = [[] for _ in words]
        for piece, (_, end) in zip(ids, offsets, strict=True):
            pieces[owner[max(end - 1, 0)]].append(piece)
        pieces = [own or self.unknown for own in pieces]
        return Subwords([i for own in pieces for i in own], [len(own) for own in pieces])


def pool(subwords: Tensor, counts: Sequence[int], pooling: str) -> Tensor:
    """Take each word's first, mean or last: (layers, sub-words, dim) → (layers, words, dim)."""
    sizes = torch.tensor(counts)
    ends = sizes.cumsum(0)
    if pooling == "first":
        return subwords[:, ends - sizes]
    if pooling == "last":
        return subwords[:, ends - 1]
    owner = torch.arange(len(sizes)).repeat_interleave(sizes)
    sums = subwords.new_zeros(subwords.shape[0], len(sizes), subwords.shape[2])
    return sums.index_add_(1, owner, subwords) / sizes[:, None]
