"""The checkpoints that a run keeps, and early stopping that remembers that it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytorch_lightning import LightningModule, Trainer, callbacks
from pytorch_lightning.callbacks import EarlyStopping

MONITOR = "dev"  # the task's own metric on dev, logged by BenchModule


class Stopper(EarlyStopping):
    """Early stopping on the dev score; a run that is killed after it stopped stays stopped."""

    def __init__(self, patience: int) -> None:
        super().__init__(MONITOR, mode="max", patience=patience, check_on_train_epoch_end=False)

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if self.wait_count >= self.patience:
            trainer.should_stop = True


class ModelCheckpoint(callbacks.ModelCheckpoint):
    """Lightning's `ModelCheckpoint`, for a folder that may have moved.

    Where the best checkpoint lies is saved with it; in another folder, Lightning would forget how
    good the best one was. This class has the name of Lightning's, under which its state is saved.
    """

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        here = Path(str(self.dirpath))
        paths = ("best_model_path", "kth_best_model_path", "last_model_path")
        moved = {key: str(here / Path(path).name) for key in paths if (path := state_dict[key])}
        best = {str(here / Path(path).name): v for path, v in state_dict["best_k_models"].items()}
        super().load_state_dict(
            {**state_dict, **moved, "best_k_models": best, "dirpath": self.dirpath}
        )


def best_and_last(folder: Path) -> list[ModelCheckpoint]:
    """Make the callbacks that write `best.ckpt`, by the dev score, and `last.ckpt`, each epoch.

    There are two, since Lightning's `save_last` only follows the best. The one for `last.ckpt`
    comes second, so that it knows which one is the best.
    """
    common: dict[str, Any] = {
        "dirpath": folder,
        "save_on_train_epoch_end": False,
        "enable_version_counter": False,
    }
    return [
        ModelCheckpoint(filename="best", monitor=MONITOR, mode="max", **common),
        ModelCheckpoint(filename="last", **common),
    ]
