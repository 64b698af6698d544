"""Any Hugging Face model as a frozen encoder: sub-words pooled to words, long inputs in windows."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from elmo_core.devices import sent
from elmo_core.downloads.fetch import downloads_are_off
from elmo_core.encoder import check_sentences
from elmo_core.encoders.batches import batches
from elmo_core.encoders.hub import commit
from elmo_core.encoders.subwords import POOLINGS, SubwordTokenizer, pool
from elmo_core.errors import EncoderError, OptionsError, WeightsError, did_you_mean
from elmo_core.packages import needed
from elmo_core.precision import exact_float32
from elmo_core.state_dicts import add_tensors

BATCH_TOKENS = 4096
"""Sub-words in a batch: with 13 layers of 768 numbers, 160 MB of results."""
COMMIT = re.compile(r"[0-9a-f]{40}")
UNLIMITED = 2**31
INCIDENTAL = ("_name_or_path", "transformers_version")
"""What of a model's configuration has no effect on its numbers."""


class Window(NamedTuple):
    """A stretch of a sentence's sub-words that the model reads at once, and what it answers for."""

    sentence: int
    start: int
    end: int
    keep: slice  # of the sentence


class TransformerEncoder:
    """A model of `transformers`, all its hidden layers: the embeddings, each block's output.

    A word is the first, the last or the mean of its sub-words. A sentence of more than `window`
    sub-words is read in windows that overlap by half, and each sub-word is taken from the window in
    which it stands farthest from an edge. The vectors of special tokens are left out.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str, pooling: str, window: int) -> None:
        self.model = model.eval().requires_grad_(False)
        self.tokenizer = SubwordTokenizer(tokenizer)
        self.parameters = sum(parameter.numel() for parameter in model.parameters())
        self.pooling = pooling
        self.name = f"{name}-{pooling}"
        room = min(window, _longest(model), tokenizer.model_max_length)
        self.room = room - len(self.tokenizer.prefix) - len(self.tokenizer.suffix)
        if self.room < 2:
            raise OptionsError(f"encoder.window={window} leaves no room for two sub-words")
        self.known = _known(model)
        padding = self.tokenizer.padding  # masked, so that it may be any sub-word
        self.padding = padding if padding < self.known else 0
        try:
            (tried,) = self._hidden([self.tokenizer([["a"]])[0].ids])
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:
            raise OptionsError(f"{name}: not a text model with layers ({error})") from error
        self.layers, _, self.dim = tried.shape

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of configuration, weights, tokenizer, pooling and window."""
        config = {k: v for k, v in self.model.config.to_dict().items() if k not in INCIDENTAL}
        digest = hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode())
        digest.update(f"{self.tokenizer.definition} {self.pooling} {self.room}".encode())
        weights = sorted(self.model.state_dict().items())
        # A pooler is of whole sentences, and some checkpoints have none.
        add_tensors(digest, (item for item in weights if not item[0].startswith("pooler.")))
        return digest.hexdigest()

    def to(self, device: torch.device | str) -> TransformerEncoder:
        """Compute there from now on; results still arrive on the CPU."""
        self.model.to(device)
        return self

    @torch.no_grad()
    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
        """Return float32 (layers, tokens, dim) for each sentence, in order, on the CPU.

        Raises ValueError, saying where, for an empty sentence or an empty word.
        """
        check_sentences(sentences)
        if not sentences:
            return []
        read = self.tokenizer(sentences)
        layers = [torch.empty(self.layers, len(words.ids), self.dim) for words in read]
        todo = [w for i, words in enumerate(read) for w in windows(i, len(words.ids), self.room)]
        for batch in batches([window.end - window.start for window in todo], BATCH_TOKENS):
            chosen = [todo[i] for i in batch]
            spans = [read[w.sentence].ids[w.start : w.end] for w in chosen]
            for (i, start, _, keep), hidden in zip(chosen, self._hidden(spans), strict=True):
                layers[i][:, keep] = hidden[:, keep.start - start : keep.stop - start]
        return [
            pool(subwords, words.counts, self.pooling)
            for subwords, words in zip(layers, read, strict=True)
        ]

    @torch.no_grad()
    def _hidden(self, spans: list[list[int]]) -> Iterator[Tensor]:
        """Yield (layers, sub-words, dim) on the CPU for each span of ids, the longest first.

        Raises EncoderError for ids that the model does not have.
        """
        prefix, suffix = self.tokenizer.prefix, self.tokenizer.suffix
        rows = [torch.tensor([*prefix, *span, *suffix]) for span in spans]
        ids = pad_sequence(rows, batch_first=True, padding_value=self.padding)
        mask = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
        if (highest := int(ids.max())) >= self.known:
            raise EncoderError(
                f"encoder {self.name}: its tokenizer gives sub-word {highest}, its model has "
                f"{self.known}: is the tokenizer another model's, or were words added to it?"
            )
        device = next(self.model.parameters()).device
        with exact_float32(device):
            output = self.model(
                input_ids=sent(ids, device),
                attention_mask=sent(mask, device),
                output_hidden_states=True,
            )
        hidden = torch.stack(output.hidden_states, dim=1).cpu()
        for row, span in zip(hidden, spans, strict=True):
            yield row[:, len(prefix) : len(prefix) + len(span)]


def windows(sentence: int, length: int, room: int) -> Iterator[Window]:
    """Cut a sentence into windows of `room` sub-words that overlap by half.

    Neighbours meet in the middle of their overlap, where both have as much context. The last one is
    full, too.
    """
    last = max(length - room, 0)
    starts = [*range(0, last, room - room // 2), last]
    meets = [0, *((a + room + b) // 2 for a, b in pairwise(starts)), length]
    for start, (left, right) in zip(starts, pairwise(meets), strict=True):
        yield Window(sentence, start, min(start + room, length), slice(left, right))


def load_transformer(
    model: str | None,
    revision: str | None = None,
    *,
    pooling: str = "mean",
    window: int = 512,
) -> TransformerEncoder:
    """Load a model of `transformers`: a folder, or a name on the hub.

    Of a name, `revision` is the commit that is meant; a branch, by default `main`, stands for the
    commit that it has now (`elmo_core.encoders.hub`).
    Weights are read from safetensors alone, and no code comes with a model. Of a model with encoder
    and decoder, the encoder is meant. Nothing is fetched where HF_HUB_OFFLINE is set. Raises
    OptionsError, WeightsError and MissingPackageError, saying what can be done.
    """
    if pooling not in POOLINGS:
        hint = did_you_mean(pooling, POOLINGS)
        raise OptionsError(f"encoder.pooling={pooling}: choose {', '.join(POOLINGS)}{hint}")
    if model is None:
        raise OptionsError("encoder.model=… is missing: a folder, or a name on huggingface.co")
    path = Path(model).expanduser()
    if path.is_dir():
        network, tokenizer = _load(str(path))
    else:
        network, tokenizer = _load(model, revision=_commit(model, revision))
    if not getattr(tokenizer, "is_fast", False):
        raise OptionsError(f"{model}: its tokenizer keeps no track of words (no fast tokenizer)")
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    network.config.use_cache = False
    return TransformerEncoder(network.float(), tokenizer, path.resolve().name, pooling, window)


def _load(source: str, **pinned: str) -> tuple[Any, Any]:
    """Load model and tokenizer, all of the model's tensors from the file."""
    with needed("transformers", "this encoder"):
        import transformers
    try:
        with _quiet(transformers.utils.logging):
            network, report = transformers.AutoModel.from_pretrained(
                source,
                **pinned,
                local_files_only=downloads_are_off(),
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                source,
                **pinned,
                local_files_only=downloads_are_off(),
                trust_remote_code=False,
            )
    except MemoryError:
        raise
    except Exception as error:  # of a damaged folder, the library may fail in any way
        raise WeightsError(f"{source}: {_reason(error)}") from error
    absent = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if absent:
        raise WeightsError(f"{source}: {len(absent)} tensors are missing, {absent[0]} the first")
    return network, tokenizer


def _commit(model: str, revision: str | None) -> str:
    """Return the commit of a model on the hub: what it gives must not change."""
    if model.startswith((".", "/", "~")) or model.count("/") > 1:
        raise WeightsError(f"encoder.model={model}: no such folder")
    if revision is not None and COMMIT.fullmatch(revision):
        return revision
    return commit(model, revision)


@contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """Silence the library: what is missing is said by us, and what is left over does not matter."""
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _longest(model: Any) -> int:
    """Count the model's positions for tokens; RoBERTa's kin keep the first few for padding."""
    positions: int | None = getattr(model.config, "max_position_embeddings", None)
    if positions is None or positions < 1:  # XLNet says -1
        return UNLIMITED
    for table in model.modules():
        if isinstance(table, nn.Embedding) and table.num_embeddings == positions:
            return positions if table.padding_idx is None else positions - table.padding_idx - 1
    return positions


def _known(model: Any) -> int:
    """Count the sub-words that the model knows."""
    try:
        return int(model.get_input_embeddings().num_embeddings)
    except (AttributeError, NotImplementedError):  # not every model says
        return UNLIMITED


def _reason(error: BaseException) -> str:
    """Put into one line what the libraries say in paragraphs."""
    first = " ".join(str(error).split()) or type(error).__name__
    if "safetensors" in first:
        return f"no safetensors file, and pickled weights are not read ({first})"
    if isinstance(error, ArithmeticError | AttributeError | LookupError | TypeError):
        said = f"cannot be loaded ({type(error).__name__}: {first})"
        return f"{said}; are its config.json and its tokenizer's files right?"
    return first
