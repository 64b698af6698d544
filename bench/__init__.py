"""The runner: compose a run, train it, record it. It knows no task and no encoder by name."""

VERBS = {
    *("atlas", "data", "ensemble", "evaluate", "features"),
    *("neighbours", "predict", "report", "runs", "speed"),
}
"""What `python -m bench.VERB` and `elmo-bench VERB` do."""
