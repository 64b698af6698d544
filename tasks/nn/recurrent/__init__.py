"""Recurrent layers; those with a backward pass by hand say what it saves."""
