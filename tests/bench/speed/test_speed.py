"""`python -m bench.speed`: what it counts and says; the times themselves are the machine's."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from bench.overrides import composed
from bench.speed import featurizer, machine, text
from bench.speed.__main__ import main
from bench.speed.clock import clock
from bench.speed.measure import as_in_the_paper
from bench.speed.peer import peer
from elmo_core import Encoder
from elmo_core.encoders.random import random_elmo
from elmo_core.products import path
from tests.bench.verbs import said
from tests.conftest import TINY_ENCODER
from tests.elmo_core.conftest import TINY

SENTENCES = [["The", "bank", "closed", "."], ["Hi"], ["a", "b", "a"]]

Speed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def speed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Speed:
    """`speed("--json")`: exit status, output, errors; of a tiny encoder, some milliseconds each."""
    monkeypatch.setattr(machine, "TIMES", 2)

    fixed = (*TINY_ENCODER, "trainer=cpu", f"features.dir={tmp_path / 'features'}")
    quick = ("--seconds", "0.01", "--sentences", "40", "--steps", "2")
    return lambda *words: said(capsys, main, [*fixed, *quick, *words])


def test_steps_are_of_the_papers_size_unless_a_recipe_is_named() -> None:
    words = ["task=squad", "elmo.placement=none"]
    assert composed(as_in_the_paper(words)).training.batch_size == 45
    assert composed(words).training.batch_size == 15  # the built-in data's
    named = ["recipe=squad_mini", *words]
    assert as_in_the_paper(named) == named


def test_everything_is_measured(speed: Speed, tmp_path: Path) -> None:
    status, out, _ = speed("--tasks", "ner", "--json")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    assert set(found["machine"]["rates"]) == {"float32", "bfloat16"}
    assert [each["precision"] for each in found["featurizers"]] == ["float32", "bfloat16"]
    for each in found["featurizers"]:
        assert each["cold"] > 0
        assert each["sentences"] >= featurizer.PROBE
        rate = found["machine"]["rates"][each["precision"]]
        assert each["limit"] == pytest.approx(rate / each["operations"])
    assert found["errors"]["bfloat16"][0]["largest"] == 0  # the token layer stays exact
    assert 0 < found["errors"]["bfloat16"][1]["mean"] < found["errors"]["bfloat16"][1]["largest"]
    assert [each["what"] for each in found["reading"]] in (["cold", "warm"], ["warm"])
    usual = composed(["task=ner"])
    assert [(each["task"], each["placement"], each["batch_size"]) for each in found["steps"]] == [
        ("ner", "none", usual.training.batch_size),
        ("ner", usual.elmo.placement, usual.training.batch_size),
    ]
    assert all(0 < each["data"] < each["whole"] for each in found["steps"])
    assert list((tmp_path / "features").iterdir()) == []  # what was stored for it is thrown away


def test_tables(speed: Speed, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    status, out, _ = speed("--tasks", "--threads", "1")
    assert (status, asked[:1]) == (0, [1])
    for words in ("GFLOP/s: float32", "difference from float32", "bfloat16", "warm"):
        assert words in out
    assert "a training step" not in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--tasks", "snly"), "did you mean 'snli'"),
        (("encoder=elmo-smal",), "did you mean"),
        (("--tasks", "snli", "recipe=nowhere"), "error: recipe=nowhere: unknown"),
        (("--text", "nowhere.txt"), "nowhere.txt"),
        (("--threads", "0"), "argument --threads: '0' is not a whole number from 1"),
        (("--tasks", "--peer", "nowhere/python"), "nowhere/python: no such file"),
        (("--tasks", "--peer", "/bin/true"), "/bin/true: it stopped"),
    ],
)
def test_mistakes(speed: Speed, arguments: tuple[str, ...], expected: str) -> None:
    status, _, err = speed(*arguments)
    assert status == 2
    assert expected in err


def test_operations_are_those_of_the_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed or not: 2 directions, 2 layers, boundaries included, and each word once."""
    counted = set()
    for packed in (True, False):
        if packed and not path.has_onednn():
            continue
        monkeypatch.setattr(path, "packs", lambda packed=packed: packed)
        encoder = random_elmo(TINY)
        one, two = ([["word"] * n] for n in (14, 30))  # 16 and 32 rows: nothing is rounded up
        counted.add(featurizer.operations(encoder, two) - featurizer.operations(encoder, one))
    size, cells = TINY["lstm"]["projection_dim"], TINY["lstm"]["dim"]
    a_token = 2 * 2 * 2 * (2 * size * 4 * cells + cells * size)
    assert counted == {16 * a_token}


def test_precisions_are_those_that_an_encoder_offers(tmp_path: Path) -> None:
    assert featurizer.precisions(composed(["encoder=random"])) == ["float32", "bfloat16"]
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("a 1 2\n")
    words = ["encoder=glove", f"word_vectors={vectors}"]
    assert featurizer.precisions(composed(words)) == ["float32"]


def test_text(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(f"sentence {i}" for i in range(100)) + "\n\n")
    some = text.sentences(path, 10)
    assert len(some) == 10
    assert text.sentences(path, 10) == some
    assert len({int(words[1]) for words in text.sentences(path, 1000)}) == 100
    assert text.tokens(some) == 20


def test_busy_machines_do_not_show_at_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    for threads, expected in ((1, "CPU time"), (2, "the wall clock")):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        assert clock("cpu")[1] == expected
        assert clock("cuda")[1] == "the wall clock"


def test_the_clock_waits_for_the_gpu_that_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[object] = []
    monkeypatch.setattr("torch.cuda.synchronize", waited.append)
    clock("cuda:1")[0]()
    assert waited == ["cuda:1"]


def test_an_interpreter_without_the_peer_is_one_line(speed: Speed) -> None:
    status, _, err = speed("--tasks", "--peer", sys.executable)
    assert status == 2
    assert "No module named 'allennlp'" in err


def test_the_peer_gives_the_same_vectors() -> None:
    python = os.environ.get("ELMO_BENCH_PEER")
    if not python:
        pytest.skip("no AllenNLP (set ELMO_BENCH_PEER to its interpreter; docs/performance.md)")
    encoders: dict[str, Encoder] = {"float32": random_elmo(TINY)}
    found = peer.measured(Path(python), encoders, SENTENCES, 0.01, clock("cpu")[0])
    assert found.difference < 1e-5
    assert [(each.batch, each.in_order) for each in found.compared] == list(peer.WAYS)


def test_recurrent_layers_are_counted_wherever_they_run() -> None:
    lstm, x = torch.nn.LSTM(3, 4, bidirectional=True), torch.randn(7, 5, 3)
    expected = 2 * 2 * 7 * 5 * 16 * (3 + 4)  # both directions; four gates of four cells
    counting = featurizer.uncounted_products()
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping=counting) as counter:
        lstm(x)
    assert counter.get_total_flops() == expected
    on_gpu = counting[torch.ops.aten._cudnn_rnn]
    shapes = [tuple(parameter.shape) for parameter in lstm.parameters()]
    assert on_gpu((35, 3), shapes) == on_gpu((7, 5, 3), shapes) == expected


def test_a_peer_is_not_compared_with_a_gpu(speed: Speed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.speed.measure.device_of", lambda cfg: "cuda:0")
    status, _, err = speed("--tasks", "--peer", sys.executable)
    assert status == 2
    assert "--peer compares on the CPU" in err
