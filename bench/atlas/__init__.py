"""`python -m bench.atlas`: one page on what each layer of an encoder is like."""
