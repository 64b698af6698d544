"""What a run leaves behind, in `<runs>/<task>/<run_id>`. No torch here: a finished run is quick.

    config.yaml         the resolved configuration
    run.log             what was said
    result.json         the outcome (schema: bench/records/results.py)
    environment.txt     every installed package with its version
    predictions.jsonl   one line an example of dev and test
    head.safetensors    the trained model without the encoder;  vocabulary.json  what it reads
    checkpoints/        best.ckpt and last.ckpt, trainable weights and training state only;
                        online_code.json, the blocks that are coded so far

Every file is written to a temporary name and renamed: none is ever half there.
"""

from __future__ import annotations

import errno
import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from omegaconf import DictConfig, OmegaConf

from bench.choice import Choice
from bench.errors import BusyError, RunError
from bench.interrupts import interrupt
from bench.records import DamagedRecord, Elmo, Finished, Result, read_result
from bench.run.provenance import environment, versions
from bench.verbatim import literal
from elmo_core.locks import lock, locked
from elmo_core.whole_files import replacing, sha256_of, tidy, write_text

HEAD, RESULT = "head.safetensors", "result.json"
BUSY = "another process is at work on"
VOUCHED = (HEAD, "vocabulary.json", "predictions.jsonl")
LOOK = 0.2
"""Seconds; a process that only looks whether a folder is held has to hold it, too, but for less."""

R = TypeVar("R", bound=Result)


def outcome(kind: type[R], choice: Choice, **came_of_it: Any) -> R:
    """Return a `Finished` or `Failed` with what was chosen and what came of it."""
    chosen = choice.values
    facts: dict[str, Any] = {
        "run_id": choice.run_id,
        "task": chosen["task"]["name"],
        "data": chosen["data"],
        "elmo": Elmo(**chosen["elmo"]),
        "seed": chosen["seed"],
        "versions": versions(),
    }
    return kind(**(facts | came_of_it))


def outdated(made: Finished, runs: Mapping[str, Finished]) -> bool:
    """Say whether one of `runs`, by id, of which a record was made, has been repeated since.

    Records of old and those in files of results do not vouch for a head: nothing is known of them.
    """
    now = {name: runs[name].files.get(HEAD) for name in made.made_of if name in runs}
    return any(now.get(name) not in (None, head) for name, head in made.made_of.items())


class Record:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoints = folder / "checkpoints"
        self.last = self.checkpoints / "last.ckpt"
        self.best = self.checkpoints / "best.ckpt"
        self.online_code = self.checkpoints / "online_code.json"
        self.head = folder / HEAD
        self.log = folder / "run.log"

    @classmethod
    def of(cls, choice: Choice, runs: str) -> Record:
        """Return the record of this choice in the folder `runs`; it need not be there yet."""
        return cls(Path(runs).expanduser() / choice.values["task"]["name"] / choice.run_id)

    def result(self) -> Result | None:
        """Return what result.json says, or None where there is none.

        Raises DamagedRecord for a file that cannot be read.
        """
        return read_result(self.folder / RESULT) if self.has_result() else None

    def has_result(self) -> bool:
        """Say whether there is a result.json, damaged or not."""
        return (self.folder / RESULT).exists()

    def finished(self) -> Finished | None:
        """Return the result, if the run came to its end. Raises DamagedRecord."""
        result = self.result()
        return result if isinstance(result, Finished) else None

    def readable(self) -> Finished | None:
        """Return the result, if the run came to its end and its record can be read."""
        try:
            return self.finished()
        except DamagedRecord:
            return None

    def write_result(self, result: Result) -> None:
        """Write result.json: last of all, since it says that the rest is there."""
        self.write_json(RESULT, result.to_json())

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each file that `result.json` vouches for, by name."""
        there = (name for name in VOUCHED if (self.folder / name).is_file())
        return {name: sha256_of(self.folder / name) for name in there}

    def verify(self, name: str) -> None:
        """Compare a file of the folder with its checksum in `result.json`, where that has one.

        Raises DamagedRecord, which names it, where it has changed.
        """
        result, path = self.finished(), self.folder / name
        written = result.files.get(name) if result else None
        if written and path.is_file() and sha256_of(path) != written:
            raise DamagedRecord(f"{path}: damaged (not as the run wrote it): repeat the run")

    def write_json(self, name: str, content: Any) -> None:
        """Write `content` as JSON to the file `name` of the folder."""
        self._write(name, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    def write_predictions(self, rows: Iterable[dict[str, Any]]) -> None:
        """Write predictions.jsonl: one JSON object a line."""
        self._write(
            "predictions.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        )

    def write_environment(self) -> None:
        """Write environment.txt: the packages that are installed now."""
        self._write("environment.txt", environment())

    def write_config(self, cfg: DictConfig) -> None:
        """Write config.yaml, with every interpolation resolved: it refers to nothing any more."""
        values = literal(OmegaConf.to_container(cfg, resolve=True))
        self._write("config.yaml", OmegaConf.to_yaml(OmegaConf.create(values)))

    def _write(self, name: str, text: str) -> None:
        write_text(self.folder / name, text)

    def forget(self) -> None:
        """Remove the checkpoints of an earlier run, so that this one starts anew.

        What the earlier run gave is there until the new result takes its place.
        """
        for path in (self.last, self.best, self.online_code):
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder, which this process holds, and its task's where no other run is in it.

        NFS keeps files that are open under other names; what is left goes with the lock.
        """
        try:
            shutil.rmtree(self.folder.resolve())
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
        if self.folder.is_symlink():
            self.folder.unlink()
        self._remove_empty()

    def _remove_empty(self) -> None:
        for folder in (self.folder, self.folder.parent):
            with suppress(OSError):
                folder.rmdir()

    def begin_with(self, *, best: Path, last: Path) -> None:
        """Copy these checkpoints here, `last.ckpt` last: a run goes on from that one."""
        for source, ours in ((best, self.best), (last, self.last)):
            if source != ours:
                with replacing(ours) as temporary:
                    shutil.copyfile(source, temporary)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for this process; the system lets go of it however the process ends.

        Raises BusyError where another process holds it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        held = self._held()
        if held is None:
            time.sleep(LOOK)
            held = self._held()
        if held is None:
            raise BusyError(f"{BUSY} {self.folder}")
        try:
            with held:
                for folder in (self.folder, self.checkpoints):
                    tidy(folder)
                yield
        finally:
            self._remove_empty()

    def busy(self) -> bool:
        """Say whether a process holds the folder."""
        try:
            held = self._held(look=True)
        except (FileNotFoundError, NotADirectoryError):  # there is no folder
            return False
        if held is not None:
            held.close()
        return held is None

    def _held(self, look: bool = False) -> ExitStack | None:
        """Return what holds the folder from now on; None where another process does."""
        return lock(self.folder / ".lock", wait=False, lost=interrupt, look=look)

    def wait(self) -> None:
        """Wait until no process holds the folder; whoever held it may have removed it."""
        with suppress(FileNotFoundError), locked(self.folder / ".lock"):
            pass


def itself(folder: Path) -> Path:
    """Return the folder of a run as it was given, or, where `.` or a link named it, where it lies.

    What is made of a run is recorded beside it.
    """
    there = folder.resolve()
    given = folder.name == there.name and folder.parent.resolve() == there.parent
    return folder if given else there


def trained_run(folder: Path) -> Finished:
    """Return the result of a run. Raises RunError where there is none, or no model of its own."""
    result = Record(folder).finished()
    if result is None:
        raise RunError(f"{folder} is no finished run: it has no {RESULT} that says so")
    if result.ensemble:
        raise RunError(f"{folder} is an ensemble, which has no model of its own: name its runs")
    if result.evaluation:
        raise RunError(f"{folder} is an evaluation of {result.evaluation.run_id}: name that run")
    return result
