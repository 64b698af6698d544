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
from elmo_core.pretraining.prepare import ENCODED, HELDOUT, TRAIN
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
    """Train, or resume, in the folder `out`; `loop` goes to `fit`.

    Raises CorpusError for the prepared folder, TrainingError for what happens later.
    """
    vocabulary = Vocabulary.read(prepared / folder.VOCABULARY)
    text, heldout = (
        Corpus(prepared / ENCODED / part, vocabulary, options.characters)
        for part in (TRAIN, HELDOUT)
    )
    torch.manual_seed(training.seed)
    model = LanguageModel(BiLM(options), len(vocabulary), training.dropout)
    fit(PretrainingModule(model, text, training, devices), heldout, out, **loop)
