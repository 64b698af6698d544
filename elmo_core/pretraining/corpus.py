"""A text as numbers, memory-mapped: what language models are trained and measured on.

Sentences lie one behind the other, `| w w w | w w |`, where the bar is one number for `</S>` and
`<S>` together: `</S>` is never followed by anything but `<S>`, so nothing needs to be predicted
in between. Any two neighbours are then one prediction in each direction:

    forward     reads the left one (a bar is `<S>`)      predicts the right one (`</S>`)
    backward    reads the right one (a bar is `</S>`)    predicts the left one (`<S>`)

as in the published training program, where `</S>` is no input of the forward model either. The
last sentence is followed by the first: the text is a ring.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_core.bilm.chars import boundary_ids, word_ids
from elmo_core.devices import sent
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.vocabulary import BEGIN, END, SPECIALS, UNKNOWN, Vocabulary
from elmo_core.text.files import find_texts, read_tokenised
from elmo_core.whole_files import replacing, write_text

Array = NDArray[np.int64]
BAR = BEGIN
TOKENS, TYPES = "tokens.int32", "types.json"


class Window(NamedTuple):
    """One piece of text for both directions (0: forward, 1: backward)."""

    char_ids: Tensor  # (distinct words, characters)
    inputs: Tensor  # (2, steps, batch), rows of `char_ids`
    targets: Tensor  # (2, steps, batch), numbers of the output vocabulary

    def to(self, device: torch.device) -> Window:
        """Send it to a device, without waiting for that."""
        return Window(*(sent(tensor, device) for tensor in self))


def encode(sentences: Iterable[Sequence[str]], vocabulary: Vocabulary, folder: Path) -> None:
    """Write a text's numbers to `folder`, 4 bytes a token; in memory are distinct words only.

    Words outside the vocabulary get numbers behind it: their spelling is read, never predicted.
    """
    ids = dict(vocabulary.ids)
    with replacing(folder / TOKENS) as temporary, open(temporary, "wb") as file:
        for words in sentences:
            row = [ids.setdefault(word, len(ids) + len(SPECIALS)) for word in words]
            file.write(np.array([BAR, *row], dtype=np.int32).tobytes())
    write_text(folder / TYPES, json.dumps([*SPECIALS, *ids]))


def encoded(
    texts: Sequence[Path],
    vocabulary: Vocabulary,
    characters: int,
    folder: Path,
    out: Path | None = None,
) -> Corpus:
    """Encode tokenised texts, each found as `find_texts` does, to `folder`, and open it.

    Raises TextError where one is missing or not UTF-8, CorpusError where there is no sentence.
    """
    files = [path for text in texts for path in find_texts([text], out).values()]
    encode(read_tokenised(files), vocabulary, folder)
    if not (folder / TOKENS).stat().st_size:
        raise CorpusError(f"{', '.join(map(str, texts))}: the text is empty")
    return Corpus(folder, vocabulary, characters)


class Corpus:
    """A text that `encode` wrote, ready to be read anywhere."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, characters: int) -> None:
        """Open a folder; `characters` is a word's width. Raises CorpusError if it does not fit."""
        try:
            self.types = json.loads((folder / TYPES).read_text(encoding="utf-8"))
            size = (folder / TOKENS).stat().st_size
        except OSError as error:
            raise CorpusError(f"{folder}: no encoded text ({error.strerror})") from error
        except (ValueError, RecursionError):
            raise _damaged(folder / TYPES, "not JSON") from None
        if not (isinstance(self.types, list) and all(isinstance(t, str) for t in self.types)):
            raise _damaged(folder / TYPES, "not a list of words")
        if tuple(self.types[: len(vocabulary)]) != vocabulary.words:
            raise CorpusError(f"{folder}: encoded with another vocabulary: prepare the text again")
        if size == 0:
            raise CorpusError(f"{folder}: the text is empty")
        if size % 4:
            raise _damaged(folder / TOKENS, "cut short")
        self.tokens = np.memmap(folder / TOKENS, dtype=np.int32, mode="r")
        if not (self.tokens.min() >= 0 and self.tokens.max() < len(self.types)):
            raise _damaged(folder / TOKENS, f"numbers that none of the words in {TYPES} has")
        self.vocabulary, self.characters = vocabulary, characters

    def __len__(self) -> int:
        """Count the predictions in one direction: all words, and one boundary a sentence."""
        return len(self.tokens)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all words in their order."""
        digest = hashlib.sha256("\n".join(self.types).encode())
        digest.update(self.tokens.data)
        return digest.hexdigest()[:16]

    @cached_property
    def spelling(self) -> NDArray[np.int16]:
        """The character ids of every type, (types, characters); `<UNK>`'s are never read."""
        begin, end = boundary_ids(self.characters)
        table = np.empty((len(self.types), self.characters), dtype=np.int16)
        table[BEGIN], table[END], table[UNKNOWN] = begin, end, 0
        for i, word in enumerate(self.types[len(SPECIALS) :], start=len(SPECIALS)):
            table[i] = word_ids(word, self.characters)
        return table

    def window(self, ahead: Array, back: Array, steps: int) -> Window:
        """Return each row's `steps` predictions, from `ahead` rightwards and from `back` leftwards.

        Both are (batch,) places on the ring: a place is its token and the one to its right.
        """
        step = np.arange(steps)[:, None]
        left = np.stack([ahead + step, back - step]) % len(self)  # (2, steps, batch)
        right = (left + 1) % len(self)
        read = np.stack([self.tokens[left[0]], _ended(self.tokens[right[1]])])
        said = np.stack([_ended(self.tokens[right[0]]), self.tokens[left[1]]])
        distinct, inverse = np.unique(read, return_inverse=True)
        return Window(
            torch.from_numpy(self.spelling[distinct].astype(np.int64)),
            torch.from_numpy(inverse.reshape(read.shape)),
            torch.from_numpy(np.where(said < len(self.vocabulary), said, UNKNOWN).astype(np.int64)),
        )


def _damaged(path: Path, reason: str) -> CorpusError:
    return CorpusError(f"{path}: damaged ({reason}): prepare the text again")


def _ended(tokens: NDArray[np.int32]) -> NDArray[np.int32]:
    """Read each bar as `</S>`."""
    return np.where(tokens == BAR, np.int32(END), tokens)
