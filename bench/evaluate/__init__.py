"""`python -m bench.evaluate`: score finished runs on other examples of their task."""

PROGRAM = "python -m bench.evaluate"
