"""The contract between a task and whoever trains it. Read this file and you can write a task.

An *example* is one row of a `datasets.Dataset`: a dict with an `id` that is unique in its split.
A *batch* is a dict of tensors (batch first) made from a list of examples. *Layers* are what the
frozen encoder says about the batch's sentences: float tensor (sentences, layers, tokens, dim),
zero-padded, sentences in the order of `Task.sentences`, example after example; `None` if no place
in the model wants them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement

Example = dict[str, Any]
Batch = dict[str, Tensor]


class DataError(ValueError):
    """Something in a data file or folder that its owner can mend; the message says where."""


class NotCombinable(TypeError):
    """Why outputs of several models cannot be made one."""


class Task(ABC):
    """One downstream task: where its data is, what its model is, how it is scored.

    `metric` is the key of `score` that selects the best epoch and stands in tables; higher is
    better.
    """

    metric: ClassVar[str]

    @abstractmethod
    def load(self, split: str) -> Dataset | None:
        """The examples of "train", "dev" or "test"; None where the data has no such split.

        Raises DataError for a folder or file that is missing or malformed, with file and line.
        """

    @abstractmethod
    def prepare(self, train: Dataset) -> None:
        """Build vocabularies from the training examples; called before anything below.

        What the user should know (found, counted, dropped, learned) goes to `logging`.
        """

    @abstractmethod
    def vocabulary(self) -> dict[str, Any]:
        """JSON-able: all that `prepare` learned and a trained head cannot do without."""

    @abstractmethod
    def restore(self, vocabulary: dict[str, Any]) -> None:
        """Take back what `vocabulary` gave, instead of `prepare`."""

    @abstractmethod
    def sentences(self, example: Example) -> list[list[str]]:
        """The token lists that the encoder must see for this example, in a fixed order."""

    @abstractmethod
    def collate(self, examples: Sequence[Example]) -> Batch:
        """Examples → padded tensors: inputs, masks and gold, batch first."""

    @abstractmethod
    def model(self, placement: Placement) -> nn.Module:
        """A new model with a `placement` attribute.

        `forward(batch, layers)` returns a dict with `loss`, a scalar: the mean over the batch,
        and whatever `predict` needs.

        A model may have nothing to learn by gradient: no parameter of it, its placement's included,
        requires one, and there is no `loss`. It is shown the training examples once, in training
        mode; what it gathers lies in buffers, which are saved with it.
        """

    @abstractmethod
    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """One JSON-able dict for each example: `id`, `prediction`, `gold` and what else helps."""

    @abstractmethod
    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        """The official metrics, in percent, over all predictions of a split, in any order."""

    @abstractmethod
    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        """What needs no learning scores on `split`, in `metric`: {"majority class": 33.8}."""

    @abstractmethod
    def parse(self, given: Mapping[str, Any]) -> Example:
        """An example from new text; where examples have gold, it has some that means nothing.

        `given` are the fields that a user knows: `text`, and what else the task reads. Raises
        DataError for one that is missing or empty.
        """

    @property
    def labels(self) -> Sequence[str]:
        """What the numbers in the model's outputs stand for, in order, where they stand for labels:
        models can be combined only where these are the same."""
        return ()

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """An ensemble: from what several models say about the same batch, one output for `predict`,
        without the loss.

        Raises NotCombinable, with the reason; by default, always.
        """
        raise NotCombinable("its task does not say how (Task.combine)")

    def size(self, example: Example) -> int:
        """Length by which examples are bucketed into batches: by default the longest sentence."""
        return max(len(sentence) for sentence in self.sentences(example))
