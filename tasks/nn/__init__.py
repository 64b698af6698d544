"""Layers that more than one task's model uses; one idea a file, (batch, tokens, dim) throughout."""
