"""Text that Hydra and OmegaConf take as it is, whatever stands in it. No torch here."""

from __future__ import annotations

import re
from typing import Any

from hydra.core.override_parser.types import Quote, QuotedString

REFERENCE = re.compile(r"(?<!\\)(?:\\\\)*\$\{")
"""Finds what OmegaConf would resolve: `${` after an even number of backslashes."""


def escaped(text: str) -> str:
    r"""Write `text` as a value of a configuration that refers to nothing.

    OmegaConf takes `${` for a reference unless a backslash stands before it.

    Args:
        text: Any text.

    Returns:
        What OmegaConf reads as `text`.

    >>> print(escaped("/data/${x}"))
    /data/\${x}
    """
    return re.sub(r"(\\*)\$\{", lambda found: found[1] * 2 + r"\${", text)


def literal(value: Any) -> Any:
    """Return plain values with every text in them `escaped`.

    Args:
        value: A number, a text or the like; dictionaries and lists of such, nested.
    """
    if isinstance(value, dict):
        return {key: literal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [literal(item) for item in value]
    return escaped(value) if isinstance(value, str) else value


def quoted(text: str) -> str:
    r"""Write `text` as the value of an override, `key=VALUE`.

    Args:
        text: Any text.

    Returns:
        What Hydra, and then OmegaConf, read as `text`.

    >>> print(quoted("it's ${x}=y"))
    'it\'s \${x}=y'
    """
    return QuotedString(escaped(text), Quote.single).with_quotes()
