"""A language model → an encoder for others: the published pair, or one safetensors file."""

from __future__ import annotations

import json
from pathlib import Path

from elmo_core.bilm import weights
from elmo_core.downloads.cache import OWN_FILE, STEPS
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.pretraining import folder
from elmo_core.whole_files import write_text

HDF5 = "weights.hdf5"


def export(source: Path, out: Path, *, half: bool = False) -> None:
    """Write a trained model's encoder for others. The package's docstring has an example.

    Args:
        source: the folder of a model that `train` or `finetune` made.
        out: a file that ends in `.safetensors`, for our format; else a folder, for the published
            options.json and HDF5.
        half: whether to store float16, in our format only: the published layout is float32.

    Raises:
        OptionsError: `half` with the published layout, or `out` is the model itself, a file of
            one, another one's folder, or that of a published encoder.
        WeightsError: `source` holds no model.
    """
    folder.check_apart(source, out)
    folder.check_apart(source / OWN_FILE, out)
    if not (source / OWN_FILE).is_file():
        raise WeightsError(
            f"{source}: not a folder that `train` or `finetune` made (no {OWN_FILE}); MODEL@STEP "
            f"needs no export: it is the file MODEL/{STEPS}/STEP.safetensors"
        )
    bilm = weights.load(source / OWN_FILE)
    if out.suffix == ".safetensors":
        place = out.resolve().parent
        owner = place.parent if place.name == STEPS else place
        if (owner / folder.SOFTMAX).is_file() and (owner != place or out.name in folder.FILES):
            raise OptionsError(f"{out}: a file of the model in {owner}: choose another name")
        weights.save(bilm, out, half=half)
        return
    if half:
        raise OptionsError("float16 goes with .safetensors: the published layout is float32")
    if (out / OWN_FILE).is_file():
        raise OptionsError(f"{out}: holds a model, which would be read instead: give a new folder")
    if any(path.name != HDF5 for path in out.glob("*.hdf5")):
        raise OptionsError(
            f"{out}: holds an encoder in the published layout, whose options.json this one's would "
            "replace: give a new folder"
        )
    weights.write_hdf5(bilm, out / HDF5)
    write_text(out / "options.json", json.dumps(bilm.options.published(), indent=1))
