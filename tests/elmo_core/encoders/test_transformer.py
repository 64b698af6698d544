"""Hugging Face models as encoders: sub-words, windows, files. All models are made on the spot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import transformers

from elmo_core.encoders import transformer
from elmo_core.encoders.subwords import SubwordTokenizer, pool
from elmo_core.encoders.transformer import Window, load_transformer, windows
from elmo_core.errors import EncoderError, OptionsError, WeightsError
from tests import encoder_files

SENTENCE = ["the", "bank", "closed", "at", "nightfall", "."]
LONG = [*SENTENCE[:-1], "don't", "é", "\u200d"] * 12


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder_files.bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder_files.roberta(tmp_path_factory.mktemp("roberta"))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoder_files.gpt2(tmp_path_factory.mktemp("gpt2"))


def by_the_library(folder: Path, words: list[str]) -> tuple[torch.Tensor, list[int | None]]:
    """All hidden states of the sub-words, and whose they are, as `transformers` itself has them."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    read = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        hidden = torch.stack(model(**read, output_hidden_states=True).hidden_states)[:, 0]
    return hidden, read.word_ids(0)


@pytest.mark.parametrize("pooling", ["first", "mean", "last"])
def test_words_are_pooled_from_the_layers_of_the_library(bert: Path, pooling: str) -> None:
    hidden, owners = by_the_library(bert, SENTENCE)
    (got,) = load_transformer(str(bert), pooling=pooling).encode([SENTENCE])
    assert len(owners) > len(SENTENCE) + 6  # some words are in pieces
    for word in range(len(SENTENCE)):
        own = hidden[:, [i for i, owner in enumerate(owners) if owner == word]]
        expected = {"first": own[:, 0], "mean": own.mean(1), "last": own[:, -1]}[pooling]
        torch.testing.assert_close(got[:, word], expected, atol=1e-5, rtol=0)


def test_pool() -> None:
    subwords = torch.tensor([1.0, 2, 3, 4, 5, 6]).view(1, 6, 1)
    assert pool(subwords, [1, 3, 2], "first").flatten().tolist() == [1, 2, 5]
    assert pool(subwords, [1, 3, 2], "last").flatten().tolist() == [1, 4, 6]
    assert pool(subwords, [1, 3, 2], "mean").flatten().tolist() == [1, 3, 5.5]


@pytest.mark.parametrize("folder", ["bert", "gpt2", "roberta"])
def test_a_sentence_is_read_as_running_text(folder: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(folder)
    library = transformers.AutoTokenizer.from_pretrained(path)
    words = ["bank", "a", "bank", "nanank"]
    (read,) = SubwordTokenizer(library)([words])
    assert read.ids == library(" ".join(words), add_special_tokens=False)["input_ids"]
    pieces = library.convert_ids_to_tokens(read.ids)
    if folder != "bert":
        assert pieces[read.counts[0]] == "Ġa"
        assert read.counts == [1, 1, 1, len(read.ids) - 3]


def test_odd_words_keep_their_place(bert: Path) -> None:
    words = ["\u200d", "bank", "\0", "[SEP]", "\ud800", "😀", "don't"]
    tokenizer = SubwordTokenizer(transformers.AutoTokenizer.from_pretrained(bert))
    (read,) = tokenizer([words])
    assert len(read.counts) == len(words)
    assert sum(read.counts) == len(read.ids)
    assert read.counts[:3] == [1, 1, 1]
    assert read.ids[0] == read.ids[2] == tokenizer.unknown[0]
    assert read.counts[3] > 1, "what looks like a special token is text"
    assert set(tokenizer.prefix + tokenizer.suffix).isdisjoint(read.ids)


@pytest.mark.parametrize("room", [2, 5, 8])
@pytest.mark.parametrize("length", range(1, 30))
def test_each_subword_comes_from_the_window_with_most_context(length: int, room: int) -> None:
    found = list(windows(0, length, room))
    kept = [(i, w) for w in found for i in range(w.keep.start, w.keep.stop)]
    assert [i for i, _ in kept] == list(range(length))

    def context(i: int, window: Window) -> int:
        """Sub-words to the nearer edge; where the sentence ends, nothing is missing."""
        before = i - window.start if window.start else length
        after = window.end - 1 - i if window.end < length else length
        return min(before, after)

    for i, window in kept:
        readers = [w for w in found if w.start <= i < w.end]
        assert context(i, window) == max(context(i, reader) for reader in readers)
    assert all(w.end - w.start == min(room, length) for w in found)


@pytest.mark.parametrize("budget", [1, 100, 4096])
def test_a_long_sentence_is_its_windows(
    bert: Path, monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    monkeypatch.setattr(transformer, "BATCH_TOKENS", budget)
    encoder = load_transformer(str(bert), window=20, pooling="first")
    words = encoder.tokenizer([LONG])[0]
    got, short = encoder.encode([LONG, SENTENCE])
    assert got.shape == (3, len(LONG), 8)
    prefix, suffix = encoder.tokenizer.prefix, encoder.tokenizer.suffix
    starts = torch.tensor(words.counts).cumsum(0) - torch.tensor(words.counts)
    for window in windows(0, len(words.ids), 18):
        ids = torch.tensor([[*prefix, *words.ids[window.start : window.end], *suffix]])
        with torch.no_grad():
            hidden = torch.stack(encoder.model(ids, output_hidden_states=True).hidden_states)[:, 0]
        for word, start in enumerate(starts.tolist()):
            if window.keep.start <= start < window.keep.stop:
                expected = hidden[:, 1 + start - window.start]
                torch.testing.assert_close(got[:, word], expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(short, encoder.encode([SENTENCE])[0], atol=1e-5, rtol=0)


def test_no_window_is_longer_than_the_model_can_read(bert: Path, roberta: Path, gpt2: Path) -> None:
    """64 positions less two special tokens; 34, of which 2 are no tokens', less two; 40."""
    rooms = [load_transformer(str(folder)).room for folder in (bert, roberta, gpt2)]
    assert rooms == [62, 30, 40]
    for folder in (bert, roberta, gpt2):
        (layers,) = load_transformer(str(folder)).encode([["nightfall"] * 100])
        assert layers.isfinite().all()


def test_numbers_decide_the_fingerprint(bert: Path, tmp_path: Path) -> None:
    one = load_transformer(str(bert))
    assert load_transformer(str(bert), pooling="last").fingerprint != one.fingerprint
    assert load_transformer(str(bert), window=10).fingerprint != one.fingerprint
    copy = encoder_files.bert(tmp_path)
    assert load_transformer(str(copy)).fingerprint == one.fingerprint
    model = transformers.AutoModel.from_pretrained(copy)
    with torch.no_grad():
        model.encoder.layer[1].output.dense.bias[3] += 1
    model.save_pretrained(copy)
    assert load_transformer(str(copy)).fingerprint != one.fingerprint


def test_a_checkpoint_with_a_head_gives_its_body(tmp_path: Path) -> None:
    """A language model's checkpoint has no pooler; what is then drawn for one does not matter."""
    folder = encoder_files.bert(tmp_path)
    config = transformers.BertConfig.from_pretrained(folder)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    one, other = load_transformer(str(folder)), load_transformer(str(folder))
    assert one.fingerprint == other.fingerprint
    assert torch.equal(one.encode([SENTENCE])[0], other.encode([SENTENCE])[0])


def test_of_an_encoder_and_a_decoder_the_encoder_is_meant(bert: Path, tmp_path: Path) -> None:
    folder = encoder_files.bert(tmp_path)
    for file in ("config.json", "model.safetensors"):
        (folder / file).unlink()
    config = transformers.T5Config(
        vocab_size=120, d_model=8, d_kv=4, d_ff=16, num_layers=2, num_heads=2
    )
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    encoder = load_transformer(str(folder))
    assert (encoder.layers, encoder.dim) == (3, 8)
    assert encoder.encode([SENTENCE])[0].isfinite().all()


def test_progress_bars_are_shown_afterwards_if_they_were_before(bert: Path) -> None:
    bars = transformers.utils.logging
    before = bars.is_progress_bar_enabled()
    try:
        for switch, shown in ((bars.disable_progress_bar, False), (bars.enable_progress_bar, True)):
            switch()
            load_transformer(str(bert))
            assert bars.is_progress_bar_enabled() is shown
    finally:
        (bars.enable_progress_bar if before else bars.disable_progress_bar)()


def test_half_precision_is_widened(tmp_path: Path) -> None:
    folder = encoder_files.bert(tmp_path)
    transformers.AutoModel.from_pretrained(folder).bfloat16().save_pretrained(folder)
    assert load_transformer(str(folder)).encode([SENTENCE])[0].dtype == torch.float32


def test_only_safetensors_are_read(bert: Path, tmp_path: Path) -> None:
    folder = encoder_files.bert(tmp_path)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(WeightsError, match="pickled weights are not read"):
        load_transformer(str(folder))


def test_tensors_that_are_missing_are_not_made_up(tmp_path: Path) -> None:
    folder = encoder_files.bert(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(WeightsError, match=r"16 tensors are missing, encoder.layer.2"):
        load_transformer(str(folder))


def test_what_it_says_when_it_cannot(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match=r"encoder.model=… is missing"):
        load_transformer(None)
    with pytest.raises(OptionsError, match="did you mean 'mean'"):
        load_transformer(str(bert), pooling="maen")
    with pytest.raises(OptionsError, match=r"window=3 leaves no room"):
        load_transformer(str(bert), window=3)
    with pytest.raises(WeightsError, match="no such folder"):
        load_transformer(str(tmp_path / "gone"))
    with pytest.raises(WeightsError, match=r"config\.json"):
        load_transformer(str(tmp_path))


def test_a_damaged_file(tmp_path: Path) -> None:
    folder = encoder_files.bert(tmp_path)
    (folder / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(WeightsError, match=f"{folder}: .*header"):
        load_transformer(str(folder))


def test_offline_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    """HF_HUB_OFFLINE, which the library reads when it is imported."""
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: pytest.fail("asked the network"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(WeightsError, match="nobody/nothing"):
        load_transformer("nobody/nothing", "0" * 40)


@pytest.mark.parametrize(
    ("key", "wrong", "said"),
    [
        ("num_attention_heads", 0, "config.json"),
        ("hidden_act", "xyz", "config.json"),
        ("hidden_size", "x", "hidden_size"),
    ],
)
def test_a_damaged_configuration_is_one_line(
    key: str, wrong: object, said: str, tmp_path: Path
) -> None:
    """Whatever the library raises."""
    path = encoder_files.bert(tmp_path) / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: wrong}))
    with pytest.raises(WeightsError) as error:
        load_transformer(str(path.parent))
    assert "\n" not in str(error.value)
    assert said in str(error.value)


def test_a_tokenizer_of_another_model_is_told(tmp_path: Path) -> None:
    path = encoder_files.bert(tmp_path) / "tokenizer.json"
    content = json.loads(path.read_text())
    content["model"]["vocab"]["zebra"] = 900
    path.write_text(json.dumps(content))
    encoder = load_transformer(str(tmp_path))
    with pytest.raises(EncoderError, match="sub-word 900"):
        encoder.encode([["zebra"]])


def test_a_padding_token_that_the_model_lacks_is_no_obstacle(tmp_path: Path) -> None:
    """It was added to the tokenizer alone, and what stands there is masked."""
    path = encoder_files.bert(tmp_path) / "tokenizer_config.json"
    both = [SENTENCE, ["bank"]]
    before = load_transformer(str(tmp_path)).encode(both)
    path.write_text(json.dumps({**json.loads(path.read_text()), "pad_token": "[NEW]"}))
    for one, other in zip(before, load_transformer(str(tmp_path)).encode(both), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("folder", ["gpt2", "roberta"])
@pytest.mark.parametrize(
    ("words", "counts"),
    [
        (["a", "bank "], [1, 2]),
        ([" "], [1]),
        (["bank ", "a"], [2, 1]),
        (["bank", " ", "a"], [1, 2, 1]),
    ],
)
def test_white_space_of_a_word_is_its_own(
    folder: str, words: list[str], counts: list[int], request: pytest.FixtureRequest
) -> None:
    """RoBERTa's tokenizer says of a space alone that it covers nothing."""
    library = transformers.AutoTokenizer.from_pretrained(request.getfixturevalue(folder))
    assert SubwordTokenizer(library)([words])[0].counts == counts
