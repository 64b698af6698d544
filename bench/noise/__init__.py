"""Words spelled otherwise, as typists, scanners and careless writers spell them."""

from __future__ import annotations

from bench.noise.noise import Noise

__all__ = ["Noise"]
