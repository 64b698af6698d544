"""A run that was finished before is shown, not repeated. No torch here."""

from __future__ import annotations

from omegaconf import DictConfig

from bench.choice import Choice
from bench.records import Finished
from bench.run import panel
from bench.run.contents import chosen, of_old
from bench.run.record import Record
from bench.world import ALL, started_together, world_size


def of_one_process(cfg: DictConfig) -> Finished | None:
    """Show and return what a run gave before; None where it is to be done, or several do it."""
    devices = cfg.trainer.devices
    if cfg.force or devices in ALL or started_together() or world_size(cfg.trainer) > 1:
        return None
    return shown(cfg, *chosen(cfg))


def shown(cfg: DictConfig, choice: Choice, record: Record) -> Finished | None:
    """Show and return what the run gave before; None where it is to be done."""
    if cfg.force or (result := record.finished()) is None:
        return None
    logs = ", and logs it" if cfg.logger.get("_target_") else ""
    note = f"finished earlier{of_old(result, choice)}; force=true repeats it{logs}"
    panel.show(result, record.folder, note, cfg.trainer.limit_batches)
    return result
