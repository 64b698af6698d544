"""Scores that more than one task has."""
