"""SNLI: every file format, the model's parts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset

from elmo_core import Placement
from tasks.nn.words import WordEmbedding, Words, WordVocabulary
from tasks.snli.data import LABELS, read
from tasks.snli.model import ESIM, Sizes
from tasks.snli.sources import COMMIT, SOURCES
from tasks.snli.task import SNLI
from tests.file_server import FileServer, serving

PAIRS = [
    ("neutral", "A man isn't sitting.", "He sleeps!"),
    ("-", "Two dogs run.", "Dogs."),
    ("contradiction", "Café open", "It’s closed"),
    ("entailment", "A b c", "a B"),
]


def write_jsonl(folder: Path) -> None:
    with (folder / "snli_1.0_dev.jsonl").open("w", encoding="utf-8") as file:
        for i, (label, premise, hypothesis) in enumerate(PAIRS):
            row = {"gold_label": label, "sentence1": premise, "sentence2": hypothesis}
            file.write(json.dumps({**row, "pairID": f"p{i}"}) + "\n\n")


def write_own(folder: Path) -> None:
    write_jsonl(folder)
    (folder / "snli_1.0_dev.jsonl").rename(folder / "dev.jsonl")


def write_validation(folder: Path) -> None:
    write_parquet(folder)
    (folder / "dev.parquet").rename(folder / "validation.parquet")


def write_txt(folder: Path) -> None:
    with (folder / "snli_1.0_dev.txt").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        writer.writerow(["gold_label", "sentence1", "sentence2", "pairID"])
        writer.writerows([*pair, f"p{i}"] for i, pair in enumerate(PAIRS))


def write_parquet(folder: Path) -> None:
    rows = [
        {"premise": p, "hypothesis": h, "label": LABELS.index(label) if label != "-" else -1}
        for label, p, h in PAIRS
    ]
    Dataset.from_list(rows).to_parquet(str(folder / "dev.parquet"))


@pytest.mark.parametrize(
    "write", [write_jsonl, write_own, write_txt, write_parquet, write_validation]
)
def test_every_format_reads_the_same(write, tmp_path: Path, caplog) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path)
    caplog.set_level("INFO", "tasks")
    pairs = read(tmp_path, "dev")
    assert pairs is not None
    assert pairs["label"][:] == ["neutral", "contradiction", "entailment"]
    assert pairs[0]["premise"] == ["A", "man", "is", "n't", "sitting", "."]
    assert pairs[1]["hypothesis"] == ["It", "’s", "closed"]
    assert len(set(pairs["id"])) == 3
    assert "3 pairs, 1 without a label dropped" in caplog.text
    assert read(tmp_path, "train") is None


@pytest.fixture
def hub(
    local_downloads: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FileServer]:
    """Parquet files at the pinned revision, and nothing else."""
    write_parquet(tmp_path)
    base = f"datasets/stanfordnlp/snli/resolve/{COMMIT}"
    content = (tmp_path / "dev.parquet").read_bytes()
    files = {base + file.url.partition(COMMIT)[2]: content for file in SOURCES[0].files}
    with serving(files) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_paper_data_comes_from_the_hub_once(hub: FileServer, tmp_path: Path) -> None:
    task = SNLI(data="paper")
    for split in ("train", "dev", "test"):
        assert len(task.load(split) or []) == 3
    assert tmp_path / "cache" in task.folder.parents
    hub.files.clear()
    assert len(SNLI(data="paper").load("dev") or []) == 3


def model(where: str, **changes: Any) -> ESIM:
    torch.manual_seed(0)
    words = Words(WordVocabulary("abcdefgh"), 5)
    sizes = replace(Sizes(hidden=7), **changes)
    return ESIM(WordEmbedding(words), Placement(where, 3, 4), sizes, labels=3)


def batch(pairs: int = 2) -> dict[str, torch.Tensor]:
    words = torch.randint(2, 10, (2 * pairs, 6), generator=torch.Generator().manual_seed(0))
    words[1::2, 4:] = 0
    mask = words != 0
    labels = torch.arange(pairs) % 3
    return {"words": words, "mask": mask, "lengths": mask.sum(1), "labels": labels}


def test_the_elmo_model_alone_has_weight_penalty_and_attention_dropout() -> None:
    for where, expected in (("none", 0.0), ("input", 1e-4)):
        built = model(where).eval()
        layers = torch.zeros(4, 3, 6, 4) if where != "none" else None
        output = built(batch(), layers)
        cross_entropy = torch.nn.functional.cross_entropy(output["logits"], batch()["labels"])
        matrices = [
            parameter
            for name, parameter in built.named_parameters()
            if parameter.dim() == 2 and "words" not in name
        ]
        penalty = expected * sum(matrix.square().sum().item() for matrix in matrices)
        assert output["loss"].item() == pytest.approx(cross_entropy.item() + penalty, rel=1e-5)
    assert model("none").attention_dropout.p == 0
    assert model("input").attention_dropout.p == 0.5


def test_the_baseline_may_be_regularised_as_the_elmo_model_is() -> None:
    for where in ("none", "input"):
        for regularised, p in (("always", 0.5), ("never", 0.0)):
            built = model(where, regularised=regularised)
            assert built.attention_dropout.p == p
            assert built.weight_l2 == (1e-4 if regularised == "always" else 0.0)
    with pytest.raises(ValueError, match="regularised=sometimes: unknown"):
        Sizes(regularised="sometimes")


def test_premise_and_hypothesis_have_different_parts() -> None:
    """The order of a pair matters, the order of pairs does not."""
    built = model("none").eval()
    given = batch(1)
    swapped = {**given, **{key: given[key].flip(0) for key in ("words", "mask", "lengths")}}
    assert not torch.allclose(built(given, None)["logits"], built(swapped, None)["logits"])
