"""Packages that encoding does without: what is said where one of them is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from elmo_core.errors import MissingPackageError


@contextmanager
def needed(package: str, purpose: str) -> Iterator[None]:
    """Import `package` within the block; `purpose` needs it, and is the subject of the message.

    Raises MissingPackageError, which says what to install, where there is no such package. The name
    is that on PyPI; an underscore in the module's name stands where it has a hyphen.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != package.replace("-", "_"):
            raise
        raise MissingPackageError(f"{purpose} needs {package}: pip install {package}") from None
