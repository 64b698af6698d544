"""The runner: compose a run, train it, record it. It knows no task and no encoder by name."""

import sys
from io import TextIOWrapper

if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.encoding.lower().startswith("utf"):
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="replace")  # what it lacks, γ or ☆, is a question mark
    else:  # a file, or another program's: scripts and JSON stay whole
        sys.stdout.reconfigure(encoding="utf-8")

VERBS = {
    *("atlas", "data", "ensemble", "evaluate", "features"),
    *("neighbours", "predict", "report", "runs", "speed"),
}
"""What `python -m bench.VERB` and `elmo-bench VERB` do."""
