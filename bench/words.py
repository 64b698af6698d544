"""One word of the command line as Hydra reads and writes it. No torch here."""

from __future__ import annotations

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, Quote, QuotedString
from hydra.errors import HydraException


def parsed(word: str) -> Override | None:
    """Return an override as Hydra reads it, None where it cannot."""
    try:
        return OverridesParser.create().parse_override(word)
    except HydraException:
        return None


def listed(word: str, key: str) -> list[str]:
    """Return what the list of an override of this key holds; nothing where it is another's."""
    override = parsed(word) if word.startswith(f"{key}=") else None
    given = override.value() if override else None
    return list(map(str, given)) if isinstance(given, list) else []


def text_of(key: str, value: str) -> str:
    r"""Return a value as Hydra reads it where that is one text, else as it stands.

    >>> text_of("data.dir", r"~/my\ data")
    '~/my data'
    """
    home = "~" if value.startswith("~/") else ""  # which Hydra cannot read
    override = parsed(f"{key}={value.removeprefix(home)}")
    read = override.value() if override else None
    return home + read if isinstance(read, str) else value


def in_quotes(key: str, *values: str) -> str:
    """Write an override whose values Hydra takes as they stand, references aside."""
    return f"{key}={','.join(QuotedString(value, Quote.single).with_quotes() for value in values)}"
