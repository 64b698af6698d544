"""`python -m bench.neighbours`: find where in a text a word is used alike."""
