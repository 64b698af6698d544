"""`python -m bench.speed`: how fast this machine computes features, reads them and trains heads."""
