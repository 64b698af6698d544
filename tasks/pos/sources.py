"""Where tagged text comes from: what tasks/formats knows."""

from tasks.formats.tagged_sources import SOURCES

__all__ = ["SOURCES"]
