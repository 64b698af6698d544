"""From links to clusters."""

from __future__ import annotations

import torch

from tasks.coref import Coref
from tasks.coref.decode import clusters


def test_links_join_into_clusters() -> None:
    a, b, c, d, e = ([n, n] for n in range(5))
    assert clusters([(c, a), (d, b), (e, c)]) == [[a, c, e], [b, d]]
    assert clusters([]) == []


def test_predictions_follow_the_links() -> None:
    """Spans of two documents, antecedents counted through the batch."""
    task = Coref()
    words = [["Ada", "saw", "her", "sister"], ["Bo", "hid", "."]]
    examples = [
        {"id": str(n), "sentences": [s], "clusters": [[[0, 0]]]} for n, s in enumerate(words)
    ]
    output = {
        "mentions": torch.tensor([[0, 0], [2, 2], [2, 3], [4, 4], [5, 6]]),
        "antecedent": torch.tensor([-1, 0, -1, -1, 3]),
        "probability": torch.tensor([0.9, 0.75, 0.8, 0.7, 0.5]),
    }
    first, second = task.predict(output, examples)
    assert first["prediction"] == [[[0, 0], [2, 2]]]
    assert first["mentions"] == [["Ada", "her"]]
    assert first["links"] == [[[2, 2], [0, 0], 0.75]]
    assert second["prediction"] == [[[0, 0], [1, 2]]]
    assert second["links"] == [[[1, 2], [0, 0], 0.5]]
    assert (second["id"], second["gold"]) == ("1", [[[0, 0]]])
