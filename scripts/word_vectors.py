#!/usr/bin/env python
"""Word vectors from a text, in GloVe's format, where none can be downloaded.

    python scripts/word_vectors.py TEXT -o vectors.txt    # a file, or a folder of them

TEXT has one tokenised sentence a line; of a folder, all files below are read. The vectors are the
factored matrix of positive pointwise mutual information (Levy, Goldberg & Dagan 2015, Improving
distributional similarity with lessons learned from word embeddings): contexts are smoothed by 0.75,
singular values weigh by their root.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array
from sklearn.utils.extmath import randomized_svd

from elmo_core.errors import TextError
from elmo_core.text.files import find_texts, read_tokenised
from elmo_core.whole_files import replacing

PART = 2_000_000  # tokens that are counted at once
DIM, WORDS, WINDOW = 256, 40_000, 5  # numbers a word; words, the commonest; reach of a context
SMOOTHING = 0.75


def encoded(files: Collection[Path], rows: dict[str, int]) -> Iterator[np.ndarray]:
    """Rows of the words, part by part; −1: a rare word, or the gap between two sentences."""
    part: list[int] = []
    for words in read_tokenised(files):
        part += [rows.get(word, -1) for word in words] + [-1] * WINDOW
        if len(part) >= PART:
            yield np.array(part)
            part = []
    yield np.array(part)


def counts(files: Collection[Path], rows: dict[str, int]) -> csr_array:
    """How often two words stand at most WINDOW apart: (words, words), symmetric."""
    size = len(rows)
    total = csr_array((size, size), dtype=np.float32)
    for ids in encoded(files, rows):
        for apart in range(1, WINDOW + 1):
            left, right = ids[:-apart], ids[apart:]
            both = (left >= 0) & (right >= 0)
            ones = np.ones(both.sum(), dtype=np.float32)
            total += coo_array((ones, (left[both], right[both])), shape=(size, size)).tocsr()
    return total + total.T


def mutual_information(counted: csr_array) -> csr_array:
    """Positive, contexts smoothed; of pairs that never met, 0."""
    pairs = counted.tocoo()
    words = counted.sum(axis=1)
    contexts = words**SMOOTHING
    expected = words[pairs.row] * contexts[pairs.col] / contexts.sum()
    values = np.maximum(np.log(pairs.data / expected), 0).astype(np.float32)
    found = coo_array((values, (pairs.row, pairs.col)), shape=counted.shape).tocsr()
    found.eliminate_zeros()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("text", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    try:
        files = find_texts([given.text], given.output).values()
        common = Counter(word for words in read_tokenised(files) for word in words)
    except TextError as error:
        parser.error(str(error))
    if not common:
        parser.error(f"{given.text}: the text is empty")
    vocabulary = [word for word, _ in common.most_common(WORDS)]
    print(
        f"{common.total():,} tokens, {len(common):,} types, {len(vocabulary):,} kept",
        file=sys.stderr,
    )
    rows = {word: row for row, word in enumerate(vocabulary)}
    matrix = mutual_information(counts(files, rows))
    print(f"{matrix.nnz:,} pairs of words", file=sys.stderr)
    vectors, values, _ = randomized_svd(matrix, DIM, n_iter=4, random_state=0)
    vectors = vectors * np.sqrt(values)
    with replacing(given.output) as temporary, temporary.open("w", encoding="utf-8") as file:
        for word, vector in zip(vocabulary, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{x:.4f}' for x in vector)}\n")


if __name__ == "__main__":
    main()
