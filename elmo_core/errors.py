"""What `elmo_core` raises when a file, a choice or the network is at fault: one line each."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class OneLineError(Exception):
    """What the user can mend; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class ElmoCoreError(OneLineError):
    """The root of those below; catch this one to catch them all."""


class OptionsError(ElmoCoreError, ValueError):
    """An options file, preset or encoder name that cannot be understood."""


class WeightsError(ElmoCoreError, ValueError):
    """A weight file that is missing, damaged, or does not fit its options."""


class CheckpointError(ElmoCoreError):
    """A checkpoint that is missing, or is not as it was written."""


class FetchError(ElmoCoreError):
    """A download that failed, or was not allowed."""


class NotFetchedError(FetchError):
    """Published word vectors that are known by name, and not on this machine."""

    def __init__(self, name: str, path: Path) -> None:
        """Take the name, and the path of the file that is missing."""
        super().__init__(
            f"word vectors {name} are not there yet: elmo_core.downloads.glove.fetch({name!r}) "
            f"fetches them, or put the file at {path}"
        )
        self.name, self.path = name, path


class MissingPackageError(ElmoCoreError, ImportError):
    """A package that is not installed, and that encoding alone does not need."""


class TextError(ElmoCoreError, ValueError):
    """A text that is missing or cannot be read."""


class EncoderError(ElmoCoreError):
    """An encoder that does not keep to the protocol, or gave something else than layers."""


class StoreError(ElmoCoreError):
    """Features that cannot be stored."""


def one_line(message: str, most: int = 1000) -> str:
    """Make a message one line of at most so many characters, its middle left out if need be.

    >>> one_line("no\\nfile " + "x" * 50 + " here", 20)
    'no file x … xxx here'
    """
    line = " ".join(message.splitlines())
    half = (most - 3) // 2
    return line if len(line) <= most else f"{line[: most - 3 - half]} … {line[-half:]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Suggest the closest known word, or nothing where none is close.

    >>> did_you_mean("elmo-smal", ["elmo-small", "elmo-medium"])
    "; did you mean 'elmo-small'?"
    """
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "status_alloc_failed")
"""What the messages of torch's allocators say, on a GPU and on the CPU, and of cuBLAS and cuDNN."""


def ran_out_of_memory(error: BaseException) -> bool:
    """Say whether an error is that memory ran out, of the machine or of a GPU.

    >>> ran_out_of_memory(RuntimeError("CUDA out of memory."))
    True
    """
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(sign in said for sign in MEMORY)
