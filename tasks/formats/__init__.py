"""File formats and published corpora that more than one task reads."""
