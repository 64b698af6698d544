"""What tasks whose files lie in one folder share: how it is found, and what is said if not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, partial
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

from datasets import Dataset

from tasks.base.files import locate
from tasks.base.published import Source
from tasks.base.sizes import NoSizes, read_sizes
from tasks.task import DataError, Task


class FolderTask(Task):
    """A task whose files lie in one folder.

    Args:
        data: "mini", the built-in world; or a published set, by its name or as "open", "paper".
        folder: the user's copy, read instead; `data.dir` of the command line.
        sizes: the fields of `sizes_type`, which become `self.sizes`.

    Raises:
        TypeError: a keyword is none of these, for instance because it is mistyped.

    Attributes:
        name: what the folder of the task's files is called in a collection of data.
        sources: the published sets; of several of a kind, the first is meant.
        sizes_type: a frozen dataclass, the model's hyperparameters with their defaults.
    """

    name: ClassVar[str]
    sources: ClassVar[Sequence[Source]] = ()
    sizes_type: ClassVar[type[Any]] = NoSizes

    def __init__(
        self, *, data: str = "mini", folder: str | Path | None = None, **sizes: Any
    ) -> None:
        self.sizes = read_sizes(self.sizes_type, sizes, signature(type(self)).parameters)
        self._locate = partial(locate, self.name, data, folder, self.sources)

    @cached_property
    def folder(self) -> Path:
        """The folder with the files: found at first use, and if need be downloaded.

        Raises:
            DataError: there is none, or it cannot be downloaded.
        """
        return self._locate()

    @abstractmethod
    def read(self, split: str) -> Dataset | None:
        """Return the examples of a split; None where `folder` has no file for it."""

    @abstractmethod
    def files(self, split: str) -> str:
        """Return the official names of a split's files, for the message that there is none."""

    def load(self, split: str) -> Dataset | None:
        """Return the examples of a split; only the test split may be missing.

        Raises:
            DataError: there is no file of the split, or it is malformed.
        """
        examples = self.read(split)
        if examples is None and split != "test":
            files = self.files(split)
            folders = [name for name in files.split(", ") if (self.folder / name).is_dir()]
            hint = "".join(f"; {name} is a folder" for name in folders)
            raise DataError(f"no {split} file of {self.name} ({files}) in {self.folder}{hint}")
        return examples
