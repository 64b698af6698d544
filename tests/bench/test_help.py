"""The help of every verb: examples to paste, whole lines on a narrow terminal; and Tab."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

from tests.bench.verbs import said

PROGRAMS = {
    "bench.atlas.__main__": (),
    "bench.data.__main__": ("list", "get", "check", "leaks", "card"),
    "bench.ensemble.__main__": (),
    "bench.evaluate.__main__": (),
    "bench.features": ("build", "stats", "verify", "prune"),
    "bench.neighbours.__main__": (),
    "bench.predict": (),
    "bench.report.__main__": (),
    "bench.report.pages.__main__": (),
    "bench.runs": ("list", "show", "export", "clean"),
    "bench.speed.__main__": (),
    "elmo_core.pretraining.__main__": ("prepare", "train", "evaluate", "finetune", "export"),
}
HELPS = [
    (program, [*verb, "--help"])
    for program, verbs in PROGRAMS.items()
    for verb in ([], *([verb] for verb in verbs))
]


def too_long(text: str) -> list[str]:
    return [line for line in text.splitlines() if len(line) > 80]


@pytest.mark.parametrize(
    ("program", "words"), HELPS, ids=[" ".join((name, *words)) for name, words in HELPS]
)
def test_no_line_is_broken_by_a_narrow_terminal(
    program: str,
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", [program, *words])
    main: Callable[[], object] = import_module(program).main
    status, shown, _ = said(capsys, lambda _: main(), [])
    assert status == 0
    assert "  python -m " in shown
    assert not too_long(shown)


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_is_quick(program: str) -> None:
    name = program.removesuffix(".__main__")
    command = [sys.executable, "-X", "importtime", "-m", name, "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"  python -m {name} " in shown.stdout
    imported = [line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()]
    assert not {"torch", "hydra"} & {*imported}
    assert len(imported) < 250  # argparse's 90, and our own; Hydra brings 300 besides


def test_tab_completes_the_words_of_a_run(
    bench: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench("--shell-completion", "install=bash") == 0
    assert "complete -o nospace" in capsys.readouterr().out
    monkeypatch.setenv("COMP_LINE", "elmo-bench task=sn")
    assert bench("--shell-completion", "query=bash") == 0
    assert capsys.readouterr().out.split() == ["task=snli"]


@pytest.mark.parametrize("words", ["bench --help", "elmo_core.pretraining --help"])
def test_help_where_the_terminal_is_not_utf8(words: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", *words.split()]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_another_program_reads_stays_whole() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", "import bench; print('λ=0.1')"]
    assert subprocess.check_output(command, env=environment) == "λ=0.1\n".encode()


def test_the_help_of_a_run_is_as_quick_and_as_narrow() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "bench", "--help"]
    environment = {**os.environ, "COLUMNS": "80"}
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    example = "python -m bench task=snli elmo.placement=input+output"
    assert all(words in shown.stdout for words in (example, "elmo-small", "transformer"))
    assert not too_long(shown.stdout)
    assert " torch\n" not in shown.stderr
    assert shown.stderr.count("import time:") < 700  # Hydra's 440; torch brings 1,100 besides
