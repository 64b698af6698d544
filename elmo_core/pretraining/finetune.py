"""A trained biLM goes on to the text of a task (Peters et al. 2018, section 3.4 and table 7).

Labels are not looked at. Words outside the vocabulary count as `<UNK>` when predicted; their
spelling is read all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from torch import nn

from elmo_core.downloads.cache import OWN_FILE
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import TOKENS, TYPES, encoded
from elmo_core.pretraining.loop import fit
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.perplexity import Perplexity, measure
from elmo_core.pretraining.settings import changed
from elmo_core.whole_files import sha256_of


def finetune(
    source: Path,
    texts: Sequence[Path],
    dev: Sequence[Path],
    out: Path,
    changes: Sequence[str] = (),
    *,
    devices: int = 1,
    **loop: Any,
) -> tuple[Perplexity, Perplexity]:
    """Train a model for one more epoch, as it was trained before. `source` stays as it is.

    Args:
        source: the folder of a model that `train` made.
        texts: tokenised training text, one sentence a line: files, or folders of them.
        dev: text of the same form, only measured.
        out: the folder of the new model, where a training that was interrupted goes on.
        changes: settings of the training that shall differ, each `KEY=VALUE`.
        devices: how many processes share the text.
        loop: what `elmo_core.pretraining.loop.fit` takes besides.

    Returns:
        The perplexity of `dev` before and after.

    Raises:
        OptionsError, WeightsError, TextError, CorpusError: a model, setting or text that cannot be
            used, or `out` is `source`, a prepared corpus or an encoder in the published layout.
        TrainingError: `out` holds the training of another model or text; what `fit` raises besides.
    """
    folder.check_apart(source, out)
    folder.check_free(out)
    model, vocabulary, training = folder.load(source)
    training = changed(training, ["epochs=1", *changes])
    model.dropout = nn.Dropout(training.dropout)
    with TemporaryDirectory() as scratch:
        characters = model.bilm.options.characters
        corpora = [
            encoded(paths, vocabulary, characters, Path(scratch) / name, out)
            for name, paths in (("train", texts), ("dev", dev))
        ]
        before = measure(model, corpora[1])
        origin = _origin(source, Path(scratch) / "train")
        module = PretrainingModule(model, corpora[0], training, devices, origin)
        fit(module, corpora[1], out, **loop)
        return before, measure(folder.load(out)[0], corpora[1])


def _origin(source: Path, text: Path) -> str:
    """Name a model and an encoded text by what their files hold, wherever they lie."""
    model = _digits(source / OWN_FILE, source / folder.SOFTMAX)
    return f"model {model} and text {_digits(text / TOKENS, text / TYPES)}"


def _digits(*files: Path) -> str:
    """Return the first digits of a hash of these files: enough to tell a few apart."""
    return sha256("".join(map(sha256_of, files)).encode()).hexdigest()[:12]
