"""elmo_core in somebody else's project: what it needs, what it shows, what it says is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import elmo_core
from elmo_core.errors import ElmoCoreError, MissingPackageError
from elmo_core.packages import needed

ENOUGH = ("torch", "numpy", "h5py", "safetensors")
WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        hidden = name.split(".")[0] in HIDDEN
        return None if hidden else self.finder.find_spec(name, path, target)

sys.meta_path = [Without(finder) for finder in sys.meta_path]
"""
SIX_LINES = """
from elmo_core import Placement, ScalarMix, load_encoder, pad

encoder = load_encoder("elmo-mini", offline=True)
layers, mask = pad(encoder.encode([["The", "bank", "closed", "."], ["Hi"]]))
assert ScalarMix(encoder.layers, encoder.dim)(layers, mask).shape == (2, 4, 256)
placement = Placement("input+output", encoder.layers, encoder.dim)
assert placement.input(layers[:, 0], layers, mask).shape == (2, 4, 512)
"""


def with_dependencies(packages: tuple[str, ...]) -> set[str]:
    """These distributions, and all that they cannot do without."""
    found: set[str] = set()
    todo = list(packages)
    while todo:
        name = canonicalize_name(todo.pop())
        if name in found:
            continue
        found.add(name)
        try:
            wanted = [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:  # a part of the standard library by now, or left out
            continue
        todo += [w.name for w in wanted if w.marker is None or w.marker.evaluate({"extra": ""})]
    return found


def alone(code: str) -> None:
    """Run code where nothing is installed but `elmo_core`, ENOUGH, and what these depend on."""
    there = with_dependencies(ENOUGH)
    hidden = {
        module
        for module, homes in packages_distributions().items()
        if there.isdisjoint(map(canonicalize_name, homes))
    }
    hidden = (hidden | {"bench", "tasks", "conf", "tests"}) - {"elmo_core"}
    script = f"HIDDEN = {hidden!r}\n{WITHOUT}\n{code}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_encoding_and_mixing_need_four_packages() -> None:
    alone(SIX_LINES)


def test_what_needs_more_says_what_to_install() -> None:
    alone(
        """
from elmo_core.errors import MissingPackageError

def missing(call):
    try:
        call()
    except MissingPackageError as error:
        return str(error)

def tokenising():
    from elmo_core.text.tokenizer import tokenize
    tokenize("The bank closed.")

def training():
    import elmo_core.pretraining.train

def storing():
    from elmo_core.store.files import checksum
    checksum(b"")

def transforming():
    from elmo_core.encoders.transformer import load_transformer
    load_transformer(".")

assert missing(tokenising) == "tokenising raw text needs spacy: pip install spacy"
assert missing(training) == "training needs pytorch-lightning: pip install pytorch-lightning"
assert missing(storing) == "storing features needs xxhash: pip install xxhash"
assert missing(transforming) == "this encoder needs transformers: pip install transformers"
"""
    )


def test_a_package_that_is_there_but_broken_is_not_called_missing() -> None:
    with pytest.raises(ModuleNotFoundError) as caught, needed("spacy", "this"):
        raise ModuleNotFoundError("No module named 'thinc'", name="thinc")
    assert not isinstance(caught.value, ElmoCoreError)
    message = "this needs no-such: pip install no-such"
    with pytest.raises(MissingPackageError, match=message), needed("no-such", "this"):
        import no_such  # noqa: F401


def test_dir_shows_what_there_is() -> None:
    shown = dir(elmo_core)
    assert {"load_encoder", "ScalarMix", "Placement", "pad", "BiLM", "FeatureStore"} <= {*shown}
    for name in shown:
        assert getattr(elmo_core, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'scalar_mix'"):
        elmo_core.scalar_mix  # noqa: B018
