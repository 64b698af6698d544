"""In place of runs, which train nothing, and of their commands, which end when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from omegaconf import DictConfig

from bench.errors import RunError
from bench.records import Finished, Primary
from bench.run.contents import chosen
from bench.run.record import Record, outcome
from bench.sweep import side_by_side


def untrained(cfg: DictConfig, **scores: float) -> Finished:
    """Record a run with these scores on dev and test, and return its result."""
    choice, record = chosen(cfg)
    result = outcome(
        Finished,
        choice,
        metrics={split: {"accuracy": score} for split, score in scores.items()},
        primary=Primary(name="accuracy", split="test", value=scores["test"]),
        epochs=1,
        best_epoch=1,
        history=[],
    )
    record.write_config(cfg)
    record.write_result(result)
    return result


class Pretended:
    """In place of a command: it notes its environment, and ends after as many looks as its seed."""

    noted: list[str] = []
    told: tuple[str, ...] = ()  # variables of the environment that are noted
    at_once: int = 0
    most: int = 0

    def __init__(
        self, words: Sequence[str], record: Record, variables: Mapping[str, str], _: None
    ) -> None:
        self.seed = int(words[-1].removeprefix("seed="))
        self.record, self.looks = record, self.seed
        self.noted.append(" ".join([f"seed {self.seed}", *(variables[name] for name in self.told)]))
        Pretended.at_once += 1
        Pretended.most = max(Pretended.most, Pretended.at_once)

    def ended(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def last_line(self) -> str:
        return f"{self.looks} looks to go"

    def result(self) -> Finished:
        Pretended.at_once -= 1
        if self.seed == 9:
            raise KeyboardInterrupt
        raise RunError(f"seed {self.seed} is nothing")


def pretend(monkeypatch: pytest.MonkeyPatch, *told: str) -> type[Pretended]:
    """Have runs side by side pretended, and these variables of their environment noted."""

    def stop(commands: Sequence[Pretended]) -> None:
        Pretended.noted += [f"seed {command.seed} stopped" for command in commands]

    monkeypatch.setattr(side_by_side, "Command", Pretended)
    monkeypatch.setattr(side_by_side, "stop", stop)
    monkeypatch.setattr(side_by_side, "PAUSE", 0)
    monkeypatch.setattr("bench.sweep.apart.possible", lambda: False)
    for name, value in {"noted": [], "told": told, "most": 0, "at_once": 0}.items():
        monkeypatch.setattr(Pretended, name, value)
    return Pretended
