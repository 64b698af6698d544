"""The one LightningModule: trains a task's head and its mixes, whatever the task."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from bench.config import Training
from bench.errors import ConfigError, RunError
from bench.run.build import instantiate
from bench.run.datamodule import BenchBatch, epoch_seed
from bench.run.divergence import check_output, check_weights
from bench.run.loggers import mix_metrics, split_metrics
from bench.run.losses import Losses
from bench.run.optimizer import optimizer_of
from bench.run.predictions import predictions, scored
from elmo_core import Placement
from elmo_core.devices import moved, sent
from tasks.task import Example, Task

log = logging.getLogger(__name__)

LEARNED = ("train_loss", "lr")
"""What an epoch has besides its dev scores, where something learns by gradient."""


def compared(score: float) -> float:
    """Return a dev score as Lightning compares it for best.ckpt, in float32: ties are ties."""
    return torch.tensor(score, dtype=torch.float32).item()


def _alike(key: str, ours: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """Say whether both have a weight, and ours can take the kept one; a lazy layer's takes any."""
    if key not in ours or key not in kept:
        return False
    weight = ours[key]
    return is_lazy(weight) or getattr(weight, "shape", None) == getattr(kept[key], "shape", None)


class Scored(NamedTuple):
    """What a model says about a split, and how good it is."""

    metrics: dict[str, float]
    predictions: list[Example]


class BenchModule(pl.LightningModule):
    """Minimises the task's loss + λ Σ w² and scores a split as a whole.

    The encoder is not in here: a batch brings its layers along. After `validate` or `test`,
    `metrics` and `predictions` hold what the model said about the split; after `fit`, `best` holds
    the same of the best epoch's dev, unless that epoch was another process's. A model that has
    nothing to learn by gradient is shown the batches all the same.
    """

    strict_loading = False  # frozen word vectors are not in checkpoints

    def __init__(self, task: Task, placement: Placement, training: Training, seed: int) -> None:
        super().__init__()
        self.task, self.training_config, self.seed = task, training, seed
        self.model = task.model(placement)
        if not isinstance(getattr(self.model, "placement", None), Placement):
            name = f"{type(task).__module__}.{type(task).__qualname__}"
            raise RunError(f"{name}: its model must keep what it is given as `self.placement`")
        self.learns = any(p.requires_grad for p in self.model.parameters())
        self.predictions: list[Example] = []
        self.metrics: dict[str, float] = {}
        self.best: Scored | None = None
        self.history: list[dict[str, Any]] = []  # one entry an epoch
        self.at_hand: list[Example] = []  # the batch's examples, for error messages
        self.encoder: str | None = None  # the fingerprint of that whose layers come along
        self.scheduler: LRScheduler | None = None
        self._scheduler_state: dict[str, Any] | None = None
        self._losses = Losses()
        self._reads_elmo = False  # until the first gradients have shown it
        self._started = 0.0

    @property
    def placement(self) -> Placement:
        """The mixes, which are a part of the model."""
        return cast(Placement, self.model.placement)

    @property
    def best_epoch(self) -> int:
        """The first of the epochs with the best dev score, counted from 1."""
        scores = [compared(epoch["dev"][self.task.metric]) for epoch in self.history]
        return 1 + scores.index(max(scores))

    # -- training

    def training_step(self, batch: BenchBatch, index: int) -> Tensor | None:
        self.at_hand = batch["examples"]
        if index == 0:
            self._begin_epoch()
        output = self.model(batch["tensors"], batch["layers"])
        if not self.learns:
            return None
        loss: Tensor = output["loss"] + self.placement.penalty()
        self._losses.add(loss, batch["examples"])
        return loss

    def transfer_batch_to_device(
        self, batch: BenchBatch, device: torch.device, dataloader_idx: int
    ) -> BenchBatch:
        """Move the tensors; the examples, and all lengths, stay where they are."""
        layers = batch["layers"]
        return {
            "examples": batch["examples"],
            "tensors": moved(batch["tensors"], device),
            "layers": None if layers is None else sent(layers, device),
        }

    def _begin_epoch(self) -> None:
        seed = epoch_seed(self.seed, self.current_epoch, self.global_rank)
        torch.manual_seed(seed)  # for the dropout
        scaled = self._trainer is not None and self._trainer.precision == "16-mixed"
        self._losses = Losses(self.current_epoch + 1, scaled)
        self._started = time.perf_counter()

    def configure_optimizers(self) -> Optimizer | None:
        if not self.learns:
            return None
        trained = [p for p in self.model.parameters() if p.requires_grad]
        optimizer = optimizer_of(self.training_config.optimizer, trained)
        if self.training_config.scheduler is not None:
            self.scheduler = instantiate(self.training_config.scheduler, optimizer=optimizer)
            self._check_scheduler()
        return optimizer

    def _check_scheduler(self) -> None:
        each_step = self.training_config.scheduler_interval == "step"
        if each_step and isinstance(self.scheduler, ReduceLROnPlateau):
            raise ConfigError(
                "training.scheduler_interval=step: ReduceLROnPlateau takes a dev score, of which "
                "there is one an epoch: scheduler_interval=epoch"
            )
        if isinstance(self.scheduler, ReduceLROnPlateau) and self.scheduler.mode != "max":
            raise ConfigError(
                f"training.scheduler.mode={self.scheduler.mode}: must be max, since dev scores are "
                "the better the higher"
            )

    def on_after_backward(self) -> None:
        """Look once whether the loss depends on ELMo at each of its places.

        Raises RunError where it does not: the run would be one without, under another name.
        """
        if self._reads_elmo:
            return
        for place, mix in self.placement.mixes.items():
            if mix.gamma.requires_grad and mix.gamma.grad is None:
                raise RunError(
                    f"elmo.placement={self.placement.where}: the model's loss does not depend on "
                    f"ELMo at its {place}: its forward must call placement.{place} (docs/tasks.md)"
                )
        self._reads_elmo = True

    def on_train_batch_end(self, *_: object) -> None:
        if self.scheduler is not None and self.training_config.scheduler_interval == "step":
            self.scheduler.step()

    # -- scoring

    def on_validation_epoch_start(self) -> None:
        self._losses.look()  # before anything of this epoch is written
        self.predictions = []
        if self.trainer.state.fn == "fit":
            check_weights(self.model, self.current_epoch + 1)

    def validation_step(self, batch: BenchBatch, index: int) -> None:
        self.at_hand = batch["examples"]
        output = self.model(batch["tensors"], batch["layers"])
        if self.learns:
            check_output(output)
        self.predictions += predictions(self.task, output, batch["examples"])

    def on_validation_epoch_end(self) -> None:
        self._score()
        self.log("dev", self.metrics[self.task.metric], logger=False)
        if self.trainer.state.fn == "fit":
            self._end_epoch()

    on_test_epoch_start = on_validation_epoch_start
    test_step = validation_step

    def on_test_epoch_end(self) -> None:
        self._score()

    def _score(self) -> None:
        if self.trainer.world_size > 1:
            parts: list[Any] = [None] * self.trainer.world_size
            torch.distributed.all_gather_object(parts, self.predictions)
            self.predictions = [row for part in parts for row in part]
        self.metrics = scored(self.task, self.predictions)

    def _end_epoch(self) -> None:
        score = self.metrics[self.task.metric]
        before = [epoch["dev"][self.task.metric] for epoch in self.history]
        if all(compared(score) > compared(each) for each in before):
            self.best = Scored(self.metrics, self.predictions)
        learned = self._learned()
        number = self.current_epoch + 1
        epoch = {
            "epoch": number,
            "steps": self.trainer.global_step,
            **learned,
            "dev": self.metrics,
            "seconds": round(time.perf_counter() - self._started, 2),
        }
        self.history.append(epoch)
        said = [f"dev {self.task.metric} {score:.2f}"]
        if learned:
            said = [f"train loss {learned['train_loss']:.4f}", *said, f"lr {learned['lr']:.2g}"]
        log.info("epoch %d: %s, %.0f s", number, ", ".join(said), epoch["seconds"])
        self._tell(epoch, mix_metrics(self.placement.summary()))
        if isinstance(self.scheduler, ReduceLROnPlateau):
            self.scheduler.step(score)
        elif self.scheduler is not None and self.training_config.scheduler_interval == "epoch":
            self.scheduler.step()  # a number would be taken for an epoch's

    def _tell(self, epoch: Mapping[str, Any], mixes: Mapping[str, float]) -> None:
        """Tell the logger of an epoch."""
        if self.logger is not None:
            train = {name.replace("_", "/"): epoch[name] for name in LEARNED if name in epoch}
            scores = {**split_metrics("dev", epoch["dev"]), **mixes}
            self.logger.log_metrics({**train, **scores}, step=epoch["epoch"])

    def _learned(self) -> dict[str, float]:
        """Return the epoch's mean loss and its learning rate, where there are such."""
        if not self.learns:
            return {}
        optimizer = cast(Optimizer, self.optimizers())
        loss = self._losses.mean()
        if self.trainer.world_size > 1:  # of this process; each took as many steps
            own = torch.tensor(loss, device=self.device)
            loss = float(self.trainer.strategy.reduce(own, reduce_op="mean"))
        values = (loss, float(optimizer.param_groups[0]["lr"]))
        return dict(zip(LEARNED, values, strict=True))

    # -- checkpoints: what training changes, and nothing else

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        frozen = {name for name, p in self.named_parameters() if not p.requires_grad}
        state = checkpoint["state_dict"]
        checkpoint["state_dict"] = {k: v for k, v in state.items() if k not in frozen}
        checkpoint["encoder"] = self.encoder
        checkpoint["history"] = self.history
        checkpoint["scheduler"] = self.scheduler.state_dict() if self.scheduler else None

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self._require_same_weights(checkpoint["state_dict"])
        # An epoch's number is its place: checkpoints of schema 1 counted from 0.
        self.history = [{**each, "epoch": i} for i, each in enumerate(checkpoint["history"], 1)]
        self.best = None
        self._scheduler_state = checkpoint["scheduler"]

    def _require_same_weights(self, kept: Mapping[str, Any]) -> None:
        """Raise RunError for a checkpoint of a model with other weights: of the class as it was.

        Loading is not strict, for the frozen weights, so that nobody else would say so.
        """
        if self._trainer is not None and self.trainer.strategy.restore_checkpoint_after_setup:
            return  # FSDP's, where each process has a part of each weight
        frozen = {name for name, p in self.named_parameters() if not p.requires_grad}
        ours = {key: value for key, value in self.state_dict().items() if key not in frozen}
        keys = sorted(ours.keys() | kept.keys())
        other = next((key for key in keys if not _alike(key, ours, kept)), None)
        if other is not None:
            raise RunError(
                f"the checkpoint is of a model with other weights ({other}): was the code "
                f"of {type(self.task).__qualname__} changed? force=true trains anew"
            )

    def on_train_start(self) -> None:
        if self.scheduler is not None and self._scheduler_state is not None:
            self.scheduler.load_state_dict(self._scheduler_state)
        for epoch in self.history:  # of earlier sittings, which the logger was not told of
            self._tell(epoch, {})
