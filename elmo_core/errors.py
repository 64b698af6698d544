"""What `elmo_core` raises when a file, a choice or the network is at fault: one line each."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ElmoCoreError(Exception):
    """Root of those below; catch this one to catch them all."""


class OptionsError(ElmoCoreError, ValueError):
    """An options file, preset or encoder name that cannot be understood."""


class WeightsError(ElmoCoreError, ValueError):
    """A weight file that is missing, damaged, or does not fit its options."""


class FetchError(ElmoCoreError):
    """A download that failed, or was not allowed."""


class EncoderError(ElmoCoreError):
    """An encoder that does not keep to the protocol, or gave something else than layers."""


class StoreError(ElmoCoreError):
    """Features that cannot be stored."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`"; did you mean 'x'?"` for the closest known word, or nothing where none is close."""
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
