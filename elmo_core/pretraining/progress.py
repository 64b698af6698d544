"""What a training says while it runs, and the table it leaves behind."""

from __future__ import annotations

import csv
import math
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from elmo_core.lightning import pl
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.perplexity import Perplexity
from elmo_core.whole_files import replacing

LOG, PRECISION = "log.csv", "precision"
LONGEST = 1000
"""Characters of a row; ours have a hundred. It keeps numbers within what `int` takes."""

SECONDS = 20
"""Between two lines."""


class Progress(pl.Callback):
    """A line every so often: how far, how well and how fast it goes, when it will be done.

    The training perplexity is that of the sampled softmax under dropout: not to be compared with
    a held-out one.
    """

    def __init__(self, every: int) -> None:
        self.every = every
        self.since: float | None = None  # the clock stands still while others measure and write

    def on_save_checkpoint(
        self, trainer: pl.Trainer, _: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        checkpoint[PRECISION] = trainer.precision

    def on_load_checkpoint(
        self, trainer: pl.Trainer, _: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Tell of another precision, which a processor without bfloat16 may force."""
        before, now = checkpoint.get(PRECISION), trainer.precision
        if before not in (None, now) and trainer.is_global_zero:  # older checkpoints lack it
            done = checkpoint["global_step"]
            print(f"trained in {before} for {done:,} steps, goes on in {now}", file=sys.stderr)

    def on_train_batch_start(self, trainer: pl.Trainer, *_: Any) -> None:
        if self.since is None:
            self.since, self.step = time.monotonic(), trainer.global_step

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        assert self.since is not None
        step, seconds = trainer.global_step, time.monotonic() - self.since
        if seconds < SECONDS and step % self.every and step < pl_module.total_steps:
            return
        if trainer.is_global_zero:
            line = _line(step, seconds / (step - self.step), pl_module)
            print(line, file=sys.stderr, flush=True)
        self.since = None


def _line(step: int, seconds: float, module: PretrainingModule) -> str:
    """Say how far the training is; `seconds` is the time of one step."""
    left = timedelta(seconds=round((module.total_steps - step) * seconds))
    return (
        f"step {step:,} of {module.total_steps:,} ({step / module.total_steps:.1%})  "
        f"train perplexity {_perplexity(module):.1f}  "
        f"{module.step_tokens / seconds:,.0f} tokens/s  {left} left"
    )


def _perplexity(module: PretrainingModule) -> float:
    """Return that of the last steps; infinity for one that no float can hold."""
    try:
        return math.exp(module.recent_loss)
    except OverflowError:
        return math.inf


def read_log(out: Path) -> list[dict[str, str]]:
    """Return the rows of the training's table; those that cannot be read are left out."""
    if not (out / LOG).exists():
        return []
    with open(out / LOG, encoding="utf-8", errors="replace", newline="") as file:
        rows = csv.DictReader(line for line in file if "\0" not in line and len(line) < LONGEST)
        return [row for row in rows if (row.get("step") or "").isdecimal() and row.get("time")]


def log_row(out: Path, trainer: pl.Trainer, module: PretrainingModule, heldout: Perplexity) -> None:
    """Add a row to the training's table, and print it.

    Rows from this step on were written before a kill, after the last checkpoint: they give way.
    """
    row = {
        "step": trainer.global_step,
        "tokens": trainer.global_step * module.step_tokens,
        "train_perplexity": round(_perplexity(module), 3),
        "heldout_forward": round(heldout.forward, 3),
        "heldout_backward": round(heldout.backward, 3),
        "heldout_average": round(heldout.average, 3),
        "learning_rate": trainer.optimizers[0].param_groups[0]["lr"],
        "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    before = [old for old in read_log(out) if int(old["step"]) < trainer.global_step]
    with (
        replacing(out / LOG) as temporary,
        open(temporary, "w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.DictWriter(file, list(row), extrasaction="ignore")
        writer.writeheader()
        writer.writerows([*before, row])
    print(f"step {row['step']:,}: held-out perplexity {heldout}", file=sys.stderr, flush=True)
