"""A language model on disk: a folder that is an encoder's folder at the same time.

encoder.safetensors   the biLM, as `load_encoder` reads it
softmax.safetensors   the rest of the language model
vocabulary.txt        the softmax's words
options.json          the published options and their training part
steps/                the biLM as it was after so many steps, in half precision: `MODEL@STEP`
earlier-1/            a model that was here before, set aside by a training that began anew
"""

from __future__ import annotations

import json
from pathlib import Path

import safetensors.torch
from safetensors.torch import load_file

from elmo_core.bilm import weights
from elmo_core.downloads.cache import OWN_FILE, STEPS
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.prepare import SETTINGS, VOCABULARY
from elmo_core.pretraining.settings import Training, as_json, read
from elmo_core.pretraining.vocabulary import Vocabulary
from elmo_core.whole_files import write_bytes, write_text

SOFTMAX, OPTIONS = "softmax.safetensors", "options.json"
FILES = OWN_FILE, SOFTMAX, VOCABULARY, OPTIONS
CHECKPOINT = "last.ckpt"
ENCODER = "encoder"  # in the softmax's metadata: the fingerprint of the biLM that it goes with


def save(model: LanguageModel, vocabulary: Vocabulary, training: Training, folder: Path) -> None:
    """Write all four files of a model, the encoder first; each is replaced as a whole."""
    weights.save(model.bilm, folder / OWN_FILE)
    write_text(folder / OPTIONS, json.dumps(as_json(model.bilm.options, training), indent=1))
    vocabulary.write(folder / VOCABULARY)
    state = {name: tensor.detach().cpu() for name, tensor in model.softmax.state_dict().items()}
    of = {ENCODER: weights.fingerprint(model.bilm)}  # a kill may come between the two files
    write_bytes(folder / SOFTMAX, safetensors.torch.save(state, of))  # as `weights.save` does


def check_apart(source: Path, out: Path) -> None:
    """Raise OptionsError where what is made of a model would take its place."""
    if source.resolve() == out.resolve():
        raise OptionsError(f"{out}: the model itself would be overwritten: choose another place")


def check_free(out: Path) -> None:
    """Raise OptionsError where a model's files would take the place of something else's: of a
    prepared corpus's vocabulary, of a published encoder's options, or of what a user wrote."""
    if (out / SETTINGS).is_file():
        raise OptionsError(
            f"{out}: a prepared corpus, whose vocabulary the model's would replace: choose another "
            "folder"
        )
    if any(out.glob("*.hdf5")) and not (out / OWN_FILE).is_file():
        raise OptionsError(
            f"{out}: an encoder in the published layout, whose options.json the model's would "
            "replace: choose another folder"
        )
    if not any((out / name).is_file() for name in (OWN_FILE, CHECKPOINT)):
        for path in (out / OPTIONS, out / VOCABULARY):
            if path.is_file():
                raise OptionsError(
                    f"{path}: the model's own would replace it: move it, or choose another folder"
                )


def keep(model: LanguageModel, step: int, folder: Path) -> None:
    """Write the biLM beside what becomes of it, for `load_encoder("FOLDER@STEP")`."""
    weights.save(model.bilm, kept(step, folder), half=True)


def kept(step: int, folder: Path) -> Path:
    """Return the file that `keep` writes."""
    return folder / STEPS / f"{step}.safetensors"


def load(folder: Path) -> tuple[LanguageModel, Vocabulary, Training]:
    """Load a model for evaluation or for more training, on the CPU.

    Raises OptionsError, WeightsError, TextError or CorpusError for a file that is missing or does
    not fit.
    """
    for name in FILES:
        if not (folder / name).is_file():
            raise WeightsError(
                f"{folder}: not a folder that `train` or `finetune` made (no {name}); an encoder "
                "alone, such as MODEL@STEP or a preset, has no softmax to measure or to train"
            )
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    _, training = read(str(folder / OPTIONS))
    model = LanguageModel(weights.load(folder / OWN_FILE), len(vocabulary))
    path, own = folder / SOFTMAX, weights.fingerprint(model.bilm)
    try:
        model.softmax.load_state_dict(load_file(path))
        with safetensors.safe_open(path, framework="pt") as file:
            of = (file.metadata() or {}).get(ENCODER, own)  # older files do not say
    except (OSError, RuntimeError, safetensors.SafetensorError) as error:
        reason = " ".join(str(error).split())
        raise WeightsError(f"{path}: not the softmax of this model ({reason})") from error
    if of != own:
        raise WeightsError(
            f"{folder}: encoder and softmax are of different steps: a training is writing them, or "
            "was stopped while it did: give its command again"
        )
    return model, vocabulary, training
