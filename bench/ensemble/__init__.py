"""`python -m bench.ensemble`: what the models of several runs say together."""
