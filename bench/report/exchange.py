"""Finished runs as Every Eval Ever records, one JSON file each: https://github.com/evaleval.

Written to their schema 0.2.1. What differs from run to run and has no field there stands under
`additional_details`, whose values are strings.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from bench.records import Finished
from bench.report.compare import Incomparable, estimated
from bench.report.export import anywhere
from bench.report.read import Key, Records, Run
from bench.report.statistics import LEVEL
from bench.run.provenance import SUITE
from elmo_core.whole_files import write_text
from tasks.base.published import published

VERSION = "0.2.1"
UNKNOWN = "unknown"
METHOD = "jackknife over clusters of examples, Student's t on the log odds (docs/statistics.md)"


def export(records: Records, wanted: Collection[Key], folder: Path) -> None:
    """Write `folder/TASK/RUN_ID.json` for each of the runs `wanted` of the records."""
    for task, run_id in sorted(wanted):
        content = json.dumps(evaluation(records.runs[task, run_id]), indent=2)
        write_text(folder / task / f"{run_id}.json", content + "\n")


def evaluation(run: Run) -> dict[str, Any]:
    """Return a run as one record: every metric of every split, with the interval of the primary."""
    result = run.result
    record = {
        "schema_version": VERSION,
        "evaluation_id": f"{SUITE}/{run.task}/{run.id}",
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": {
            "source_name": SUITE,
            "source_type": "evaluation_run",
            "source_organization_name": UNKNOWN,  # a record names no person and no host
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": SUITE,
            "version": result.versions.get(SUITE, UNKNOWN),
            "additional_details": dict(result.versions),
        },
        "model_info": {
            "name": f"{run.task} with {result.encoder_name}, {result.elmo.placement}",
            "id": f"{SUITE}/{run.id}",
            "additional_details": _details(run),
        },
        "evaluation_results": list(_results(run)),
    }
    if result.provenance:
        record["evaluation_timestamp"] = result.provenance[-1].date
    return record


def _details(run: Run) -> dict[str, str]:
    """Return what the model is: its configuration, seed and mixes, and what it was run on."""
    result = run.result
    found: dict[str, Any] = {
        "seed": result.seed,
        "command": run.command,
        "choice": run.choice,
        "epochs": result.epochs,
        "steps": result.steps,
        "mix": {place: mix.to_json() for place, mix in result.mix.items()},
        "provenance": [each.to_json() for each in result.provenance],
    }
    found = anywhere(found, {run.key})
    texts = {k: v if isinstance(v, str) else json.dumps(v, default=str) for k, v in found.items()}
    return {key: text for key, text in texts.items() if text not in ("null", "{}", "[]")}


def _results(run: Run) -> Iterator[dict[str, Any]]:
    for split, metrics in run.result.metrics.items():
        for metric, score in metrics.items():
            details: dict[str, Any] = {"score": score}
            if metric == run.result.metric and (uncertainty := _uncertainty(run, split)):
                details["uncertainty"] = uncertainty
            yield {
                "evaluation_name": f"{run.task}/{split}/{metric}",
                "source_data": _data(run.result, split),
                "metric_config": {
                    "evaluation_description": f"{metric} on {split}, in percent",
                    "lower_is_better": False,
                    "score_type": "continuous",
                    "min_score": 0.0 if score >= 0 else -100.0,
                    "max_score": 100.0,
                },
                "score_details": details,
            }


def _uncertainty(run: Run, split: str) -> dict[str, Any] | None:
    """Return the interval of one model's score; None where its predictions are not there."""
    try:
        estimate = estimated(run, split)
    except Incomparable:
        return None
    interval = {"lower": estimate.low, "upper": estimate.high, "confidence_level": LEVEL}
    return {
        "confidence_interval": {**interval, "method": METHOD},
        "num_samples": estimate.examples,
    }


def _data(result: Finished, split: str) -> dict[str, Any]:
    """Return where the data comes from: the publisher of a set that has one."""
    details = {"split": split}
    if fingerprint := result.data.get("fingerprint", {}).get(split):
        details["fingerprint"] = str(fingerprint)
    if not result.data.get("dir"):
        for source in published(result.task):
            if result.data_name in (source.name, *source.kinds):
                about = {"dataset_name": source.title, "url": [source.origin]}
                return {**about, "source_type": "url", "additional_details": details}
    name = Path(result.data_name).name  # of a folder, no more than that
    return {"dataset_name": name, "source_type": "other", "additional_details": details}
