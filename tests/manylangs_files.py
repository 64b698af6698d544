"""A small model in the layout of ELMoForManyLangs, as its training program leaves one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import nn

SETTINGS: dict[str, Any] = {
    "encoder": {
        "name": "elmo",
        "projection_dim": 6,
        "cell_clip": 3,
        "proj_clip": 0.7,
        "dim": 10,
        "n_layers": 2,
    },
    "token_embedder": {
        "name": "cnn",
        "activation": "relu",
        "filters": [[1, 4], [2, 5], [3, 6]],
        "n_highway": 2,
        "word_dim": 5,
        "char_dim": 4,
        "max_characters_per_token": 12,
    },
    "classifier": {"name": "sampled_softmax", "n_samples": 8192},
    "dropout": 0.1,
}
WORDS = ["<oov>", "<bos>", "<eos>", "<pad>", "the", "bank", "река", "银行", "extraordin"]
LETTERS = ["<eow>", "а", "к", "е", "р", "银", "行", *"abcdefghijklmnopqrstuvwxyz."]
LETTERS += ["<bos>", "<eos>", "<bow>", "<oov>", "<pad>"]


def manylangs(folder: Path, settings: dict[str, Any] = SETTINGS, legacy: bool = True) -> Path:
    """Write the six files; `legacy` is PyTorch's file format of 2018."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    config = {"seed": 1, "config_path": "/users4/conll18st/word_elmo/cnn_small.json"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "cnn_small.json").write_text(json.dumps(settings))
    for name, keys in (("word.dic", WORDS), ("char.dic", LETTERS)):
        lines = (f"{key}\t{row}\n" for row, key in enumerate(keys))
        (folder / name).write_text("".join(lines), encoding="utf-8")
    new = {"_use_new_zipfile_serialization": not legacy}
    torch.save(_tokens(settings).state_dict(), folder / "token_embedder.pkl", **new)
    torch.save(_lstms(settings["encoder"]).state_dict(), folder / "encoder.pkl", **new)
    return folder


def _tokens(settings: dict[str, Any]) -> nn.ModuleDict:
    sizes = settings["token_embedder"]
    total, width = sum(number for _, number in sizes["filters"]), sizes["word_dim"]
    parts: dict[str, nn.Module] = {}
    if width:
        parts["word_emb_layer"] = nn.ModuleDict({"embedding": nn.Embedding(len(WORDS), width)})
    if letters := sizes["char_dim"]:
        width += total
        embedding = nn.Embedding(len(LETTERS), letters)
        parts["char_emb_layer"] = nn.ModuleDict({"embedding": embedding})
        parts["convolutions"] = nn.ModuleList(nn.Conv1d(letters, n, w) for w, n in sizes["filters"])
        layers = nn.ModuleList(nn.Linear(total, 2 * total) for _ in range(sizes["n_highway"]))
        parts["highways"] = nn.ModuleDict({"_layers": layers})
    parts["projection"] = nn.Linear(width, settings["encoder"]["projection_dim"])
    return _scaled(nn.ModuleDict(parts), 1.5)


def _lstms(sizes: dict[str, Any]) -> nn.ModuleDict:
    outer, inner = sizes["projection_dim"], sizes["dim"]
    layers = {
        f"{direction}_layer_{k}": nn.ModuleDict(
            {
                "input_linearity": nn.Linear(outer, 4 * inner, bias=False),
                "state_linearity": nn.Linear(outer, 4 * inner),
                "state_projection": nn.Linear(inner, outer, bias=False),
            }
        )
        for direction in ("forward", "backward")
        for k in range(sizes["n_layers"])
    }
    return _scaled(nn.ModuleDict(layers), 3.0)


def _scaled(module: nn.ModuleDict, scale: float) -> nn.ModuleDict:
    """Large enough for every non-linearity, and for both clips, to matter."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(scale)
    return module
