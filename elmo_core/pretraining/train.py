"""A biLM from a prepared folder: a new one, or one that has read other text before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.encoders.load import load_encoder
from elmo_core.errors import OptionsError
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.errors import CorpusError
from elmo_core.pretraining.loop import fit
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.prepare import ENCODED, HELDOUT, TRAIN, VOCABULARY, verify
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.vocabulary import Vocabulary


def train(
    prepared: Path,
    out: Path,
    options: Options,
    training: Training,
    *,
    start: str | Path | None = None,
    devices: int = 1,
    **loop: Any,
) -> None:
    """Train a biLM, or resume its training. The package's docstring has an example.

    Args:
        prepared: a folder that `prepare` made.
        out: the folder of the model, where a training that was interrupted goes on.
        options: the model's shape.
        training: how it is trained.
        start: the encoder whose weights it starts from, as `load_encoder` takes it; by default they
            are drawn at random. The softmax, which no encoder has, is always drawn.
        devices: how many processes share the text.
        loop: what `elmo_core.pretraining.loop.fit` takes besides: `every`, the steps between
            checkpoints, `keep`, `accelerator` and `precision`.

    Raises:
        OptionsError: `start` is not known, or has another shape than `options`; `out` holds a
            prepared corpus or an encoder in the published layout; the text has fewer tokens than a
            batch has streams, or than a stream advances in a step.
        WeightsError, FetchError: `start` cannot be read, or cannot be downloaded.
        CorpusError, TextError: the prepared folder cannot be read, or does not fit.
        TrainingError: the checkpoint is another training's or beyond the end of this one, a step of
            `keep` cannot be kept, the loss is no number any more, or the disk is full.
    """
    folder.check_free(out)
    verify(prepared)  # first: `prepare` makes anew only what it is told to, and this says how
    if not (prepared / VOCABULARY).is_file():
        raise CorpusError(f"{prepared}: no prepared text: `prepare TEXT -o {prepared}` makes it")
    vocabulary = Vocabulary.read(prepared / VOCABULARY)
    text, heldout = (
        Corpus(prepared / ENCODED / part, vocabulary, options.characters)
        for part in (TRAIN, HELDOUT)
    )
    torch.manual_seed(training.seed)
    bilm, origin = (BiLM(options), None) if start is None else _trained(start, options)
    model = LanguageModel(bilm, len(vocabulary), training.dropout)
    fit(PretrainingModule(model, text, training, devices, origin), heldout, out, **loop)


def _trained(start: str | Path, options: Options) -> tuple[BiLM, str]:
    """Load the biLM of an encoder, to be trained further, and its fingerprint."""
    encoder = load_encoder(start)
    if encoder.bilm.options != options:
        raise OptionsError(f"{start}: a biLM of another shape than the options of this training")
    return encoder.bilm.train().requires_grad_(True), encoder.fingerprint
