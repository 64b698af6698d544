"""Who worked on a run: remembered in its checkpoints, so that a resumed run names everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytorch_lightning import Callback, LightningModule, Trainer

from bench.errors import RunError
from bench.records import Sitting
from bench.run.provenance import sitting


class Sittings(Callback):
    """Keeps what the run was done with, from its first epoch on.

    Raises RunError where a run would go on with another number of processes: its batches, and so
    its numbers, would be others from there on.
    """

    def __init__(self) -> None:
        self.before: list[Sitting] = []
        self.now: Sitting | None = None

    @property
    def all(self) -> list[Sitting]:
        """Every sitting, the present one last."""
        return [*self.before, *([self.now] if self.now else [])]

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        if stage == "fit":
            self.now = sitting(trainer)

    def on_train_batch_start(self, trainer: Trainer, *_: Any) -> None:
        assert self.now is not None
        if self.now.first_epoch is None:
            self.now = replace(self.now, first_epoch=trainer.current_epoch + 1)

    def state_dict(self) -> dict[str, Any]:
        return {"sittings": [each.to_json() for each in self.all]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        assert self.now is not None
        self.before = [Sitting.from_json(each) for each in state_dict["sittings"]]
        was, is_now = self.before[-1].world_size, self.now.world_size
        if was != is_now:
            raise RunError(
                f"the run was begun with {was} processes and cannot go on with {is_now}: give "
                f"trainer.devices={was}, or force=true to begin anew"
            )
