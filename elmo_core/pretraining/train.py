"""A new biLM from a prepared folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.loop import fit
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.prepare import ENCODED, HELDOUT, TRAIN, verify
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.vocabulary import Vocabulary


def train(
    prepared: Path,
    out: Path,
    options: Options,
    training: Training,
    *,
    devices: int = 1,
    **loop: Any,
) -> None:
    """Train a new biLM, or resume its training. The package's docstring has an example.

    Args:
        prepared: a folder that `prepare` made.
        out: the folder of the model, where a training that was interrupted goes on.
        options: the model's shape.
        training: how it is trained.
        devices: how many processes share the text.
        loop: what `elmo_core.pretraining.loop.fit` takes besides: `every`, the steps between
            checkpoints, `accelerator` and `precision`.

    Raises:
        CorpusError, TextError: the prepared folder cannot be read, or does not fit.
        TrainingError: the checkpoint is another training's, the loss is no number any more, or the
            disk is full.
    """
    vocabulary = Vocabulary.read(prepared / folder.VOCABULARY)
    text, heldout = (
        Corpus(prepared / ENCODED / part, vocabulary, options.characters)
        for part in (TRAIN, HELDOUT)
    )
    verify(prepared)
    torch.manual_seed(training.seed)
    model = LanguageModel(BiLM(options), len(vocabulary), training.dropout)
    fit(PretrainingModule(model, text, training, devices), heldout, out, **loop)
