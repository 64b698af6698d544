"""Does an encoder still give what was stored of it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from elmo_core.devices import random_state_kept
from elmo_core.encoder import Encoder
from elmo_core.errors import EncoderError, StoreError
from elmo_core.store.feature_store import FeatureStore
from elmo_core.store.shards import address

SENTENCES = 8
TOLERANCE = 0.02
"""Of the vectors' length: what other machines, batches and precisions change is less."""


def require_same(store: FeatureStore, sentences: Iterable[Sequence[str]]) -> None:
    """Encode a few sentences, and compare those that are stored.

    An encoder whose code was changed, and its fingerprint not, is found out so.

    Args:
        store: The layers of the encoder.
        sentences: Lists of tokens, of which the first few are taken.

    Raises:
        StoreError: One of them has other layers than it had.
    """
    first = {address(words): tuple(words) for words in islice(sentences, SENTENCES)}
    missing = store.attach(first)
    stored = [words for key, words in first.items() if key not in missing]
    if not stored:
        return
    encoder = store.encoder
    for words, now in zip(stored, store.encode(stored), strict=True):
        before = store.layers([words])[0].cpu()
        if (before - now).float().norm() > TOLERANCE * before.float().norm():
            what = f"encoder {encoder.name} gives other vectors for {' '.join(words[:4])!r} …"
            raise StoreError(
                f"{what} than are stored under its fingerprint {encoder.fingerprint[:12]}. "
                "If its code was changed, give it another fingerprint"
            )


def require_alone(encoder: Encoder, sentences: Iterable[Sequence[str]]) -> None:
    """Encode a few sentences together, and each alone.

    Dropout that is left on, or padding that leaks, is found out so.

    Args:
        encoder: Anybody's.
        sentences: Lists of tokens, of which some are taken, short ones and long ones.

    Raises:
        EncoderError: One of them has other layers alone than in company.
    """
    by_length = sorted(islice(sentences, 8 * SENTENCES), key=len)
    few = [*by_length[: SENTENCES // 2], *by_length[SENTENCES // 2 :][-SENTENCES // 2 :]]
    with random_state_kept():
        together = encoder.encode(few) if few else []
        each = [encoder.encode([words])[0] for words in few]
    for words, company, alone in zip(few, together, each, strict=True):
        if (company - alone).norm() > TOLERANCE * company.norm():
            raise EncoderError(
                f"encoder {encoder.name}: gives other vectors for {' '.join(words[:4])!r} … alone "
                "than beside other sentences: is dropout on (eval()), or padding not masked?"
            )
