"""The runner: compose a run, train it, record it. It knows no task and no encoder by name."""

from elmo_core.output import take_any_text

take_any_text()  # before any verb, or its help

VERBS = {
    *("atlas", "data", "ensemble", "evaluate", "features"),
    *("neighbours", "predict", "report", "runs", "speed"),
}
"""What `python -m bench.VERB` and `elmo-bench VERB` do."""
