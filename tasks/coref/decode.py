"""Links between mentions → clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = Sequence[int]  # first and last token


def clusters(links: Iterable[tuple[Span, Span]]) -> list[list[list[int]]]:
    """Join the mentions that links connect, however indirectly: clusters, each in text order.

    `links`: mentions with their antecedents, in text order, so that an antecedent's own link comes
    before those to it.
    """
    found: list[list[list[int]]] = []
    place: dict[tuple[int, ...], int] = {}
    for mention, antecedent in links:
        if tuple(antecedent) not in place:
            place[tuple(antecedent)] = len(found)
            found.append([list(antecedent)])
        cluster = place[tuple(mention)] = place[tuple(antecedent)]
        found[cluster].append(list(mention))
    return found
