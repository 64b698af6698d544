"""An exponential moving average of the weights, which is scored and kept in their place."""

from __future__ import annotations

from typing import Any

from pytorch_lightning import Callback, LightningModule, Trainer
from torch import Tensor
from torch.optim.swa_utils import get_ema_multi_avg_fn


class WeightAverage(Callback):
    """Trains the weights w, scores their average a: after step n, a becomes d·a + (1 − d)·w.

    d = min(`decay`, (1 + n)/(10 + n)), as in TensorFlow, so that the first, random weights are soon
    forgotten.

    From an epoch's validation until its checkpoints are written, the averages stand in the model
    and the weights are set aside: a checkpoint's weights are those that were scored, and those that
    training goes on with are in this callback's state. (Lightning's WeightAveraging would put the
    last average back before the best epoch is scored, and wants frozen weights in the checkpoint.)
    """

    def __init__(self, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.aside: list[Tensor] = []  # the averages in training, the weights in validation
        self.scoring = False

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        weights, saved = _trained(pl_module), self.aside
        self.aside = [weight.clone() for weight in weights]
        if saved:  # resumed: the checkpoint's weights are averages
            for weight, before in zip(weights, saved, strict=True):
                weight.copy_(before)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, *_: object, **__: object
    ) -> None:
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        if self.aside:  # a model may have nothing to learn by gradient
            get_ema_multi_avg_fn(decay)(self.aside, _trained(pl_module), self.steps)

    def on_validation_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if trainer.state.fn == "fit":
            self._swap(pl_module)
            self.scoring = True

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Go back from the averages to the weights.

        This comes after the checkpoints of `best_and_last`. In a resumed run it is called before
        anything else, for the last whole epoch, which ends once more.
        """
        if self.scoring:
            self._swap(pl_module)
            self.scoring = False

    def _swap(self, pl_module: LightningModule) -> None:
        """Exchange what stands in the model with what is set aside."""
        for weight, other in zip(_trained(pl_module), self.aside, strict=True):
            kept = weight.clone()
            weight.copy_(other)
            other.copy_(kept)

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps, "aside": self.aside}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.steps, self.aside = state_dict["steps"], state_dict["aside"]


def _trained(module: LightningModule) -> list[Tensor]:
    return [p.detach() for p in module.parameters() if p.requires_grad]
