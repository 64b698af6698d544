"""The runner: compose a run, train it, record it. It knows no task and no encoder by name."""

import sys
from io import TextIOWrapper

if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.encoding.lower().startswith("utf"):
    sys.stdout.reconfigure(errors="replace")  # what an encoding lacks, γ or ☆, is a question mark

VERBS = {
    *("atlas", "data", "ensemble", "evaluate", "features"),
    *("neighbours", "predict", "report", "runs", "speed"),
}
"""What `python -m bench.VERB` and `elmo-bench VERB` do."""
