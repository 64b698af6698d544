"""The layers of sentences of any length as one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


def pad(layers: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Put what an encoder returns into one tensor, as ScalarMix and Placement take it.

    Args:
        layers: the layers of each sentence, (layers, tokens, dim), as `Encoder.encode` returns
            them; all of one precision, on one device.

    Returns:
        The layers, (sentences, layers, tokens, dim), with zeros behind the end of shorter
        sentences; and the mask, (sentences, tokens), true at real tokens.

    Raises:
        ValueError: there is no sentence, or sentences differ in the number or size of layers.

    Example:
        >>> import torch
        >>> from elmo_core import pad
        >>> layers, mask = pad([torch.ones(3, 2, 256), torch.ones(3, 1, 256)])
        >>> layers.shape
        torch.Size([2, 3, 2, 256])
        >>> mask.tolist()
        [[True, True], [True, False]]
    """
    shapes = {(each.dim(), each.shape[0], each.shape[-1]) for each in layers}
    if len(shapes) != 1 or layers[0].dim() != 3:
        found = ", ".join(str(tuple(each.shape)) for each in layers[:8]) or "none"
        raise ValueError(f"expected layers of shape (layers, tokens, dim), alike, got {found}")
    padded = pad_sequence([each.transpose(0, 1) for each in layers], batch_first=True)
    lengths = torch.tensor([each.shape[1] for each in layers], device=padded.device)
    mask = torch.arange(padded.shape[1], device=padded.device) < lengths.unsqueeze(1)
    return padded.transpose(1, 2), mask
