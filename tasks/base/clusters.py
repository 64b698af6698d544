"""Names for groups of examples that have no id of their own (Task.cluster)."""

from __future__ import annotations

import hashlib


def named_by(text: str) -> str:
    """Name the group of all examples that share this text.

    >>> named_by("Anna met her sister in Oslo.")
    '02beda6d22d7a2d6'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:16]
