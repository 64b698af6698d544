"""Lightning, for those who train, and its checkpoints: safe against a kill, a full disk, and code
hidden in a file."""

from __future__ import annotations

from typing import Any

import torch

from elmo_core.packages import needed
from elmo_core.whole_files import replacing

with needed("pytorch-lightning", "training"):
    import pytorch_lightning as pl
    from pytorch_lightning.plugins.io import TorchCheckpointIO

__all__ = ["SafeCheckpointIO", "pl"]


class SafeCheckpointIO(TorchCheckpointIO):
    """Checkpoints are written beside their place and renamed, and read without running any code."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None
    ) -> None:
        """Write a checkpoint. Raises OSError where the disk is full; what was at `path` stays."""
        with replacing(path) as temporary:
            super().save_checkpoint(checkpoint, temporary, storage_options)

    def load_checkpoint(self, path: Any, map_location: Any = None, *_: Any, **__: Any) -> Any:
        """Read a checkpoint, tensors and plain values alone."""
        return torch.load(path, map_location=map_location, weights_only=True)
