"""Empty modules in the place of what AllenNLP imports and its networks never call."""

from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NOT_NEEDED = (
    *("cached_path", "conllu", "datasets", "fairscale", "ftfy", "huggingface_hub", "lmdb", "nltk"),
    *("rouge", "scipy", "sklearn", "spacy", "sqlitedict", "tensorboardX", "torchvision"),
    *("transformers", "word2number"),
)
"""What AllenNLP and its models import, in versions of their day."""


class Empty(ModuleType):
    """A module in which every name is a class of its own."""

    __path__ = []

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class Instead(MetaPathFinder, Loader):
    """Finds an empty module for each of NOT_NEEDED and what is in it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.split(".")[0] in NOT_NEEDED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass
