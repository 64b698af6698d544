"""The words a user may choose from. Free of torch, so a command line can list them at once."""

from __future__ import annotations

PLACEMENTS = ("none", "input", "output", "input+output")
LAYER_CHOICES = ("all", "top", "mean")
"""Besides these, a layer's index."""
FEATURE_MODES = ("auto", "store", "live", "gpu")
STORED_PRECISIONS = ("float32", "float16")
