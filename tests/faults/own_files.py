"""What this suite writes and reads again, and encoders' folders: whole files and their readers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from bench.ensemble.members import Member
from bench.overrides import composed
from bench.predict import Predictor
from bench.records import Manifest, read_result
from bench.records.manifests import read_manifest
from bench.run import trust
from bench.run.build import task_of
from bench.run.record import Record
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.options import Options
from elmo_core.encoders.cove import load_cove
from elmo_core.encoders.manylangs import load_manylangs
from elmo_core.lightning import read_checkpoint
from elmo_core.placement import Placement
from elmo_core.pretraining import corpus, folder, progress, settings
from elmo_core.pretraining.model import LanguageModel
from elmo_core.pretraining.prepare import Request, prepare, verify
from elmo_core.pretraining.vocabulary import Vocabulary
from elmo_core.store import shards, shelves
from elmo_core.text.sentences import read_sentences
from tests.bench.made_up import Maker
from tests.bench.small import SMALL
from tests.elmo_core.conftest import TINY
from tests.faults.files import Kind, of_folder
from tests.manylangs_files import manylangs as write_manylangs

PAIRS = [
    {"gold_label": label, "sentence1": "A man.", "sentence2": "He runs.", "pairID": label}
    for label in ("entailment", "neutral", "contradiction")
]
TEXT = "".join(f"The bank closed on day {day} .\n" for day in range(400))


def own_kinds(made: Path) -> Iterator[tuple[str, Kind]]:
    """Yield every kind with its name; `made` is a folder for what is needed to make them."""
    yield from _records(made / "records")
    yield from _run(made / "run")
    yield from _pretraining(made / "pretraining")
    yield from _encoders(made / "encoders")
    yield from _store(made / "store")


def _records(made: Path) -> Iterator[tuple[str, Kind]]:
    maker = Maker(made)
    run_id = maker.run(placement="input")
    cells = [maker.cell("snli", "input", placement="input")]
    manifest = maker.experiment("own", cells)
    result, lines = (made / "snli" / run_id / n for n in ("result.json", "predictions.jsonl"))
    few = b"".join(lines.read_bytes().splitlines(keepends=True)[:4])
    yield (
        "record result.json",
        Kind("r.json", result.read_bytes(), lambda f: read_result(f / "r.json")),
    )
    yield (
        "record predictions.jsonl",
        Kind(
            "predictions.jsonl",
            few,
            lambda f: Member.of(f).examples,
            {"result.json": result.read_bytes()},
        ),
    )
    content = manifest.read_bytes()
    yield "manifest", Kind("m.json", content, lambda f: read_manifest(f / "m.json", Manifest))
    weights = {"w": torch.arange(64.0)}
    torch.save({"state_dict": weights, "global_step": 1, "history": []}, made / "last.ckpt")
    content = (made / "last.ckpt").read_bytes()
    yield "checkpoint", Kind("last.ckpt", content, lambda f: read_checkpoint(f / "last.ckpt"))


def _run(made: Path) -> Iterator[tuple[str, Kind]]:
    """Yield what `predict` takes: the files of a finished run, and new text."""
    data = made.parent / "snli"
    data.mkdir(parents=True)
    lines = "".join(json.dumps(pair) + "\n" for pair in PAIRS)
    for split in ("train", "dev"):
        (data / f"snli_1.0_{split}.jsonl").write_text(lines)
    cfg = composed([*SMALL, f"data.dir={data}", "elmo.placement=none"])
    task, record = task_of(cfg), Record(made)
    task.prepare(task.load("train"))
    record.write_config(cfg)
    record.write_json("vocabulary.json", task.vocabulary())
    weights = task.model(Placement("none", 0, 0)).state_dict()
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, record.head)
    maker = Maker(made.parent / "made up")
    shutil.copy(maker.folder / "snli" / maker.run() / "result.json", made)
    predictor = Predictor(made)

    def predicted(path: Path) -> list[dict[str, Any]]:
        with open(path / "new.jsonl", encoding="utf-8-sig", errors="surrogateescape") as text:
            return list(predictor(list(enumerate(text, start=1))))

    read = dict.fromkeys(("vocabulary.json", "head.safetensors"), Predictor)
    yield from of_folder(made, {"config.yaml": lambda f: trust.read(f / "config.yaml"), **read})
    rows = [{"premise": "A man.", "hypothesis": "Bäd."}, {"id": "x", **task.example_input}]
    new = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    yield "new text", Kind("new.jsonl", new.encode(), predicted)


def _pretraining(made: Path) -> Iterator[tuple[str, Kind]]:
    text, prepared, model = made / "text", made / "corpus", made / "model"
    text.mkdir(parents=True)
    (text / "a.txt").write_text(TEXT)
    prepare([text / "a.txt"], prepared, Request(heldout=0.5, min_count=1))
    vocabulary = Vocabulary.read(prepared / "vocabulary.txt")
    bilm = LanguageModel(BiLM(Options.parse(TINY)), len(vocabulary))
    folder.save(bilm, vocabulary, settings.Training(), model)
    log = "step,tokens,time\n3,120,2018-02-15T12:00:00\n6,240,2018-02-15T12:01:00\n"
    (model / "log.csv").write_text(log)

    def opened(path: Path) -> corpus.Corpus:
        return corpus.Corpus(path / "encoded/train", Vocabulary.read(path / "vocabulary.txt"), 50)

    numbers = ("encoded/train/tokens.int32", "encoded/train/types.json", "vocabulary.txt")
    yield from of_folder(prepared, {**dict.fromkeys(numbers, opened), "report.json": verify})
    whole = ("softmax.safetensors", "vocabulary.txt", "options.json", "encoder.safetensors")
    kept = {"log.csv": lambda f: [int(row["step"]) for row in progress.read_log(f)]}
    yield from of_folder(model, {**dict.fromkeys(whole, folder.load), **kept})
    yield "raw text", Kind("b.txt", TEXT.encode(), lambda f: list(read_sentences(f / "b.txt")))


def _encoders(made: Path) -> Iterator[tuple[str, Kind]]:
    files = ("config.json", "cnn_small.json", "word.dic", "char.dic")
    files += ("token_embedder.pkl", "encoder.pkl")
    write_manylangs(made / "manylangs")
    yield from of_folder(made / "manylangs", dict.fromkeys(files, load_manylangs))
    vectors = "the 0.5 1\nman 2 3\n"
    torch.save(nn.LSTM(2, 2, bidirectional=True).state_dict(), made / "lstm.pth")
    yield (
        "mt-lstm",
        Kind(
            "lstm.pth",
            (made / "lstm.pth").read_bytes(),
            lambda f: load_cove(f / "v.txt", f / "lstm.pth"),
            {"v.txt": vectors.encode()},
        ),
    )


def _store(made: Path) -> Iterator[tuple[str, Kind]]:
    """Yield a stored shard, as its header is read; its rows are compared with a checksum."""
    about = {"encoder": "x", "fingerprint": "y", "precision": "float32"}
    shard = shards.Shard(torch.ones(2, 4), [2], [shards.address(["A", "man"])])
    (made / "x").mkdir(parents=True)
    path = shards.write(made / "x", shard, {**about, "sentences": "1", "tokens": "2"})
    yield "shard", Kind(f"x/{path.name}", path.read_bytes(), shelves.shelves)
