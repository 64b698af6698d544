"""What a run may go on from: two whole checkpoints, its own or those of a run of fewer epochs."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from pathlib import Path

from bench.choice import Choice
from bench.errors import BusyError
from bench.run.record import Record
from elmo_core.errors import CheckpointError
from elmo_core.lightning import read_checkpoint, set_aside

log = logging.getLogger(__name__)


def make_whole(choice: Choice, record: Record) -> None:
    """Leave `last.ckpt` and `best.ckpt` in the run's folder, both whole, or no `last.ckpt`.

    The latter means a new start. Whatever the run goes on from, it ends with the same bits: a
    damaged `last.ckpt` gives way to `best.ckpt`, which holds all that training needs, too; without
    a whole `best.ckpt`, a finished run of the same choice with fewer epochs is begun with.
    """
    if not (record.last.exists() and _own(record)):
        _shorter(choice, record)


def of_encoder(record: Record, encoder: str) -> None:
    """Set the run's checkpoints aside where they were trained on another encoder's layers.

    An encoder that its own code makes may change while the id of its runs does not: going on
    would mix two trainings.

    Args:
        record: Of the run, whose checkpoints are whole.
        encoder: The fingerprint of the encoder that it trains on now. What checkpoints of before
            there were fingerprints in them were trained on, they do not say.
    """
    if not record.last.exists():
        return
    known = read_checkpoint(record.last).get("encoder", encoder)
    if known == encoder:
        return
    kept = [set_aside(path, "other").name for path in (record.last, record.best)]
    log.warning(
        "%s: its checkpoints were trained on another encoder (fingerprint %s, now %s); kept as %s, "
        "training begins anew",
        *(record.folder, str(known)[:12], encoder[:12], " and ".join(kept)),
    )


def _own(record: Record) -> bool:
    """Return whether the run's own checkpoints are whole, or could be made so."""
    best, last = _steps(record.best), _steps(record.last)
    if best is None:
        record.last.unlink(missing_ok=True)  # the best epoch so far is lost: it must be redone
        log.warning("%s: its training begins anew", record.folder)
        return False
    if last is None or last < best:  # damaged, or not written any more when the run died
        log.warning("goes on from %s, the best epoch so far", record.best)
        record.begin_with(best=record.best, last=record.best)
    return True


def _shorter(choice: Choice, record: Record) -> None:
    """Begin with a finished run of the same choice with fewer epochs, where there is one.

    What it computed is to the bit what this run would compute once more.
    """
    beside = map(Record, record.folder.parent.iterdir())  # some perhaps of other users, closed
    others = {each.folder.name: each for each in beside if os.path.exists(each.last)}
    for run_id in choice.shorter() if others else ():
        if run_id not in others:
            continue
        other = others[run_id]
        with ExitStack() as stack:
            try:
                stack.enter_context(other.lock())  # it may be repeated by another process
                if not (other.best.exists() and other.last.exists() and other.readable()):
                    continue
                read_checkpoint(other.best), read_checkpoint(other.last)
            except (BusyError, CheckpointError, OSError) as error:
                log.warning("%s: does not begin with it", error)
                continue
            log.info("begins as %s ended, a run of fewer epochs", other.folder)
            record.begin_with(best=other.best, last=other.last)
            return


def _steps(path: Path) -> int | None:
    """Return the steps that a checkpoint was written after; None for a damaged one, set aside."""
    try:
        return int(read_checkpoint(path)["global_step"])
    except CheckpointError as error:
        aside = f", set aside as {set_aside(path).name}" if path.exists() else ""
        log.warning("%s%s", error, aside)
        return None
