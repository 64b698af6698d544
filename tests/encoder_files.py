"""Encoders of every kind, made on the spot and small, as files that a user would have."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from elmo_core.bilm import weights
from elmo_core.encoders.random import random_elmo
from tests.conftest import TINY_ENCODER
from tests.elmo_core.conftest import TINY
from tests.manylangs_files import manylangs

WORDS = ["the", "bank", "The", "closed", ".", "a", "man", "sleeps", "nobody", "somebody", "at&t"]


def glove(path: Path, dim: int = 6, words: list[str] = WORDS) -> Path:
    """A GloVe text file; one of its words holds spaces, as a few published ones do."""
    numbers = random.Random(0)
    rows = [(word, [numbers.uniform(-1, 1) for _ in range(dim)]) for word in [*words, ". . ."]]
    lines = (" ".join([word, *(f"{x:.5f}" for x in row)]) for word, row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def mt_lstm(path: Path) -> Path:
    """A state dict in the layout of salesforce/cove's wmtlstm file: two layers, both directions."""
    torch.manual_seed(0)
    torch.save(nn.LSTM(6, 6, num_layers=2, bidirectional=True).state_dict(), path)
    return path


def bert(folder: Path, **config: int) -> Path:
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,é"]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{x}" for x in letters)]
    vocabulary += ["bank", "clos", "##ed", "sleep"]
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "pad", "cls", "sep")}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=64, **special
    ).save_pretrained(folder)
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 16, "max_position_embeddings": 64, **config}
    made = transformers.BertConfig(vocab_size=len(ids), initializer_range=0.4, **sizes)
    transformers.BertModel(made).save_pretrained(folder)
    return folder


def gpt2(folder: Path) -> Path:
    import transformers

    _byte_level(transformers.GPT2Tokenizer, {"<|endoftext|>": 0}).save_pretrained(folder)
    torch.manual_seed(0)
    made = transformers.GPT2Config(
        vocab_size=300, n_positions=40, n_embd=8, n_layer=2, n_head=2, initializer_range=0.4
    )
    transformers.GPT2Model(made).save_pretrained(folder)
    return folder


def roberta(folder: Path) -> Path:
    """Its positions begin behind the padding index, so that 34 of them are 32 for tokens."""
    import transformers

    special = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
    _byte_level(transformers.RobertaTokenizer, special).save_pretrained(folder)
    torch.manual_seed(0)
    made = transformers.RobertaConfig(
        vocab_size=300,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=34,
        initializer_range=0.4,
    )
    transformers.RobertaModel(made).save_pretrained(folder)
    return folder


def _byte_level(kind: Callable[..., Any], special: dict[str, int]) -> Any:
    """A byte-level tokenizer in which only a few words are one piece."""
    from tokenizers.pre_tokenizers import ByteLevel

    pieces = [*special, *sorted(ByteLevel.alphabet()), "Ġa", "ba", "nk", "bank", "Ġbank"]
    merges = [("Ġ", "a"), ("b", "a"), ("n", "k"), ("ba", "nk"), ("Ġ", "bank")]
    return kind(vocab={piece: i for i, piece in enumerate(pieces)}, merges=merges)


def example() -> str:
    """The encoder that docs/encoders.md shows."""
    text = Path(__file__).parents[1].joinpath("docs/encoders.md").read_text(encoding="utf-8")
    return text.split("```python\n")[1].split("```")[0]


def elmo(path: Path) -> Path:
    weights.save(random_elmo(TINY, seed=3).bilm, path)
    return path


KINDS: dict[str, Callable[[Path], list[str]]] = {
    "elmo": lambda folder: ["encoder=elmo", f"encoder.source={elmo(folder / 'elmo.safetensors')}"],
    "manylangs": lambda folder: [
        "encoder=manylangs",
        f"encoder.source={manylangs(folder / 'en')}",
    ],
    "random": lambda folder: list(TINY_ENCODER),
    "static": lambda folder: ["encoder=static", f"word_vectors={glove(folder / 'glove.txt')}"],
    "cove": lambda folder: [
        "encoder=cove",
        f"encoder.vectors={glove(folder / 'glove.txt')}",
        f"encoder.weights={mt_lstm(folder / 'mt-lstm.pth')}",
    ],
    "bert": lambda folder: ["encoder=transformer", f"encoder.model={bert(folder / 'bert')}"],
    "gpt2": lambda folder: ["encoder=transformer", f"encoder.model={gpt2(folder / 'gpt2')}"],
    "roberta": lambda folder: [
        *("encoder=transformer", f"encoder.model={roberta(folder / 'roberta')}"),
        "encoder.pooling=first",
    ],
    "concat": lambda folder: [
        *("encoder=concat", "encoder@encoder.first=elmo", "encoder@encoder.second=glove"),
        f"encoder.first.source={elmo(folder / 'elmo.safetensors')}",
        f"encoder.second.vectors={glove(folder / 'glove.txt')}",
    ],
}
"""What the command line says for an encoder of each kind; its files are made in `folder`."""
