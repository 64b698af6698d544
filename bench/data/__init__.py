"""`python -m bench.data`: which data sets, word vectors and weights there are; fetch and check."""
