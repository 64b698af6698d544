"""A pretended accelerator: it computes on the CPU, and is as strict as a GPU.

Its tensors say that they are on `pretended:0`. One of them cannot be combined with a CPU tensor of
one or more dimensions, nor be read by the host unnoticed: whatever makes the host wait for a GPU is
counted, with the line of code that asks for it. `torch.nn.LSTM` and `GRU` are one call, as cuDNN's
are. Real kernels, their precision and their memory are not pretended.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map

NAME = "pretended"
AVAILABLE = (
    hasattr(backend_registration, "_setup_privateuseone_for_python_backend")  # torch 2.9
    and not torch.cuda.is_available()  # which would no longer be the one that memory is pinned for
)
ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(f"{ROOT / floor}/" for floor in ("elmo_core", "tasks", "bench"))

COUNTED_OUT = {"nonzero", "masked_select", "unique_dim", "_unique2", "unique_consecutive"}
COUNTED_OUT |= {"bincount", "repeat_interleave", "_local_scalar_dense", "equal"}
"""Operators whose result, or the size of it, the host must know."""

HOST_BESIDE = {"_pack_padded_sequence", "_pack_padded_sequence_backward", "_pad_packed_sequence"}
"""Operators that want some of their tensors on the host."""


@dataclass
class Traffic:
    """What went on between host and device, by the line of our code that asked for it."""

    waits: Counter[str] = field(default_factory=Counter)  # of the host for the device
    copies: Counter[str] = field(default_factory=Counter)  # from the host to the device
    operators: int = 0
    doubles: bool = False  # whether the device has float64, as NVIDIA's do and Apple's do not

    def restart(self) -> None:
        """Count from zero again."""
        self.waits, self.copies, self.operators = Counter(), Counter(), 0


class OnDevice(Tensor):
    """A tensor of the device. `on_host` has its numbers."""

    on_host: Tensor

    @staticmethod
    def __new__(cls, on_host: Tensor) -> OnDevice:
        made: Any = Tensor._make_wrapper_subclass(
            cls,
            on_host.shape,
            strides=on_host.stride(),
            storage_offset=on_host.storage_offset(),
            dtype=on_host.dtype,
            device=torch.device(NAME, 0),
        )
        made.on_host = on_host
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"OnDevice({tuple(self.shape)}, {self.dtype})"

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        return _computed(func, args, kwargs or {})


_traffic = Traffic()


def register() -> None:
    """Let torch know the device. This must come before the first gradient of the process, since
    autograd counts the devices there are only once."""

    class Backend(backend_registration._DummyBackendModule):
        def get_amp_supported_dtype(self) -> list[torch.dtype]:
            return [torch.bfloat16, torch.float16]

    backend_registration._setup_privateuseone_for_python_backend(NAME, backend_module=Backend())


@contextmanager
def pretended() -> Iterator[tuple[torch.device, Traffic]]:
    """Inside, there is the device; what goes on between it and the host is counted."""
    _traffic.restart()
    _traffic.doubles = False
    with _Dispatched(), _Called():
        yield torch.device(NAME, 0), _traffic


class _Dispatched(TorchDispatchMode):
    """Sees operators that make tensors of nothing, too."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        return _computed(func, args, kwargs or {})


class _Called(TorchFunctionMode):
    """Sees what never comes to the dispatcher, or comes there in pieces."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        ours = [t for t in tree_leaves((args, kwargs)) if isinstance(t, OnDevice)]
        if name in ("tensor", "new_tensor") and (ours or _is_ours(kwargs.get("device"))):
            device = kwargs.pop("device", None) or torch.device(NAME, 0)
            return torch.tensor(args[-1], **kwargs).to(device)
        if not ours:
            return func(*args, **kwargs)
        if name == "tolist":
            _count(_traffic.waits, name)
            return ours[0].on_host.tolist()
        if name in ("numpy", "__array__"):
            raise TypeError(f"{_place()}: numpy cannot read a tensor of the device")
        if name in ("lstm", "gru"):
            return _fused(func, args)
        return func(*args, **kwargs)


def _computed(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Do an operator on the numbers, after it was found allowed, and count what it costs."""
    name = func._schema.name.split("::")[1]
    tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, Tensor)]
    ours = [t for t in tensors if isinstance(t, OnDevice)]
    wanted = kwargs.get("device")
    here = _is_ours(wanted) if wanted is not None else bool(ours)
    if name == "_to_copy":
        _count_copy(bool(ours), here, kwargs)
    elif name == "copy_":
        here = isinstance(args[0], OnDevice)
        _count_copy(isinstance(args[1], OnDevice), here, {"non_blocking": args[2:] == (True,)})
    elif ours:
        _check(name, ours, [t for t in tensors if not isinstance(t, OnDevice) and t.dim()], args)
    if here and kwargs.get("generator") is not None:
        raise RuntimeError(f"{name} at {_place()}: a generator of the CPU")
    _traffic.operators += here
    kwargs = {key: value for key, value in kwargs.items() if key not in HOST_MEMORY}
    if wanted is not None:
        kwargs["device"] = torch.device("cpu") if _is_ours(wanted) else wanted
    result = func(*tree_map(_unwrapped, args), **tree_map(_unwrapped, kwargs))
    if not here or name == "_local_scalar_dense":
        return result
    known = {id(tensor.on_host): tensor for tensor in ours}  # what was changed in place

    def wrapped(value: Any) -> Any:
        if not isinstance(value, Tensor) or isinstance(value, OnDevice):
            return value
        if value.dtype == torch.float64 and not _traffic.doubles:
            raise TypeError(f"{name} at {_place()}: the device has no float64")
        return known[id(value)] if id(value) in known else OnDevice(value)

    if name == "_pack_padded_sequence":  # how many sequences there are at each step stays
        return wrapped(result[0]), result[1]
    return tree_map(wrapped, result)


HOST_MEMORY = ("non_blocking", "pin_memory")


def _check(name: str, ours: list[OnDevice], host: list[Tensor], args: Sequence[Any]) -> None:
    """Count what an operator makes the host wait for. Raises RuntimeError for what no GPU does."""
    if name == "_pack_padded_sequence" and isinstance(args[1], OnDevice):
        raise RuntimeError(f"{name} at {_place()}: lengths must be on the CPU")
    by_index = name in ("index", "index_put", "index_put_", "_index_put_impl_")
    if host and not (name in HOST_BESIDE or (by_index and isinstance(args[0], OnDevice))):
        shapes = [tuple(tensor.shape) for tensor in host]
        raise RuntimeError(f"{name} at {_place()}: CPU tensors {shapes} beside the device's")
    if name in COUNTED_OUT:
        _count(_traffic.waits, name)
    if by_index:
        if host:
            _count(_traffic.waits, "an index on the CPU")
        if any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in args[1]):
            _count(_traffic.waits, "an index of truth values")


def _count_copy(from_device: bool, to_device: bool, kwargs: dict[str, Any]) -> None:
    if from_device == to_device:
        return
    if to_device:
        _count(_traffic.copies, "to the device")
    if from_device or not kwargs.get("non_blocking"):
        _count(_traffic.waits, "to the device" if to_device else "to the host")


def _fused(rnn: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Do a recurrent network in one call, with its gradient in another."""
    tensors = [t for t in tree_leaves(args) if isinstance(t, OnDevice)]
    result = _Fused.apply(rnn, args, *tensors)
    _traffic.operators += 1
    return result


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rnn: Callable[..., Any], args: Sequence[Any], *tensors: Tensor) -> Any:
        with _disable_current_modes(), torch.enable_grad():
            leaves = [t.on_host.detach() for t in tensors if isinstance(t, OnDevice)]
            for leaf, needed in zip(leaves, ctx.needs_input_grad[2:], strict=True):
                leaf.requires_grad_(needed)
            inner = iter(leaves)
            given = tree_map(lambda t: next(inner) if isinstance(t, OnDevice) else t, args)
            results = rnn(*given)
        ctx.leaves, ctx.results = leaves, results
        return tuple(OnDevice(result.detach()) for result in results)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        with _disable_current_modes(), torch.enable_grad():
            needed = [leaf for leaf in ctx.leaves if leaf.requires_grad]
            found = iter(
                torch.autograd.grad(
                    ctx.results, needed, tree_map(_unwrapped, gradients), allow_unused=True
                )
            )
        each = [next(found) if leaf.requires_grad else None for leaf in ctx.leaves]
        return None, None, *(None if grad is None else OnDevice(grad) for grad in each)


def _unwrapped(value: Any) -> Any:
    return value.on_host if isinstance(value, OnDevice) else value


def _is_ours(device: Any) -> bool:
    return device is not None and torch.device(device).type == NAME


def _count(counter: Counter[str], what: str) -> None:
    counter[f"{_place()}: {what}"] += 1


def _place() -> str:
    """Name the innermost line of our own code that is being done."""
    frame: Any = sys._getframe()
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(OURS):
            return f"{Path(path).relative_to(ROOT)}:{frame.f_lineno}"
        frame = frame.f_back
    return "elsewhere"
