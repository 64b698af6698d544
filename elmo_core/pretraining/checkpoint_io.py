"""Lightning's checkpoints, made safe against a kill, a full disk, and code hidden in a file."""

from __future__ import annotations

from typing import Any

import torch
from pytorch_lightning.plugins.io import TorchCheckpointIO

from elmo_core.whole_files import replacing


class SafeCheckpointIO(TorchCheckpointIO):
    """Written beside its place and renamed; read without running any code from it."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None
    ) -> None:
        """Raises OSError where the disk is full; what was at `path` is then still there."""
        with replacing(path) as temporary:
            super().save_checkpoint(checkpoint, temporary, storage_options)

    def load_checkpoint(self, path: Any, map_location: Any = None, *_: Any, **__: Any) -> Any:
        return torch.load(path, map_location=map_location, weights_only=True)
