"""Lightning for training: its precisions, and its checkpoints, which are whole and run no code."""

from __future__ import annotations

import errno
import logging
import os
import signal
import threading
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch

from elmo_core.errors import CheckpointError
from elmo_core.packages import needed
from elmo_core.products import multiplies_bfloat16
from elmo_core.whole_files import write_bytes

with needed("pytorch-lightning", "training"):
    import pytorch_lightning as pl
    from pytorch_lightning.plugins.environments import ClusterEnvironment, LightningEnvironment
    from pytorch_lightning.plugins.io import TorchCheckpointIO
    from pytorch_lightning.utilities import rank_zero_only
    from pytorch_lightning.utilities.exceptions import MisconfigurationException

__all__ = [
    "MisconfigurationException",
    "OwnSignals",
    "SafeCheckpointIO",
    "pl",
    "rank_zero_only",
    "read_checkpoint",
    "set_aside",
    "starting",
    "training_precision",
]

FLOAT32, HALF = "32-true", ("bf16-mixed", "16-mixed")
"""Lightning's names. On a CPU it takes the first of `HALF` for the second."""

log = logging.getLogger(__name__)


def training_precision(asked: str, accelerator: str) -> str:
    """Return the precision to train in where `asked` is asked for, both as Lightning names them.

    On a CPU that does not multiply bfloat16, that is float32 instead of half precision, and a
    warning says so.

    >>> training_precision("32-true", "auto")
    '32-true'
    """
    on_gpu = torch.cuda.is_available() or torch.backends.mps.is_available()
    if asked not in HALF or multiplies_bfloat16() or (on_gpu and accelerator != "cpu"):
        return asked
    log.warning("precision %s: trains in %s, as this processor has no bfloat16", asked, FLOAT32)
    return FLOAT32


def starting() -> list[ClusterEnvironment]:
    """Return the plugin by which a Trainer starts its processes itself: in a Slurm job of one task.

    There Lightning would take the task for all the processes that `devices` asks for. Elsewhere it
    knows who starts them, and the list is empty.
    """
    alone = os.environ.get("SLURM_NTASKS") == "1" and "TORCHELASTIC_RUN_ID" not in os.environ
    return [LightningEnvironment()] if alone else []


class OwnSignals(pl.Callback):
    """Answers SIGTERM as where it was made, outside of training.

    Lightning's own answer waits, inside the signal, for all processes of the training: those that
    wait for this one in the meantime never come, and none ends.
    """

    def __init__(self) -> None:
        self.before = signal.getsignal(signal.SIGTERM) or signal.SIG_DFL

    def _take_back(self, *_: object, **__: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self.before)

    on_train_start = on_validation_start = on_test_start = _take_back


class SafeCheckpointIO(TorchCheckpointIO):
    """Checkpoints are written beside their place and renamed, and read without running any code."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Any, storage_options: Any | None = None
    ) -> None:
        """Write a checkpoint, NumPy's numbers as Python's: without running code, none is read.

        Raises OSError where the disk is full; what was at `path` stays.
        """
        content = BytesIO()
        torch.save(_plain(checkpoint), content)
        write_bytes(path, content.getbuffer())  # Lightning's own way leads through $TMPDIR

    def load_checkpoint(self, path: Any, map_location: Any = "cpu", *_: Any, **__: Any) -> Any:
        """Read a checkpoint, tensors and plain values alone, to where Lightning takes them from.

        Raises CheckpointError.
        """
        return read_checkpoint(path, map_location)


def _plain(value: Any) -> Any:
    """Return the same with Python's numbers for NumPy's; of tensors alone, the very dictionary."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        items = {key: _plain(item) for key, item in value.items()}
        return items if any(items[key] is not value[key] for key in items) else value
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value


def read_checkpoint(path: str | Path, map_location: Any = "cpu") -> dict[str, Any]:
    """Read a checkpoint, and compare it with the checksums that it carries.

    torch writes the CRC-32 of every part into its zip file, and does not look at them when it
    reads.

    Args:
        path: The file.
        map_location: Where its tensors go.

    Returns:
        Its tensors and plain values.

    Raises:
        CheckpointError: The file is missing, cut short, changed, or no checkpoint.
        OSError: The file cannot be read.
    """
    if not Path(path).is_file():
        raise CheckpointError(f"{path}: missing")
    try:
        with zipfile.ZipFile(path) as archive:
            changed = archive.testzip()
        if changed is None:
            content = torch.load(path, map_location=map_location, weights_only=True)
            if isinstance(content, dict) and {"state_dict", "global_step"} <= content.keys():
                return content
            changed = "it is no checkpoint"
    except MemoryError:
        raise
    except Exception as error:  # whatever the two readers meet in bytes that nobody wrote
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a place before the file
            raise
        changed = type(error).__name__
    raise CheckpointError(f"{path}: damaged ({changed})")


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename a file to `*.damaged`, or why else nobody shall take it for a whole one."""
    return path.replace(path.with_name(f"{path.name}.{why}"))
