"""What tasks whose files lie in one folder share: how it is found, and what is said if not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from datasets import Dataset

from tasks.base.files import DataError, locate
from tasks.base.published import Source
from tasks.task import Task


class FolderTask(Task):
    """A task whose files lie in one folder.

    Args:
        data: "mini", the built-in world; or a published set, by its name or as "open", "paper".
        folder: the user's copy, read instead.
    """

    name: ClassVar[str]  # the folder's: of the task, and of its files in a collection
    sources: ClassVar[Sequence[Source]] = ()  # what is published; the first of a kind is meant

    def __init__(self, *, data: str = "mini", folder: str | None = None) -> None:
        self.data, self.data_folder = data, folder

    @cached_property
    def folder(self) -> Path:
        return locate(self.name, self.data, self.data_folder, self.sources)

    @abstractmethod
    def read(self, split: str) -> Dataset | None:
        """The examples of a split; None where `folder` has no file for it."""

    @abstractmethod
    def files(self, split: str) -> str:
        """The official names of a split's files, for the message that there is none."""

    def load(self, split: str) -> Dataset | None:
        found = self.read(split)
        if found is None and split != "test":
            raise DataError(
                f"no {split} file of {self.name} ({self.files(split)}) in {self.folder}"
            )
        return found
