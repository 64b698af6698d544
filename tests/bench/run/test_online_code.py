"""The online code length: against runs of as many examples, and on labels of known structure."""

from __future__ import annotations

import json
import logging
import math
import random
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import DictConfig

from bench.interrupts import Interrupted
from bench.records import DamagedRecord, Finished, read_result
from bench.run import online_code
from bench.run.build import encoder_of
from bench.run.datamodule import BenchData, drawn
from bench.run.module import BenchModule
from bench.run.online_code import ends
from bench.run.trained import configuration, trained
from elmo_core import Encoder, pad
from tests.conftest import TINY_ENCODER

Bench = Callable[..., int]
TAGS = ("A", "B", "C", "D")
WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in "aeiou"]


def write(folder: Path, sizes: dict[str, int], tag: Callable[[str], str]) -> Path:
    """Write sentences of six random words, of all four kinds; `tag` says what each word is."""
    folder.mkdir()
    chosen = random.Random(0)
    kinds = [[word for word in WORDS if by_first_letter(word) == tag] for tag in TAGS]
    for split, size in sizes.items():
        sentences = [[*map(chosen.choice, kinds), *chosen.choices(WORDS, k=2)] for _ in range(size)]
        lines = [
            "".join(f"{i}\t{w}\t_\t_\t{tag(w)}\t_\t_\t_\t_\t_\n" for i, w in enumerate(words, 1))
            for words in sentences
        ]
        (folder / f"{split}.conllu").write_text("\n".join(lines))
    return folder


def at_random(seed: int = 0) -> Callable[[str], str]:
    chosen = random.Random(seed)
    return lambda _: chosen.choice(TAGS)


def by_first_letter(word: str) -> str:
    return TAGS[ord(word[0]) % 4]


@pytest.fixture
def coded(bench: Bench, tmp_path: Path) -> Callable[..., Finished]:
    """The result of a run on `data` with these words besides."""

    def call(data: Path, *words: str) -> Finished:
        runs = tmp_path / "runs"
        before = set(runs.glob("pos/*"))
        common = ("task=pos", f"data.dir={data}", f"paths.runs={runs}", "trainer=cpu")
        assert bench(*common, *words) == 0
        (folder,) = set(runs.glob("pos/*")) - before
        result = read_result(folder / "result.json")
        assert isinstance(result, Finished)
        return result

    return call


def test_blocks_end_where_the_paper_s_do() -> None:
    assert ends(100_000) == [
        *(100, 200, 400, 800, 1_600, 3_200, 6_250, 12_500, 25_000, 50_000, 100_000)
    ]
    assert ends(30) == [1, 2, 4, 8, 15, 30]
    assert ends(1) == [1]


def test_each_block_is_coded_by_a_run_on_what_came_before(
    coded: Callable[..., Finished], tmp_path: Path
) -> None:
    """Brute force: runs of their own with a small train_share, their heads loaded, their logits
    summed label by label."""
    data = write(tmp_path / "data", {"train": 8, "dev": 80}, by_first_letter)
    vectors = tmp_path / "vectors.txt"  # the same table in all runs, which then begin alike
    vectors.write_text("".join(f"{word} 0.5 0.5\n" for word in WORDS))
    placement = ("elmo.layers=1", "elmo.dropout=0.5")
    words = (*TINY_ENCODER, *placement, "training.max_epochs=2", f"word_vectors={vectors}")
    code = coded(data, *words, "training.online_code=true").online_code
    assert code is not None
    assert code.choices == 4
    assert [block.known for block in code.blocks] == [0, *ends(8)[:-1]]
    assert [block.labels for block in code.blocks] == [6, 6, 12, 24]
    assert code.blocks[0].bits == 6 * math.log2(4)
    bits = [code.blocks[0].bits]
    for block, end in zip(code.blocks[1:], ends(8)[1:], strict=True):
        own = coded(data, *words, f"data.train_share={block.known / 8}")
        bits.append(by_hand(tmp_path / "runs" / "pos" / own.run_id, block.known, end))
    assert [block.bits for block in code.blocks] == pytest.approx(bits, rel=1e-5)
    assert code.bits == pytest.approx(sum(bits))
    assert code.compression == pytest.approx(48 * math.log2(4) / sum(bits))


def by_hand(folder: Path, known: int, end: int) -> float:
    cfg = configuration(folder)
    encoder = encoder_of(cfg)
    task, model = trained(folder, cfg, encoder)
    train = task.load("train")
    assert train is not None
    assert encoder is not None
    total = 0.0
    for i in drawn(train, cfg.seed)[known:end]:
        layers, _ = pad(encoder.encode([train[i]["tokens"]]))
        with torch.no_grad():
            logits = model(task.collate([train[i]]), layers)["logits"][0]
        for row, tag in zip(logits.softmax(1).tolist(), train[i]["tags"], strict=True):
            total -= math.log2(row[task.labels.index(tag)])
    return total


def test_labels_by_lot_cannot_be_compressed_and_a_rule_can(
    coded: Callable[..., Finished], tmp_path: Path
) -> None:
    sizes = {"train": 100, "dev": 80}
    words = ("elmo.placement=none", "training.online_code=true", "training.max_epochs=10")
    fast = ("training.optimizer.lr=0.1", "training.batch_size=10")
    codes = [
        coded(write(tmp_path / name, sizes, tag), *words, *more).online_code
        for name, tag, more in (("lot", at_random(), ()), ("rule", by_first_letter, fast))
    ]
    lot, rule = (code.compression for code in codes if code is not None)
    assert 0.85 < lot < 1.02  # what is learned by chance costs, and saves nothing
    assert rule > 4


def test_the_record_comes_back(coded: Callable[..., Finished], tmp_path: Path) -> None:
    data = write(tmp_path / "data", {"train": 10, "dev": 4}, by_first_letter)
    words = ("elmo.placement=none", "training.max_epochs=1")
    result = coded(data, *words, "training.online_code=true")
    path = tmp_path / "runs" / "pos" / result.run_id / "result.json"
    content = json.loads(path.read_text())
    assert content["online_code"] == json.loads(json.dumps(result.to_json()["online_code"]))
    assert "online_code" not in coded(data, *words).to_json()
    damages: Sequence[dict[str, Any]] = ({"blocks": []}, {"choices": 0}, {"blocks": [{"bits": 1}]})
    for damage in damages:
        path.write_text(json.dumps({**content, "online_code": content["online_code"] | damage}))
        with pytest.raises(DamagedRecord):
            read_result(path)


def test_control_labels_are_in_every_split(coded: Callable[..., Finished], tmp_path: Path) -> None:
    data = write(tmp_path / "data", {"train": 60, "dev": 20, "test": 20}, at_random(1))
    words = ("elmo.placement=none", "training.max_epochs=2")
    plain, control = coded(data, *words), coded(data, *words, "data.control=true")
    assert plain.run_id != control.run_id
    assert plain.data["fingerprint"] == control.data["fingerprint"]
    assert control.data["control"] is True
    labels: dict[str, set[str]] = {}
    for row in map(json.loads, predictions(tmp_path, control)):
        for word, gold in zip(row["tokens"], row["gold"], strict=True):
            labels.setdefault(word, set()).add(gold)
    assert {len(found) for found in labels.values()} == {1}
    assert set().union(*labels.values()) == set(TAGS)
    assert control.yardsticks["test"]["each word's usual tag"] > 95  # all but unseen words
    smaller = coded(data, *words, "data.control=true", "data.train_share=0.5")
    golds = [
        [json.loads(line)["gold"] for line in predictions(tmp_path, one)]
        for one in (control, smaller)
    ]
    assert golds[0] == golds[1]


def predictions(tmp_path: Path, result: Finished) -> list[str]:
    path = tmp_path / "runs" / "pos" / result.run_id / "predictions.jsonl"
    return path.read_text().splitlines()


def test_every_epoch_of_a_run_is_told_again_after_its_code(
    coded: Callable[..., Finished], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = write(tmp_path / "data", {"train": 10, "dev": 4}, by_first_letter)
    for words in (("training.online_code=true", "training.max_epochs=1"), ("seed=7",)):
        with caplog.at_level(logging.INFO):
            coded(data, "elmo.placement=none", *words)
    told = [message for message in caplog.messages if message.startswith("epoch ")]
    assert len(told) > 1


def test_an_interrupted_code_goes_on_with_the_next_block(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "data", {"train": 30, "dev": 4}, by_first_letter)
    words = ["task=pos", f"data.dir={data}", "trainer=cpu", "elmo.placement=none"]
    words += ["training.max_epochs=2", "training.online_code=true"]

    def code(runs: str, *more: str) -> Any:
        assert bench(*words, f"paths.runs={tmp_path / runs}", *more) == 0
        (path,) = tmp_path.glob(f"{runs}/pos/*/result.json")
        return json.loads(path.read_text())["online_code"]

    blocks: list[int] = []
    train = online_code._trained

    def counted(cfg: DictConfig, data: BenchData, encoder: Encoder | None) -> BenchModule:
        blocks.append(len(data.examples("train")))
        if len(blocks) == 4:
            raise Interrupted(signal.SIGTERM)
        return train(cfg, data, encoder)

    monkeypatch.setattr(online_code, "_trained", counted)
    assert bench(*words, f"paths.runs={tmp_path / 'runs'}") == 143
    found = code("runs")
    assert blocks == [0, 1, 2, 4, 4, 8, 15]
    assert found == code("anew")
    code("anew", "force=true")
    assert blocks[7:] == 2 * [0, 1, 2, 4, 8, 15]


def test_two_processes_share_no_code(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "data", {"train": 10, "dev": 4}, by_first_letter)
    words = ("trainer=cpu", "trainer.devices=2", "training.online_code=true")
    assert bench("task=pos", f"data.dir={data}", f"paths.runs={tmp_path}", *words) == 2
    assert "error: training.online_code=true: needs trainer.devices=1" in capsys.readouterr().err


def test_one_label_is_refused_before_training(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "pos", {"train": 4, "dev": 2}, lambda _: "A")
    words = ("elmo.placement=none", "training.online_code=true", f"paths.runs={tmp_path / 'runs'}")
    assert bench("task=pos", f"data.dir={data}", *words) == 2
    said = capsys.readouterr().err
    assert "training.online_code=true: needs two labels in training, found A" in said
    assert not [*tmp_path.rglob("result.json")]


@pytest.mark.parametrize("word", ["data.control=true", "training.online_code=true"])
def test_a_task_that_is_no_probe_says_so(
    word: str,
    bench: Bench,
    snli_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = (
        "task=snli",
        f"data.dir={snli_folder}",
        "elmo.placement=none",
        f"paths.runs={tmp_path}",
    )
    assert bench(*given, word) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith(f"error: {word}: ")
    assert "Task." in said
    assert bench("-m", *given, word, "seed=1,2") == 2
    assert "nothing was started: 2 of 2 runs cannot be done" in capsys.readouterr().err
