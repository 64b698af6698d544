"""Score finished runs on other examples, each by the steps that scored it on its own."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path

import pytorch_lightning as pl
from datasets import Dataset
from omegaconf import DictConfig

from bench.choice import Choice
from bench.console import said_in
from bench.errors import RunError
from bench.evaluate import PROGRAM
from bench.evaluate.asked import Asked, command, evaluation_id
from bench.evaluate.labels import check
from bench.evaluate.trivial import yardsticks
from bench.noise import Noise
from bench.records import Evaluation, Finished, Primary, Sitting
from bench.run import features
from bench.run.build import placement_of
from bench.run.datamodule import BenchData
from bench.run.derived import recorded
from bench.run.module import BenchModule
from bench.run.predictions import scored
from bench.run.provenance import sitting
from bench.run.record import HEAD, Record, outcome, trained_run
from bench.run.trained import configuration, load_head, reading, restored, same_encoder
from bench.run.trainer import trainer_of
from bench.run.trust import packages
from elmo_core.store.feature_store import FeatureStore
from tasks.task import Example

log = logging.getLogger(__name__)


def evaluate(
    folders: Sequence[Path],
    asked: Asked,
    stores: dict[str, FeatureStore],
    *,
    force: bool = False,
    trusted: Sequence[str] = (),
) -> list[Finished]:
    """Score and record each run, or show what was recorded before.

    Args:
        folders: Folders of finished runs.
        asked: What they are scored on.
        stores: Those of encoders that were loaded before, to which more are added.
        force: Repeat evaluations that are there. Until the new one is whole, the old one stays.
        trusted: Packages whose classes the runs may name.

    Returns:
        The results, in the order of the runs.

    Raises:
        RunError: A folder holds no finished run, or the labels of its run are a control task's,
            which other data does not have.
        DataError: The data cannot be read, or has labels that the run was not trained on.
        ConfigError: A label that gets another name occurs nowhere.
    """
    return [_Evaluation(folder, asked, stores, trusted).done(force=force) for folder in folders]


class _Evaluation:
    """One run on other examples, and the parts that its steps share."""

    def __init__(
        self, folder: Path, asked: Asked, stores: dict[str, FeatureStore], trusted: Sequence[str]
    ) -> None:
        self.folder, self.asked, self.stores = folder, asked, stores
        self.run = trained_run(folder)
        if HEAD not in self.run.files:
            raise RunError(f"{folder}: an earlier version wrote it, without checksums: repeat it")
        self.cfg = configuration(folder, trusted)
        self.own = deepcopy(self.cfg)
        if asked.data is not None:
            if self.cfg.data.control:
                raise RunError(
                    f"{folder} has learned a control task's labels (data.control=true), drawn for "
                    "the data that it was trained on: on other data there is nothing to score"
                )
            self.cfg.data = {**asked.data, "train_share": self.cfg.data.train_share}
        if self.cfg.trainer.accelerator != "cpu":
            self.cfg.trainer.accelerator = "auto"  # it may have been another machine's
        if asked.noise is not None:
            self.cfg.features.mode = "live"  # nothing else will ask for these sentences
        self.task = restored(folder, self.cfg)
        self.data = BenchData.of(self.cfg, self.task)
        self.clusters: dict[str, dict[str, str]] = {}  # by split and id, before any noise
        self.changed = 0.0  # the share of their words that are

    def done(self, *, force: bool) -> Finished:
        """Return the result, which is recorded now or was before."""
        with said_in():
            self._read()
        name = evaluation_id(self.run.run_id, self.asked, self.data.fingerprints)
        record = Record(self.folder.parent / name)
        return recorded(
            record,
            lambda: self._made(record),
            lambda result: result.evaluation == self._evaluation(),
            force=force,
            limit_batches=self.cfg.trainer.limit_batches,
        )

    def _read(self) -> None:
        """Read the examples, and compare their labels with those of training."""
        own = self.asked.data is None
        with reading(self.folder, self.cfg, "data") if own else nullcontext():
            for split in self.asked.splits:
                if self._lacks(split) or self.data.split(split) is None:
                    log.info("no %s file: it is left out", split)
                    self.data.splits.pop(split, None)
        if not self.data.splits:
            raise RunError(f"the data has no {' and no '.join(self.asked.splits)} split to score")
        examples = (example for split in self.data.splits.values() for example in split or ())
        known = self.run.data.get("fingerprint") or self.data.fingerprints  # an old record has none
        if own and self.data.fingerprints.items() - known.items():
            raise RunError(f"{self.folder}: the data has changed since the run: repeat the run")
        if self.asked.names or not own:
            check(self.task, examples, self.asked.names, own)
        if self.asked.noise is not None:
            self._respell(self.asked.noise)

    def _lacks(self, split: str) -> bool:
        """Return whether data of the user's has another split that is asked for, but not this."""
        there = {each: bool(self.task.paths(each)) for each in self.asked.splits}
        return self.asked.data is not None and not there[split] and any(there.values())

    def _respell(self, noise: Noise) -> None:
        """Spell the words of all examples otherwise; they stay in their clusters."""
        seen = changed = 0

        def respell(words: Sequence[str]) -> list[str]:
            nonlocal seen, changed
            new = noise(words)
            seen += len(words)
            changed += sum(a != b for a, b in zip(words, new, strict=True))
            return new

        for split, examples in self.data.splits.items():
            assert examples is not None
            self.clusters[split] = {row["id"]: self.task.cluster(row) for row in examples}
            try:
                rows = [self.task.respelled(row, respell) for row in examples]
            except NotImplementedError as reason:
                name = self.cfg.task["name"]
                raise RunError(f"{name} has no examples under noise: {reason}") from None
            self.data.splits[split] = Dataset.from_list(rows, features=examples.features)
        self.changed = round(changed / max(seen, 1), 4)
        log.info("%s: %.1f %% of all words are changed", noise, 100 * self.changed)

    def _made(self, record: Record) -> Finished:
        """Score the run, then write what came of it, the result last."""
        log.info("%s on %s", self.folder, ", ".join(self.data.splits))
        with reading(self.folder, self.cfg, "encoder"):
            self.data.store = features.shared_store(self.cfg, self.stores)
        encoder = self.data.store.encoder if self.data.store else None
        same_encoder(self.folder, encoder)
        module = BenchModule(
            self.task, placement_of(self.cfg, encoder), self.cfg.training, self.cfg.seed
        )
        load_head(self.folder, module.model)
        trainer = _trainer(self.cfg, own_data=self.asked.data is None)
        metrics, predictions, timing = {}, [], {}
        for split in self.data.splits:
            started = time.perf_counter()
            metrics[split], rows = self._scored(trainer, module, split)
            predictions += [{"split": split, **row} for row in rows]
            timing[f"{split}_s"] = round(time.perf_counter() - started, 2)
        result = self._result(record, metrics, timing, sitting(trainer, PROGRAM))
        record.write_predictions(predictions)
        record.write_config(self.cfg)
        record.write_environment()
        result = replace(result, files=record.checksums())
        record.write_result(result)
        return result

    def _scored(
        self, trainer: pl.Trainer, module: BenchModule, split: str
    ) -> tuple[dict[str, float], list[Example]]:
        """Return the metrics and the predictions of a split, labels under their new names."""
        if self.data.store is not None:
            features.fill(self.cfg, self.data.store, self.data, split)
        score = trainer.validate if split == "dev" else trainer.test
        score(module, datamodule=self.data, verbose=False)
        rows = module.predictions
        if split in self.clusters:
            rows = [{**row, "cluster": self.clusters[split][row["id"]]} for row in rows]
        if not self.asked.names:
            return module.metrics, rows
        rows = [self.task.renamed(row, self.asked.names) for row in rows]
        return scored(self.task, rows), rows

    def _result(
        self,
        record: Record,
        metrics: dict[str, dict[str, float]],
        timing: dict[str, float],
        worked: Sitting,
    ) -> Finished:
        """Return a result as a run's; nothing was trained, so there are no epochs and no mix."""
        choice, run = Choice.of(self.cfg), self.run
        return outcome(
            Finished,
            choice,
            run_id=record.folder.name,
            data={**choice.values["data"], "fingerprint": self.data.fingerprints},
            evaluation=self._evaluation(),
            elmo=run.elmo,
            encoder=run.encoder,
            metrics=metrics,
            yardsticks=self._yardsticks(),
            primary=Primary.of(self.task.metric, metrics),
            epochs=0,
            best_epoch=0,
            history=[],
            provenance=[worked],
            timing=timing,
            counts={
                **{split: len(self.data.examples(split)) for split in metrics},
                "trainable_parameters": run.counts["trainable_parameters"],
            },
            command=command(self.folder, self.asked, packages(self.cfg)),
        )

    def _yardsticks(self) -> dict[str, dict[str, float]]:
        """Return the scores of trivial baselines, which know no new names and no noise."""
        if self.asked.data is None or self.asked.names or self.asked.noise is not None:
            return {}
        examples = {split: self.data.examples(split) for split in self.data.splits}
        return yardsticks(self.folder, self.run, self.own, examples)

    def _evaluation(self) -> Evaluation:
        """Say which run is scored, and how labels and words are read."""
        noise = self.asked.noise
        return Evaluation(
            run_id=self.run.run_id,
            head=self.run.files[HEAD],
            trained_on=self.run.data,
            names=self.asked.names,
            noise=None if noise is None else {**asdict(noise), "changed": self.changed},
        )


def _trainer(cfg: DictConfig, own_data: bool) -> pl.Trainer:
    """Make what scores as the run was scored, in one process; as many batches of its own data."""
    limit = cfg.trainer.limit_batches if own_data else None
    return trainer_of(
        cfg,
        [],
        devices=1,
        limit_val_batches=limit,
        limit_test_batches=limit,
        logger=False,
        enable_checkpointing=False,
    )
