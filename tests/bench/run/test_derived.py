"""What is made of finished runs: once, whole, and by one process."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench.records import Finished
from bench.report.read import read
from bench.run.derived import recorded
from bench.run.record import Record
from elmo_core.locks import lock
from tests.bench.made_up import Maker

Derived = Callable[..., Finished]
log = logging.getLogger("bench.run")


@pytest.fixture
def result(tmp_path: Path) -> Finished:
    Maker(tmp_path / "made_up").run()
    (run,) = read(tmp_path / "made_up").finished
    return run.result


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path / "runs" / "snli" / "ensemble-0000000000")


@pytest.fixture
def derived(record: Record, result: Finished) -> Derived:
    def of(
        seed: int = 1,
        error: BaseException | None = None,
        current: bool = True,
        force: bool = False,
    ) -> Finished:
        def make() -> Finished:
            log.info("made with seed %d", seed)
            if error is not None:
                raise error
            new = replace(result, seed=seed)
            record.write_result(new)
            return new

        return recorded(record, make, lambda _: current, force=force, limit_batches=None)

    return of


def test_it_is_made_once(derived: Derived, record: Record, capsys: pytest.CaptureFixture) -> None:
    assert derived(1).seed == 1
    assert "finished earlier" not in capsys.readouterr().out
    assert derived(2).seed == 1
    assert "finished earlier; --force repeats it" in capsys.readouterr().out
    assert derived(3, force=True).seed == 3
    assert derived(4, current=False).seed == 4
    assert "made with seed 4" in record.log.read_text()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_mistake_or_an_interruption_leaves_nothing(
    error: BaseException, derived: Derived, record: Record
) -> None:
    with pytest.raises(type(error)):
        derived(error=error)
    assert not record.folder.parent.exists()
    made = derived(1)
    with pytest.raises(type(error)):
        derived(2, error=error, force=True)
    assert record.finished() == made


def test_a_bug_leaves_its_log(derived: Derived, record: Record) -> None:
    with pytest.raises(ZeroDivisionError):
        derived(error=ZeroDivisionError())
    assert "made with seed 1" in record.log.read_text()
    assert derived(2).seed == 2


def test_what_another_process_makes_in_this_moment_is_shown(
    derived: Derived, record: Record, monkeypatch: pytest.MonkeyPatch, result: Finished
) -> None:
    record.folder.mkdir(parents=True)
    another = lock(record.folder / ".lock")
    assert another is not None

    def ends(_: float) -> None:
        record.write_result(replace(result, seed=5))
        another.close()

    monkeypatch.setattr("bench.run.record.time.sleep", ends)
    assert derived(1).seed == 5
