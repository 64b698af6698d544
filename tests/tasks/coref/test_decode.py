"""From links to clusters."""

from __future__ import annotations

from tasks.coref.decode import clusters


def test_links_join_into_clusters() -> None:
    a, b, c, d, e = ([n, n] for n in range(5))
    assert clusters([(c, a), (d, b), (e, c)]) == [[a, c, e], [b, d]]
    assert clusters([]) == []
