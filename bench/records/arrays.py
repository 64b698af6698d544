"""Arrays of numbers in JSON, small: the smallest type that holds them, compressed."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LARGEST = 100_000_000  # bytes of an array, unpacked
TYPES = ("u1", "u2", "u4", "f8")


def packed(values: Array) -> dict[str, Any]:
    """Pack numbers in the smallest type that holds all of them exactly; columns stand together."""
    wide = np.asarray(values, dtype=np.float64)
    kind = next(kind for kind in TYPES if _holds(kind, wide))
    content = wide.astype(f"<{kind}").tobytes(order="F")
    text = base64.b64encode(zlib.compress(content, 9)).decode("ascii")
    return {"type": kind, "shape": list(wide.shape), "zlib": text}


def _holds(kind: str, values: Array) -> bool:
    if kind == "f8":
        return True
    most = np.iinfo(kind).max
    return bool(((values >= 0) & (values <= most) & (values == np.floor(values))).all())


def unpacked(written: Mapping[str, Any]) -> Array:
    """Undo `packed`. Raises ValueError for what is no such array, and for one of many gigabytes."""
    kind, shape = written["type"], written["shape"]
    if kind not in TYPES or not all(isinstance(size, int) and size >= 0 for size in shape):
        raise ValueError(f"an array of type {kind} and shape {shape}")
    size = math.prod(shape) * int(kind[1])
    if size > LARGEST:
        raise ValueError(f"an array of {size:,} bytes")
    try:
        content = zlib.decompressobj().decompress(base64.b64decode(written["zlib"]), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(content) != size:
        raise ValueError(f"an array of other than {size:,} bytes")
    found: Array = np.frombuffer(content, f"<{kind}").reshape(shape, order="F").astype(np.float64)
    if not np.isfinite(found).all():
        raise ValueError("an array with numbers that are none")
    return found
