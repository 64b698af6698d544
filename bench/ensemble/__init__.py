"""`python -m bench.ensemble`: combine the models of several runs."""

PROGRAM = "python -m bench.ensemble"
