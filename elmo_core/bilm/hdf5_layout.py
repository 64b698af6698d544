"""The layout of the published HDF5 weights: which dataset is which parameter of ours.

TensorFlow computes x @ W where we compute W @ x, so matrices are transposed; it keeps input and
recurrent weights of an LSTM in one matrix, and convolutions as (1, width, inputs, filters). Nothing
is rounded either way: published → ours → published is the identity, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from elmo_core.bilm.chars import CHARACTERS
from elmo_core.bilm.options import Options

Tensors = dict[str, Tensor]
DIRECTIONS = ("forward_lstm", "backward_lstm")


def shapes(options: Options) -> dict[str, tuple[int, ...]]:
    """List every dataset of a published file and its shape."""
    total, outer, inner = options.filters_total, options.projection_dim, options.cells
    expected: dict[str, tuple[int, ...]] = {"char_embed": (CHARACTERS, options.char_dim)}
    for i, (width, number) in enumerate(options.filters):
        expected[f"CNN/W_cnn_{i}"] = (1, width, options.char_dim, number)
        expected[f"CNN/b_cnn_{i}"] = (number,)
    for k in range(options.highways):
        for gate in ("transform", "carry"):
            expected[f"CNN_high_{k}/W_{gate}"] = (total, total)
            expected[f"CNN_high_{k}/b_{gate}"] = (total,)
    expected["CNN_proj/W_proj"] = (total, outer)
    expected["CNN_proj/b_proj"] = (outer,)
    for cell, _ in _cells(options):
        expected[f"{cell}/W_0"] = (2 * outer, 4 * inner)
        expected[f"{cell}/B"] = (4 * inner,)
        expected[f"{cell}/W_P_0"] = (inner, outer)
    return expected


def to_ours(published: Tensors, options: Options) -> Tensors:
    """Make the state dict of a BiLM from the datasets of a published file."""
    state = {"char_cnn.embedding": published["char_embed"]}
    for theirs, ours in _plain(options):
        state[ours] = published[theirs]
    for theirs, ours in _linear(options):
        state[ours] = published[theirs].t()
    for i in range(len(options.filters)):
        state[f"char_cnn.banks.{i}.weight"] = published[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
    for theirs, ours in _cells(options):
        joint = published[f"{theirs}/W_0"].t()
        state[f"{ours}.input_weight"], state[f"{ours}.recurrent_weight"] = joint.chunk(2, dim=1)
    return {name: tensor.contiguous() for name, tensor in state.items()}


def to_published(state: Tensors, options: Options) -> Tensors:
    """Make the datasets of a published file from the state dict of a BiLM."""
    published = {"char_embed": state["char_cnn.embedding"]}
    for theirs, ours in _plain(options):
        published[theirs] = state[ours]
    for theirs, ours in _linear(options):
        published[theirs] = state[ours].t()
    for i in range(len(options.filters)):
        published[f"CNN/W_cnn_{i}"] = state[f"char_cnn.banks.{i}.weight"].permute(2, 1, 0)[None]
    for theirs, ours in _cells(options):
        parts = [state[f"{ours}.input_weight"], state[f"{ours}.recurrent_weight"]]
        published[f"{theirs}/W_0"] = torch.cat(parts, dim=1).t()
    return {name: tensor.contiguous() for name, tensor in published.items()}


def _plain(options: Options) -> Iterator[tuple[str, str]]:
    """List the vectors, the same on both sides: (their name, our name)."""
    for i in range(len(options.filters)):
        yield f"CNN/b_cnn_{i}", f"char_cnn.banks.{i}.bias"
    for k in range(options.highways):
        for gate in ("transform", "carry"):
            yield f"CNN_high_{k}/b_{gate}", f"char_cnn.highways.{k}.{gate}.bias"
    yield "CNN_proj/b_proj", "char_cnn.projection.bias"
    for theirs, ours in _cells(options):
        yield f"{theirs}/B", f"{ours}.bias"


def _linear(options: Options) -> Iterator[tuple[str, str]]:
    """List the matrices, transposed on the other side: (their name, our name)."""
    for k in range(options.highways):
        for gate in ("transform", "carry"):
            yield f"CNN_high_{k}/W_{gate}", f"char_cnn.highways.{k}.{gate}.weight"
    yield "CNN_proj/W_proj", "char_cnn.projection.weight"
    for theirs, ours in _cells(options):
        yield f"{theirs}/W_P_0", f"{ours}.projection"


def _cells(options: Options) -> Iterator[tuple[str, str]]:
    """List the LSTM layers of both directions: (their prefix, our prefix)."""
    for d, direction in enumerate(DIRECTIONS):
        for k in range(options.depth):
            yield f"RNN_{d}/RNN/MultiRNNCell/Cell{k}/LSTMCell", f"{direction}.{k}"
