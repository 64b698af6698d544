"""PretrainingModule: what Lightning needs to know of a language model's training.

Peters et al. 2018, section 3.4, and the published training program.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

from elmo_core.bilm.bilm import State
from elmo_core.devices import sent
from elmo_core.errors import OptionsError
from elmo_core.lightning import pl
from elmo_core.pretraining.corpus import Corpus, Window
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.settings import Training, as_json
from elmo_core.pretraining.softmax import Negatives, draw
from elmo_core.pretraining.streams import Ahead, Feed, Streams

KEY = "pretraining"
EPOCHS = "training.epochs"
LOSS = "loss"
UNSEEN = 40
"""Losses and gradients, one of each a step, between two looks at them on a GPU."""


class PretrainingModule(pl.LightningModule):
    """Training of a language model: the step's number decides its text and all chance.

    A checkpoint thus needs nothing beyond Lightning's own but the carried state and the losses of
    the last hundred steps, and a training that was killed ends where it would have ended.
    """

    def __init__(
        self,
        model: LanguageModel,
        corpus: Corpus,
        training: Training,
        devices: int = 1,
        origin: str | None = None,
    ) -> None:
        """Take a model and its text; `origin` names, by its content, what it starts from.

        Raises OptionsError for a text with fewer tokens than a batch has streams, or than a stream
        advances in a step.
        """
        super().__init__()
        for name, number, what in (
            ("batch_size", training.batch_size * devices, "streams"),
            ("unroll_steps", training.unroll_steps, "tokens a step"),
        ):
            if number > len(corpus):
                raise OptionsError(
                    f"training.{name}: {number:,} {what}, more than the text's {len(corpus):,} "
                    f"tokens: lower it (--set {name}=…)"
                )
        self.model, self.corpus, self.training_part = model, corpus, training
        self.devices, self.origin = devices, origin
        self.recent: deque[float] = deque(maxlen=100)
        self._unseen: list[tuple[str, int, Tensor]] = []  # what, of which step, how much
        self.state: State | None = None
        self._written = False  # whether there is a checkpoint
        self._negatives = Ahead(self._draw_negatives)

    @property
    def step_tokens(self) -> int:
        """Tokens of text in a step, over all devices; each direction reads so many."""
        return self.training_part.batch_size * self.training_part.unroll_steps * self.devices

    @property
    def total_steps(self) -> int:
        return math.ceil(self.training_part.epochs * len(self.corpus) / self.step_tokens)

    @property
    def recent_loss(self) -> float:
        """The mean loss of the last hundred steps."""
        self.look()
        return sum(self.recent) / max(1, len(self.recent))

    def train_dataloader(self) -> DataLoader[Window]:
        training, trainer = self.training_part, self.trainer
        streams = Streams(
            self.corpus,
            training.batch_size,
            training.unroll_steps,
            trainer.global_rank,
            self.devices,
        )
        feed = Feed(streams, lambda: trainer.global_step)
        return DataLoader(feed, batch_size=None)

    def transfer_batch_to_device(self, batch: Window, device: torch.device, _: int) -> Window:
        return batch.to(device)

    def training_step(self, window: Window, _: int) -> Tensor:
        """Return a window's loss × its steps: that is what the published program differentiates.

        Raises TrainingError where the loss is no number any more.
        """
        if self.device.type == "cuda" and self.devices == 1 and not self.model.recorded:
            self.model.record(self.training_part.unroll_steps, self.training_part.batch_size)
        torch.manual_seed(self._seed(self.global_step))
        state = self.state or self.model.bilm.zero_state(
            self.training_part.batch_size, self.model.softmax.weight
        )
        vectors, self.state = self.model(window, state)
        loss = self.model.softmax.loss(
            vectors.flatten(0, 2), window.targets.flatten(), self.negatives(self.global_step)
        )
        self._note(LOSS, loss)
        return loss * self.training_part.unroll_steps

    def _note(self, what: str, number: Tensor) -> None:
        """Take in a number that must be finite: looked at now, or, on a GPU, some steps later."""
        self._unseen.append((what, self.global_step + 1, number.detach()))
        if number.device.type == "cpu" or len(self._unseen) >= UNSEEN:
            self.look()

    def look(self) -> None:
        """Look at what nobody has looked at, for which a GPU is waited for.

        Raises TrainingError where it is no number.
        """
        unseen, self._unseen = self._unseen, []
        if not unseen:
            return
        values = torch.stack([number for _, _, number in unseen]).tolist()
        for (what, step, _), value in zip(unseen, values, strict=True):
            if not math.isfinite(value):
                good = "; the last checkpoint, from before, is good" if self._written else ""
                raise TrainingError(
                    f"the {what} of step {step} is {value}{good}: train again with a lower "
                    f"training.learning_rate{', in another folder' if self._written else ''}"
                )
            if what == LOSS:
                self.recent.append(value)

    def _seed(self, step: int) -> int:
        place = (self.training_part.seed, step, self.global_rank)
        return hash(place) % 2**63  # of whole numbers alone: the same in every process

    def negatives(self, step: int) -> Negatives | None:
        """Return a step's negatives; None for the full softmax."""
        drawn = self._negatives(step)
        return drawn and drawn._replace(words=sent(drawn.words, self.device))

    def _draw_negatives(self, step: int) -> Negatives | None:
        """Draw a step's negatives: none for a vocabulary so small that it would save nothing."""
        samples, size = self.training_part.n_negative_samples_batch, len(self.model.softmax.bias)
        if samples == 0 or size <= 2 * samples:
            return None
        return draw(samples, size, Generator().manual_seed(self._seed(step)))

    def configure_optimizers(self) -> Any:
        training = self.training_part
        if training.optimizer == "adagrad":
            return torch.optim.Adagrad(
                self.parameters(), training.learning_rate, initial_accumulator_value=1.0
            )
        optimizer = torch.optim.Adam(self.parameters(), training.learning_rate, fused=True)
        schedule = LambdaLR(optimizer, self._share_of_learning_rate)
        return [optimizer], [{"scheduler": schedule, "interval": "step"}]

    def on_train_start(self) -> None:
        """Begin at the schedule's rate, and with a checkpoint's state where the model now is.

        A checkpoint has the rate of the epochs before, and is loaded before the model is moved.
        """
        if self.state:
            self.state = State(*(tensor.to(self.device) for tensor in self.state))
        if self.training_part.optimizer == "adam":
            share = self._share_of_learning_rate(self.global_step)
            for group in self.trainer.optimizers[0].param_groups:
                group["lr"] = self.training_part.learning_rate * share

    def _share_of_learning_rate(self, step: int) -> float:
        total = self.total_steps
        warmup = min(self.training_part.warmup_steps, total // 10)
        if step < warmup:
            return (step + 1) / warmup
        return (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup))) / 2

    def configure_gradient_clipping(self, optimizer: Optimizer, *_: Any, **__: Any) -> None:
        # Not Lightning's own: that one refuses fused optimisers.
        bound = self.training_part.all_clip_norm_val
        self._note("gradient", nn.utils.clip_grad_norm_(self.parameters(), bound))

    def record(self) -> dict[str, Any]:
        """Return what must not change when a training is resumed, as nested plain dictionaries."""
        return {
            **as_json(self.model.bilm.options, self.training_part),
            "tokens": len(self.corpus),
            "text": self.corpus.fingerprint,
            "vocabulary": self.corpus.vocabulary.fingerprint,
            "devices": self.devices,
            "start": self.origin,
        }

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Put the states of all devices together; this is called on each of them."""
        assert self.state is not None
        self.look()
        states = [self._of_all_devices(tensor).cpu() for tensor in self.state]
        recent = list(self.recent)
        checkpoint[KEY] = {"record": self.record(), "states": states, "recent": recent}
        self._written = True

    def _of_all_devices(self, tensor: Tensor) -> Tensor:
        """Gather a tensor of every device: (devices, …)."""
        if self.devices == 1:
            return tensor.unsqueeze(0)
        gathered = self.all_gather(tensor)
        assert isinstance(gathered, Tensor)
        return gathered

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on from a checkpoint. Raises TrainingError for another training's.

        `epochs` alone may differ: a training may be made longer, or shorter, but not shorter than
        it has become. The learning rate goes on where the new schedule has it.
        """
        saved, record = _flat(checkpoint[KEY]["record"]), _flat(self.record())
        saved[EPOCHS] = record[EPOCHS]
        saved.setdefault("text", record["text"])  # older checkpoints lack it
        check_same(saved, record)
        done, total = checkpoint["global_step"], self.total_steps
        if done > total:
            raise TrainingError(
                f"the model has already been trained for {done} steps, and {EPOCHS} = "
                f"{record[EPOCHS]} are {total}: ask for more, or choose another folder"
            )
        self._written = True
        self.state = State(*(t[self.global_rank] for t in checkpoint[KEY]["states"]))
        self.recent.extend(checkpoint[KEY].get("recent", ()))  # older checkpoints lack them


def check_same(saved: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise TrainingError for the first value that differs."""
    for key in sorted(saved.keys() | wanted.keys()):
        if saved.get(key) != wanted.get(key):
            raise TrainingError(
                f"the checkpoint to resume was written with {key} = {saved.get(key)}, not "
                f"{wanted.get(key)}: ask for the same again, or choose another folder"
            )


def _flat(nested: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat
