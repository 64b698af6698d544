"""One run: from its configuration to its record."""
