"""The contract between a task and whoever trains it. Read this file and you can write a task.

**Words.** An *example* is one row of a `datasets.Dataset`: a dict with an `id` that is unique in
its split. A *batch* is a dict of tensors (batch first) made from a list of examples. *Layers* are
what the frozen encoder says about the batch's sentences: a float tensor (sentences, layers, tokens,
dim), padded with zeros, its sentences in the order of `Task.sentences`, example after example;
`None` if no place in the model wants them. On a GPU all these are there, but tensors of a batch
whose name ends in `lengths` stay on the CPU: recurrent networks want the lengths of what they pack
there, and what has to be fetched from a GPU is waited for.

**Construction.** A task is called with keywords alone:

- the keys of its YAML (`task.hidden=100` on the command line is `hidden=100` here). Each has a
  default, so that a task can also be made without a configuration;
- always `data`, what `data=` or `data.set=` names: "mini", "open", "paper", or a published set; and
  `folder`, the user's own copy of the data, from `data.dir=`, or None. A task finds its files by
  these two (`tasks.base.folder_task` does it for most), and not before `load`;
- `word_vectors`, a file of them, a published name, or None, and `word_dropout`, how often a word
  learned without them is hidden in training: each only if the signature of the class, or of a class
  that it passes its keywords on to, has this parameter.

**A task of your own** may live in any package that Python can import. `docs/tasks.md` has a whole
one; `tasks.base` has what tasks of a kind share, and nothing obliges you to use it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from elmo_core.errors import OneLineError

if TYPE_CHECKING:  # so that whoever reads only the contract need not import torch
    from pathlib import Path

    from datasets import Dataset
    from torch import Tensor, nn

    from elmo_core import Placement
    from tasks.scoring.additive_metrics import Sums

Example: TypeAlias = dict[str, Any]
Batch: TypeAlias = "dict[str, Tensor]"
Respell: TypeAlias = Callable[[Sequence[str]], list[str]]
DOCUMENT = "document_id"  # the column that names the text which an example is of


class DataError(OneLineError, ValueError):
    """Something in a data file or folder that its owner can mend; the message says where."""


class NotCombinable(TypeError):
    """The reason why outputs of several models cannot be made one."""


class NotProbed(TypeError):
    """The reason why a task has no control task, or its labels no code length."""


class Task(ABC):
    """One downstream task: where its data is, what its model is, how it is scored.

    Attributes:
        metric: the key of `score` that selects the best epoch and stands in tables; higher is
            better.
        example_input: an example of what `parse` reads, as a user would give it; by default a
            `text`. `python -m bench.predict` shows it to whoever gives something else.
    """

    metric: ClassVar[str]
    example_input: ClassVar[Mapping[str, Any]] = {"text": "A man sleeps."}

    # -- data

    @abstractmethod
    def load(self, split: str) -> Dataset | None:
        """Return the examples of "train", "dev" or "test"; None where there is no such split.

        Raises:
            DataError: a folder or file is missing or malformed; the message names file and line.
        """

    def paths(self, split: str) -> Sequence[Path]:
        """Return the files that `load` reads for a split, in a fixed order.

        Of the user's own folder, their bytes stand in the run id. By default there are none in any
        split, which means that the task does not say: then every file below the folder counts.
        """
        return ()

    @abstractmethod
    def prepare(self, train: Dataset) -> None:
        """Build vocabularies from the training examples; called before anything below.

        What the user should know (found, counted, dropped, learned) goes to `logging`.
        """

    @abstractmethod
    def vocabulary(self) -> dict[str, Any]:
        """Return, as JSON can hold it, what `prepare` learned and a trained head needs."""

    @abstractmethod
    def restore(self, vocabulary: dict[str, Any]) -> None:
        """Take back what `vocabulary` gave, instead of `prepare`."""

    @abstractmethod
    def parse(self, fields: Mapping[str, Any]) -> Example:
        """Make an example of new text; where examples have gold, it has some that means nothing.

        Args:
            fields: what a user knows: `text`, or what else the task reads (see `example_input`).

        Raises:
            DataError: a field is missing or empty.
        """

    # -- model

    @abstractmethod
    def sentences(self, example: Example) -> list[list[str]]:
        """Return the token lists that the encoder must see for this example, in a fixed order."""

    def respelled(self, example: Example, respell: Respell) -> Example:
        """Return an example with its words spelled otherwise, and its gold at the same words.

        By default, every field that `sentences` reads as it is, a token list or a list of such, is
        respelled; all others, such as tags and spans of token numbers, stay. A task overrides it
        whose gold points at characters, or follows from how words are spelled.

        Args:
            respell: makes of a token list another of the same length; no token is empty or has
                white space that it did not have. Equal lists become equal ones.

        Raises:
            NotImplementedError: no field is read as it is, and the task does not override this.
        """
        sentences = self.sentences(example)
        changed: Example = {}
        for key, value in example.items():
            # The same list, not an equal one: a tag may be spelled like its token.
            if any(value is words for words in sentences):
                changed[key] = respell(value)
            elif isinstance(value, list) and list(map(id, value)) == list(map(id, sentences)):
                changed[key] = [respell(words) for words in value]
        if not changed:
            raise NotImplementedError("its task does not say how (Task.respelled)")
        return {**example, **changed}

    @abstractmethod
    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn examples into padded tensors: inputs, masks and gold, batch first."""

    @abstractmethod
    def model(self, placement: Placement) -> nn.Module:
        """Make a new model, which has `placement` as an attribute of this name.

        Its `forward(batch, layers)` calls `placement.input` and `.output`: either may be chosen. It
        returns a dict with `loss`, a scalar, the mean over the batch, and what `predict` needs.

        A model may have nothing to learn by gradient: no parameter of it, its placement's included,
        requires one, and there is no `loss`. It is shown the training examples once, in training
        mode; what it gathers lies in buffers, which are saved with it.
        """

    @abstractmethod
    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Read a model's output: one dict an example, as JSON can hold it.

        Each has `id`, `prediction`, `gold`, and what else helps whoever reads predictions.jsonl.
        """

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """Make one output of what several models say about the same batch, without the loss.

        An ensemble hands it to `predict`.

        Raises:
            NotCombinable: the outputs cannot be combined; by default, they never can.
        """
        raise NotCombinable("its task does not say how (Task.combine)")

    @property
    def labels(self) -> Sequence[str]:
        """What the numbers in the model's outputs stand for, in order, where they are labels.

        Models can be combined only where these are the same.
        """
        return ()

    @property
    def label_names(self) -> Collection[str]:
        """The names of the labels that training has shown, as a user knows them: of a tag such as
        B-PER the type. None by default, where gold is no choice among labels.

        An evaluation on other data compares them with `gold_labels`.
        """
        return ()

    def gold_labels(self, example: Example) -> Collection[str]:
        """Return the names of the labels in an example's gold, where there are `label_names`."""
        return ()

    def all_names(self, names: Mapping[str, str]) -> Mapping[str, str]:
        """Return new names of labels with those of labels that go with them, such as C-X with X."""
        return names

    def renamed(self, row: Example, names: Mapping[str, str]) -> Example:
        """Give labels other names, in `gold` and `prediction` of a row of `predict`."""
        return row

    # -- probes, of which a report says what they cannot have learned by heart

    def control(self, train: Dataset, seed: int) -> Callable[[Example], Example]:
        """Make the control task (Hewitt & Liang 2019): the same examples with labels drawn at
        random, the same for all uses of a word. `tasks.base.control` has the usual one.

        Args:
            train: the training examples, whose labels are drawn from.
            seed: another one draws other labels.

        Returns:
            What puts the control task's labels into an example, of any split.

        Raises:
            NotProbed: there is no control task; by default, there never is.
        """
        raise NotProbed("its task has no control task (Task.control)")

    def surprisals(
        self, output: dict[str, Tensor], examples: Sequence[Example]
    ) -> list[list[float]]:
        """Read from a model's output the bits that each gold label takes: −log₂ p(label).

        They make the online code length (Voita & Titov 2020). Each example has a list, of labels
        that training has shown; without a model, a label is one of `labels`, all alike.

        Raises:
            NotProbed: the model has no such probabilities; by default, it never has.
        """
        raise NotProbed("its task does not say how likely a label is (Task.surprisals)")

    def size(self, example: Example) -> int:
        """Return the length by which examples are bucketed into batches: the longest sentence's."""
        return max(len(sentence) for sentence in self.sentences(example))

    # -- score

    def cluster(self, example: Example) -> str:
        """Name the group of examples that are not independent of this one, which a report's
        intervals count: by default its text, `document_id`, if the data tells it, else itself.
        """
        document = example.get(DOCUMENT)
        return str(example["id"] if document in (None, "") else document)

    def slices(self, example: Example) -> dict[str, str | int]:
        """Say by which properties of an example results may be told apart: words or whole numbers.

        predictions.jsonl has them as `slices`, and a report's page counts and filters by them.
        """
        return {"length": self.size(example)}

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        """Write a prediction as a person reads it: the example's `text`, `gold` and `prediction`.

        predictions.jsonl has it as `drawn`, and a report's page shows it.
        """
        text = " / ".join(" ".join(words) for words in self.sentences(example))
        return {"text": text, **{side: _words(row[side]) for side in ("gold", "prediction")}}

    @abstractmethod
    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        """Return the official metrics, in percent and finite, of predictions in any order."""

    @staticmethod
    def counts(row: Example) -> tuple[float, ...] | None:
        """Turn one prediction, as `predict` wrote it, into numbers that are added up over a split.

        With these and `from_counts`, a report leaves out each cluster in turn for its intervals and
        p-values; without, it scores the split again without each of 40 groups of clusters. None,
        the default, says that there are none. `tasks.scoring.additive_metrics` has the usual ones.
        """
        return None

    @staticmethod
    def from_counts(sums: Sums) -> Sums:
        """Compute `metric`, in percent, from sums of `counts`: (…, numbers) → (…)."""
        raise NotImplementedError("a task with `counts` needs `from_counts`")

    @abstractmethod
    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        """Score on `split`, in `metric`, what needs no learning: {"majority class": 33.8}."""


def _words(value: Any) -> str:
    """Write a label, or a list of them."""
    return ", ".join(map(_words, value)) if isinstance(value, list | tuple) else str(value)
