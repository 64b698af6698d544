"""Reading and writing the weights of a biLM.

Two formats: the published pair `options.json` + HDF5, and ours, one safetensors file that carries
the options with it. Neither can hold code. Whatever is wrong with a file – damaged, another shape
than its options say, a tensor too many or too few – ends in one WeightsError that names the file,
the tensor and both shapes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import h5py
import safetensors.torch
import torch
from torch import Tensor

from elmo_core import strict_json
from elmo_core.bilm import hdf5_layout
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.errors import ElmoCoreError, WeightsError
from elmo_core.state_dicts import add_tensors
from elmo_core.whole_files import replacing, write_bytes

FORMAT = "elmo-bench/1"
Shapes = Mapping[str, tuple[int, ...]]


def load(path: str | Path) -> BiLM:
    """Read our safetensors file, half precision widened to float32. Raises WeightsError."""
    with _readable(path), safetensors.safe_open(str(path), framework="pt") as file:
        metadata = file.metadata() or {}
        if metadata.get("format") != FORMAT:
            raise WeightsError(
                f"{path}: not a biLM written by this program "
                f"(metadata says format {metadata.get('format')!r}, expected {FORMAT!r})"
            )
        try:
            raw = strict_json.loads(metadata["options"])
        except (KeyError, ValueError) as error:
            raise WeightsError(f"{path}: the options in its metadata cannot be read") from error
        options = Options.parse(raw, f"{path}: options")
        found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
        _check_shapes(path, found, _our_shapes(options))
        state = {name: _as_float32(path, name, file.get_tensor(name)) for name in found}
    return _assemble(options, state)


def save(bilm: BiLM, path: str | Path, *, half: bool = False) -> None:
    """Write our safetensors file, in float32 or float16, whole or not at all. Raises OSError."""
    state = {name: tensor.detach().cpu() for name, tensor in bilm.state_dict().items()}
    if half:
        state = {name: tensor.half() for name, tensor in state.items()}
    metadata = {"format": FORMAT, "options": bilm.options.canonical()}
    # Not `save_file`, whose files are readable for their owner alone, whatever the umask.
    write_bytes(path, safetensors.torch.save(state, metadata))


def load_hdf5(options: Options, path: str | Path) -> BiLM:
    """Read the published HDF5 weights of a biLM of this shape. Raises WeightsError."""
    datasets: dict[str, h5py.Dataset] = {}

    def collect(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        if item.external or item.is_virtual:  # its numbers would be read from any file it names
            raise WeightsError(f"{path}: tensor {name} lies in another file, which is not read")
        if item.dtype.kind != "f":
            raise WeightsError(f"{path}: tensor {name} holds {item.dtype}, not floating point")
        datasets[name] = item

    with _readable(path), h5py.File(path, "r") as file:
        file.visititems(collect)
        found = {name: dataset.shape for name, dataset in datasets.items()}
        _check_shapes(path, found, hdf5_layout.shapes(options))
        theirs = {
            name: _as_float32(path, name, torch.from_numpy(dataset[()].astype("f4")))
            for name, dataset in datasets.items()
        }
    return _assemble(options, hdf5_layout.to_ours(theirs, options))


def write_hdf5(bilm: BiLM, path: str | Path) -> None:
    """Write the weights in the published layout, whole or not at all. Raises OSError.

    The options belong beside it: `json.dumps(bilm.options.published())`.
    """
    state = {name: tensor.detach().cpu() for name, tensor in bilm.state_dict().items()}
    with replacing(path) as temporary, h5py.File(temporary, "w") as file:
        for name, tensor in hdf5_layout.to_published(state, bilm.options).items():
            file.create_dataset(name, data=tensor.numpy())


def fingerprint(bilm: BiLM) -> str:
    """Hash the options and every float32 weight: SHA-256, equal wherever the numbers are equal."""
    digest = hashlib.sha256(bilm.options.canonical().encode())
    add_tensors(digest, ((k, v.float()) for k, v in sorted(bilm.state_dict().items())))
    return digest.hexdigest()


def _assemble(options: Options, state: dict[str, Tensor]) -> BiLM:
    with torch.device("meta"):  # no random weights are drawn only to be overwritten
        bilm = BiLM(options)
    bilm.load_state_dict(state, assign=True)
    return bilm


def _our_shapes(options: Options) -> dict[str, tuple[int, ...]]:
    with torch.device("meta"):
        return {name: tuple(t.shape) for name, t in BiLM(options).state_dict().items()}


def _check_shapes(path: str | Path, found: Shapes, expected: Shapes) -> None:
    for name in expected:
        if name not in found:
            raise WeightsError(
                f"{path}: tensor {name} is missing; the options ask for shape {expected[name]}"
            )
        if found[name] != expected[name]:
            raise WeightsError(
                f"{path}: tensor {name} has shape {found[name]}, "
                f"the options ask for {expected[name]}"
            )
    for name in found:
        if name not in expected:
            raise WeightsError(
                f"{path}: tensor {name} of shape {found[name]} has no place in a biLM of these "
                "options"
            )


def _as_float32(path: str | Path, name: str, tensor: Tensor) -> Tensor:
    if not tensor.is_floating_point():
        raise WeightsError(f"{path}: tensor {name} holds {tensor.dtype}, not floating point")
    # A copy: memory-mapped tensors lie at odd addresses, at which products round differently.
    tensor = tensor.float().clone()
    if not tensor.isfinite().all():
        raise WeightsError(f"{path}: tensor {name} holds numbers that are not finite")
    return tensor


@contextmanager
def _readable(path: str | Path) -> Iterator[None]:
    """Turn the two libraries' complaints about missing or damaged files into WeightsError."""
    if not Path(path).is_file():
        raise WeightsError(f"{path}: no such file")
    try:
        Path(path).open("rb").close()  # to safetensors, what may not be read is not there
    except OSError as error:
        raise WeightsError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        yield
    except ElmoCoreError:
        raise
    except (
        OSError,
        KeyError,
        RuntimeError,
        TypeError,
        ValueError,
        safetensors.SafetensorError,
    ) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise WeightsError(
            f"{path}: damaged, cut short, or not a weight file ({reason})"
        ) from error
