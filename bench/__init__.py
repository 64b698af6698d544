"""The runner: compose a run, train it, record it. It knows no task and no encoder by name."""
