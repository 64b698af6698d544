"""What each layer of a sample is like, in numbers and in the nearest uses of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import torch
from torch.nn import functional as F

from bench.atlas import geometry
from bench.atlas.sample import Sample
from bench.neighbours.search import Occurrence


@dataclass(frozen=True)
class Layer:
    """One layer's numbers. Similarities are cosines, from −1 to 1."""

    number: int  # from 0
    anisotropy: float  # of any two uses
    self_similarity: float  # of two uses of a word, above the anisotropy
    in_sentence: float  # of a word and its sentence's mean, above the anisotropy
    dimension: float  # TwoNN
    effective_rank: float


@dataclass(frozen=True)
class Uses:
    """A use of a word, and the nearest other use of it by each layer."""

    asked: Occurrence
    nearest: Sequence[tuple[float, Occurrence]]  # cosine and use, by layer


def layers(found: Sample) -> Iterator[Layer]:
    """Yield the numbers of each layer."""
    lengths = [len(sentence) for sentence in found.sentences]
    bounds = list(pairwise(accumulate(lengths, initial=0)))
    for number in range(len(found.layers[0])):
        vectors = found.vectors(number)
        drawn = vectors[found.drawn]
        anisotropy = geometry.mean_cosine(drawn)
        words = (geometry.mean_cosine(vectors[uses]) for uses in found.by_word.values())
        sentences = (geometry.similarity_to_mean(vectors[begin:end]) for begin, end in bounds)
        yield Layer(
            number=number,
            anisotropy=anisotropy,
            self_similarity=geometry.mean_over(words) - anisotropy,
            in_sentence=geometry.mean_over(sentences) - anisotropy,
            dimension=geometry.intrinsic_dimension(drawn),
            effective_rank=geometry.effective_rank(drawn),
        )


def varied(found: Sample, number: int) -> list[str]:
    """Return the words whose uses are least alike by the top layer, of those made of letters."""
    top = found.vectors(-1)
    alike = {
        word: geometry.mean_cosine(top[uses])
        for word, uses in found.by_word.items()
        if word.isalpha()
    }
    known = [word for word in alike if not np.isnan(alike[word])]
    return sorted(known, key=lambda word: alike[word])[:number]


def nearest_uses(found: Sample, word: str) -> Uses:
    """Find, by each layer, the use of `word` that is nearest to its first one.

    Uses in the same sentence do not count. Raises KeyError for a word with too few uses.
    """
    first, *others = found.by_word[word]
    asked = found.uses[first]
    others = [number for number in others if found.uses[number].sentence != asked.sentence]
    nearest = []
    for layer in range(len(found.layers[0])):
        vectors = torch.from_numpy(found.vectors(layer))
        cosines = F.normalize(vectors[others], dim=1) @ F.normalize(vectors[first], dim=0)
        best = int(cosines.argmax())
        nearest.append((float(cosines[best]), found.uses[others[best]]))
    return Uses(asked, nearest)
