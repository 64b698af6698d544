"""Combine runs into an ensemble, score it, and record it as a run."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.choice import Choice
from bench.ensemble.members import Examples, Member, command, ensemble_id, members, splits
from bench.errors import RunError
from bench.records import Elmo, EncoderFacts, Finished, MemberScore, Primary
from bench.run.record import HEAD, Record, outcome, outdated
from elmo_core.imports import importing_torch

if TYPE_CHECKING:
    from bench.ensemble.committee import Committee

log = logging.getLogger(__name__)


def combine(
    folders: Sequence[Path], force: bool = False, trusted: Sequence[str] = (), mixed: bool = False
) -> Finished:
    """Combine, score and record the runs in `folders`, or show what was recorded before of the same
    models.

    Args:
        folders: The runs'.
        force: Whether an ensemble that was recorded before is made again.
        trusted: Packages whose classes the runs may name.
        mixed: Whether the runs may differ in more than their seed.

    Returns:
        The ensemble's result.

    Raises:
        RunError: The runs cannot be combined.
    """
    from bench.run.derived import recorded

    found = members(folders, mixed)
    name = ensemble_id(member.result.run_id for member in found)
    record = Record(found[0].folder.parent / name)
    now = {member.result.run_id: member.result for member in found}
    return recorded(
        record,
        lambda: _combined(found, record, trusted, command(folders, mixed, trusted)),
        lambda result: not outdated(result, now),
        force=force,
        limit_batches=found[0].value("trainer.limit_batches"),
    )


def _combined(
    found: Sequence[Member], record: Record, trusted: Sequence[str], asked: str
) -> Finished:
    with importing_torch():
        from bench.ensemble.committee import Committee
        from bench.run.predictions import scored

    log.info("combining %s", ", ".join(member.folder.name for member in found))
    committee = Committee([member.folder for member in found], trusted)
    timing: dict[str, float] = {}
    metrics, predictions = {}, []
    for split in splits(found):
        started = time.perf_counter()
        rows = list(_predicted(committee, split, found[0].examples[split]))
        timing[f"{split}_s"] = round(time.perf_counter() - started, 2)
        metrics[split] = scored(committee.task, rows)
        predictions += [{"split": split, **row} for row in rows]
    result = _outcome(found, record, committee, metrics, timing, asked)
    config = committee.first.cfg.copy()
    config.ensemble = [str(member.folder) for member in found]
    record.write_predictions(predictions)
    record.write_config(config)
    record.write_result(result)
    return result


def _predicted(committee: Committee, split: str, scored: Examples) -> Iterator[dict[str, Any]]:
    """Predict the examples that the runs were `scored` on, as the data has them now.

    Raises RunError where the gold of one is another by now.
    """
    for row in committee.predict(split, list(scored)):
        if json.dumps(row["gold"]) != scored[row["id"]]:
            raise RunError(f"{split}: the gold of {row['id']} has changed since the runs")
        yield row


def _outcome(
    found: Sequence[Member],
    record: Record,
    committee: Committee,
    metrics: dict[str, dict[str, float]],
    timing: dict[str, float],
    asked: str,
) -> Finished:
    """Return a result as a run's; nothing was trained, so there are no epochs and no mix."""
    results = [member.result for member in found]
    return outcome(
        Finished,
        Choice.of(committee.first.cfg),
        run_id=record.folder.name,
        ensemble=[
            MemberScore(
                run_id=r.run_id,
                seed=r.seed,
                head=r.files.get(HEAD),
                **{split: r.score(split) for split in metrics},
            )
            for r in results
        ],
        elmo=_common_elmo([r.elmo for r in results]),
        seed=min(r.seed for r in results),
        encoder=_common_encoder([r.encoder for r in results]),
        metrics=metrics,
        primary=Primary.of(committee.task.metric, metrics),
        yardsticks={split: results[0].yardsticks[split] for split in metrics},
        epochs=0,
        best_epoch=0,
        history=[],
        timing=timing,
        counts={
            **{split: len(found[0].examples[split]) for split in metrics},
            "trainable_parameters": sum(r.counts["trainable_parameters"] for r in results),
        },
        command=asked,
    )


def _common_elmo(all_: Sequence[Elmo]) -> Elmo:
    """Return what all runs say, and the placements of all."""
    first, *others = [elmo.to_json() for elmo in all_]
    common = {key: v for key, v in first.items() if all(other.get(key) == v for other in others)}
    placements = ", ".join(dict.fromkeys(elmo.placement for elmo in all_))
    return Elmo(**{**common, "placement": placements})


def _common_encoder(all_: Sequence[EncoderFacts | None]) -> EncoderFacts | None:
    """Return the encoder of all runs; where they have several, their names alone."""
    if all(encoder == all_[0] for encoder in all_):
        return all_[0]
    names = (encoder.name if encoder else "none" for encoder in all_)
    return EncoderFacts(name=", ".join(dict.fromkeys(names)))
