#!/usr/bin/env python
"""What a run's time is spent on: the head's own arithmetic, or all else.

    OMP_NUM_THREADS=1 python scripts/run_profile.py task=snli training.max_epochs=1

CPU seconds of fit, dev and test, by Lightning's hooks. The head's are those of training batches
(forward, backward, clipping, optimizer) and of dev and test batches (forward, decoding). What is
done once before the first of them (imports, data, features) is counted apart. Memory is the most
that the process had of its own, files that it maps left out, at the start of any hook (Linux).
"""

from __future__ import annotations

import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from typing import Any

from bench.errors import exit_status
from bench.overrides import composed
from elmo_core.imports import importing_torch

with importing_torch():
    import pytorch_lightning as pl
    from pytorch_lightning.profilers import Profiler

    from bench.run.callbacks.memory import own_memory
    from bench.run.run import run

HEAD = ("run_training_batch", "validation_step", "test_step")
ELSE = {
    "reading, collating": ("_next",),
    "sizes": ("_dataloader",),
    "scoring": ("BenchModule.on_validation_epoch_end", "BenchModule.on_test_epoch_end"),
    "checkpoints": ("save_checkpoint",),
}


class CPUTime(Profiler):
    """Seconds of each hook, those inside another one counted to both."""

    def __init__(self) -> None:
        super().__init__()
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._started: dict[str, float] = {}
        self.before, self.memory = 0.0, 0

    def start(self, action_name: str) -> None:
        if action_name == "run_training_batch":
            self.before = self.before or time.process_time()
        self.memory = max(self.memory, own_memory())
        self._started[action_name] = time.process_time()

    def stop(self, action_name: str) -> None:
        self.spent[action_name] += time.process_time() - self._started.pop(action_name)

    def of(self, *parts: str) -> float:
        return sum(seconds for name, seconds in self.spent.items() if name.endswith(parts))


class Timed(pl.Trainer):
    """Its runs are timed as a whole, too."""

    profile = CPUTime()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, profiler=self.profile)

    def fit(self, *given: Any, **named: Any) -> None:
        with self.profile.profile("whole"):
            super().fit(*given, **named)

    def validate(self, *given: Any, **named: Any) -> Any:
        with self.profile.profile("whole"):
            return super().validate(*given, **named)

    def test(self, *given: Any, **named: Any) -> Any:
        with self.profile.profile("whole"):
            return super().test(*given, **named)


def main(words: list[str]) -> None:
    pl.Trainer = Timed  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as runs:
        run(composed([*words, f"paths.runs={runs}", "trainer=cpu"]))
    profile = Timed.profile
    spent = profile.of
    whole, head = spent("whole"), spent(*HEAD)
    parts = {name: spent(*actions) for name, actions in ELSE.items()}
    parts["Lightning and the rest"] = whole - head - sum(parts.values())
    print(f"the first step after {profile.before:.1f} s; {profile.memory / 1e9:.2f} GB at most")
    print(f"{whole:.1f} s, of it {head:.1f} s the head's; all else {1 - head / whole:.1%}:")
    print(", ".join(f"{name} {seconds:.2f}" for name, seconds in parts.items()))


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as for `bench`")
    with exit_status(debug=False):
        main(parser.parse_args().overrides)
