"""What a run leaves behind, in `<runs>/<task>/<run_id>`. No torch here: a finished run is quick.

    config.yaml         the resolved configuration
    run.log             what was said
    result.json         the outcome (schema below)
    predictions.jsonl   one line an example of dev and test
    head.safetensors    the trained model without the encoder;  vocabulary.json  what it reads
    checkpoints/        best.ckpt and last.ckpt, trainable weights and training state only

Every file is written to a temporary name and renamed: none is ever half there.
"""

from __future__ import annotations

import fcntl
import json
import platform
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from bench.choice import Choice
from bench.errors import BusyError, RunError
from elmo_core.whole_files import replacing

SCHEMA = 1


def outcome(choice: Choice, *, status: str, **rest: Any) -> dict[str, Any]:
    """The content of result.json: what was chosen, then `rest`, what came of it."""
    chosen = choice.values
    return {
        "schema": SCHEMA,
        "run_id": choice.run_id,
        "status": status,
        "task": chosen["task"]["name"],
        "data": chosen["data"],
        "elmo": chosen["elmo"],
        "seed": chosen["seed"],
        **rest,
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("elmo-bench", "torch", "pytorch-lightning")},
        },
    }


class Record:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoints = folder / "checkpoints"
        self.last = self.checkpoints / "last.ckpt"
        self.best = self.checkpoints / "best.ckpt"
        self.head = folder / "head.safetensors"
        self.log = folder / "run.log"

    @classmethod
    def of(cls, choice: Choice, runs: str) -> Record:
        """Name the record of this choice in the folder `runs`; it need not be there yet."""
        return cls(Path(runs).expanduser() / choice.values["task"]["name"] / choice.run_id)

    def result(self) -> dict[str, Any] | None:
        """result.json, or None where there is none."""
        path = self.folder / "result.json"
        try:
            return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        except json.JSONDecodeError as error:
            raise RunError(f"{path} is damaged ({error}): remove it to repeat the run") from None

    def finished(self) -> dict[str, Any] | None:
        """The result, if the run came to its end."""
        result = self.result()
        return result if result is not None and result["status"] == "finished" else None

    def write_json(self, name: str, content: Any) -> None:
        self._write(name, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    def write_lines(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        self._write(name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def write_config(self, cfg: DictConfig) -> None:
        self._write("config.yaml", OmegaConf.to_yaml(cfg, resolve=True))

    def _write(self, name: str, text: str) -> None:
        with replacing(self.folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def forget(self) -> None:
        """Remove what an earlier run left, so that this one starts anew."""
        for path in (self.folder / "result.json", self.last, self.best):
            path.unlink(missing_ok=True)

    def begin_with(self, other: Record) -> None:
        """Take over the checkpoints of another run, the last one last: it is what a run goes on
        from."""
        self.checkpoints.mkdir(parents=True, exist_ok=True)
        for theirs, ours in ((other.best, self.best), (other.last, self.last)):
            with replacing(ours) as temporary:
                shutil.copyfile(theirs, temporary)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for this process; the system lets go when the process ends, however."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BusyError(f"another process is at work on {self.folder}") from None
            yield

    def busy(self) -> bool:
        """Whether a process holds the folder."""
        if not self.folder.exists():
            return False
        try:
            with self.lock():
                return False
        except BusyError:
            return True

    def wait(self) -> None:
        """Until no process holds the folder."""
        with (self.folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
