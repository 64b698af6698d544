"""Signals to real processes: one line, the signal's exit status, and the same command goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, TensorDataset

from bench.interrupts import interruptible
from bench.run.callbacks.signals import LostSignals
from bench.run.record import Record
from elmo_core.lightning import OwnSignals
from tests.bench.small import SMALL
from tests.processes import children, running, wait_for

LONG = ("training.max_epochs=2000", "training.patience=2000", "elmo.placement=none")
STATUS = {signal.SIGTERM: 143, signal.SIGINT: 130}


@pytest.fixture
def started(snli_folder: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`started("task=…")`: a `python -m bench` that begins a long run."""
    processes = []

    def start(*words: str) -> subprocess.Popen[str]:
        folders = [f"data.dir={snli_folder}", f"paths.runs={tmp_path / 'runs'}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "bench", *SMALL, *LONG, *folders, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Send the signal; return the last line that was said, after the right exit status."""
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == STATUS[number], said
    assert "Traceback" not in said
    return said.splitlines()[-1]


@pytest.mark.parametrize(
    ("number", "many"),
    [(signal.SIGTERM, ()), (signal.SIGINT, ("-m", "seed=1,2", "hydra/launcher=basic"))],
)
def test_in_training(
    started: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    number: signal.Signals,
    many: tuple[str, ...],
) -> None:
    process = started(*many)
    wait_for(lambda: list(tmp_path.glob("runs/snli/*/checkpoints/last.ckpt")))
    line = ended(process, number)
    assert re.fullmatch(r"interrupted after epoch \d+; the same command goes on", line)
    assert not list(tmp_path.glob("runs/snli/*/result.json"))
    assert len(list(tmp_path.glob("runs/snli/*"))) == 1  # the sweep has not gone on


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_at_the_start(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path, number: signal.Signals
) -> None:
    process = started()
    wait_for(lambda: any(path.read_text() for path in tmp_path.glob("runs/snli/*/run.log")))
    line = ended(process, number)
    assert line == "interrupted before the first epoch ended; the same command begins anew"


def test_before_a_word_of_the_command_line_is_read() -> None:
    """Ctrl-C while Hydra is imported."""
    script = (
        "import builtins, os, signal\n"
        "from bench.__main__ import main\n"
        "known = builtins.__import__\n"
        "def slow(name, *others):\n"
        "    if name == 'hydra': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return known(name, *others)\n"
        "builtins.__import__ = slow\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler); main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize(("verb", "words"), [("features", ["build"]), ("predict", ["/no/run"])])
def test_other_verbs(verb: str, words: list[str]) -> None:
    """Ctrl-C while PyTorch is imported, which every verb does after its own command line."""
    script = (
        f"import sys; sys.argv[1:] = {words}\n"
        f"import builtins, os, signal; from bench.{verb} import main; known = builtins.__import__\n"
        "def slow(name, *others):\n"
        "    if name == 'torch': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return known(name, *others)\n"
        "builtins.__import__ = slow\n"
        f"signal.signal(signal.SIGINT, signal.default_int_handler); main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == "interrupted"
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
@pytest.mark.parametrize(
    "launcher",
    [
        ("hydra.launcher.at_once=2",),
        pytest.param(
            ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2"),
            marks=pytest.mark.skipif(
                find_spec("hydra_plugins.hydra_joblib_launcher") is None,
                reason="joblib is not installed",
            ),
        ),
    ],
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent(
    started: Callable[..., subprocess.Popen[str]],
    tmp_path: Path,
    number: signal.Signals,
    launcher: tuple[str, ...],
) -> None:
    process = started("-m", "seed=1,2", *launcher)
    wait_for(lambda: len(list(tmp_path.glob("runs/snli/*/checkpoints/last.ckpt"))) == 2)
    workers = children(process.pid)
    assert len(workers) >= 2
    if number == signal.SIGKILL:
        process.kill()
    else:
        assert ended(process, number) == "interrupted; the same command goes on"
    wait_for(lambda: not any(map(running, workers)), seconds=20)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
def test_processes_that_train_together_end_with_the_first(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    process = started("trainer=ddp", "trainer.accelerator=cpu", "trainer.devices=2")
    wait_for(lambda: list(tmp_path.glob("runs/snli/*/checkpoints/last.ckpt")))
    others = children(process.pid)
    assert others
    process.kill()
    wait_for(lambda: not any(map(running, others)), seconds=20)


class Ending(pl.LightningModule):
    """Its first step is its last."""

    def training_step(self, *_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def configure_optimizers(self) -> None:
        return None


def quiet() -> pl.Trainer:
    return pl.Trainer(
        accelerator="cpu",
        callbacks=[OwnSignals(), LostSignals()],
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )


def test_lightning_does_not_answer_for_us() -> None:
    """Its answer waits for all processes, inside the signal; some never come."""
    with interruptible():
        trainer = quiet()
    with pytest.raises(SystemExit) as stop, interruptible():
        trainer.fit(Ending(), DataLoader(TensorDataset(torch.zeros(1))))
    assert stop.value.code == STATUS[signal.SIGTERM]
    assert not trainer.received_sigterm


def test_an_interruption_that_a_failing_clean_up_hides(capsys: pytest.CaptureFixture[str]) -> None:
    def cut_short() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            raise AttributeError("half made")

    with pytest.raises(SystemExit) as stop, interruptible():
        cut_short()
    assert stop.value.code == STATUS[signal.SIGTERM]
    assert capsys.readouterr().err == "interrupted\n"


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    record = Record(tmp_path / "run")
    record.checkpoints.mkdir(parents=True)
    left = [record.folder / f".result.json.{dead.pid}.tmp"]
    left += [record.checkpoints / f".last.ckpt.{dead.pid}.tmp"]
    kept = [record.checkpoints / f".best.ckpt.{os.getpid()}.tmp", record.last]
    for path in (*left, *kept):
        path.write_bytes(b"half")
    with record.lock():
        assert not any(path.exists() for path in left)
        assert all(path.exists() for path in kept)


class Finalised:
    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interruption_that_a_finaliser_swallows_comes_at_the_next_batch() -> None:
    batches: list[object] = []

    class Counting(Ending):
        def training_step(self, *given: object) -> None:
            batches.append(given)
            if len(batches) == 2:
                Finalised()

    with pytest.raises(SystemExit) as stop, interruptible():
        quiet().fit(Counting(), DataLoader(TensorDataset(torch.zeros(5))))
    assert stop.value.code == STATUS[signal.SIGTERM]
    assert len(batches) == 2
