"""`python -m bench.ensemble`: combine the models of several runs."""
