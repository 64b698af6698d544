"""The experiment tracker of a run (`logger=csv|tensorboard|wandb`): opened, told, closed.

It hears, under these names, at the step of the epoch (from 1):

    train/loss  lr             of each epoch
    dev/METRIC                 of each epoch
    mix/PLACE/sJ  mix/PLACE/gamma      s and γ of each mix, of each epoch
    test/METRIC  yardsticks/SPLIT/NAME  best_epoch      of the best epoch, when the run is done

A run that goes on is a new one to the tracker: it hears the earlier epochs, too, without mixes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from netrc import NetrcParseError, netrc
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from omegaconf import DictConfig
from pytorch_lightning.loggers import Logger, WandbLogger

from bench.choice import Choice
from bench.errors import ConfigError
from bench.records import Finished
from bench.run.build import instantiate


@contextmanager
def opened(node: DictConfig, folder: Path, choice: Choice) -> Iterator[Logger | None]:
    """Open the logger that `node` names and tell it the choice; close it, however the run ends.

    Args:
        node: `logger` of the configuration; without a `_target_` there is no logger.
        folder: The run's, where the logger keeps its files.
        choice: What is logged as hyperparameters.

    Yields:
        The logger, or None.
    """
    if not node.get("_target_"):
        yield None
        return
    own = {} if node.get("name", "") else {"name": choice.run_id}  # W&B would invent one
    named = own if node["_target_"].endswith(".WandbLogger") else {}
    logger: Logger = instantiate(node, save_dir=str(folder), **named)
    status = "failed"
    try:
        with _wandb_errors():
            logger.log_hyperparams(dict(choice.values))
        yield logger
        status = "success"
    finally:
        logger.finalize(status)
        # A process has one W&B run at a time.
        if isinstance(logger, WandbLogger) and logger._experiment:
            logger.experiment.finish(exit_code=int(status == "failed"))


def missing_package(node: DictConfig) -> str | None:
    """Say in a line that the package of the logger that `node` names is not there."""
    if not str(node.get("_target_")).endswith(".TensorBoardLogger"):
        return None
    if any(map(find_spec, ("tensorboard", "tensorboardX"))):
        return None
    return "logger=tensorboard: not installed: pip install 'elmo-bench[tensorboard]'"


def require(node: DictConfig) -> None:
    """Raise ConfigError where what the logger that `node` names needs is not there.

    On a terminal W&B asks for a key that is missing, and may be told to stay offline.
    """
    if reason := missing_package(node):
        raise ConfigError(reason)
    if missing_login(node):
        import wandb

        with _wandb_errors():
            wandb.login()


def missing(node: DictConfig) -> str | None:
    """Say in a line what the logger that `node` names lacks: its package, or a login."""
    return missing_package(node) or missing_login(node)


WANDB = "api.wandb.ai"
WAY_OUT = "`wandb login`, or logger.offline=true"


def missing_login(node: DictConfig) -> str | None:
    """Say in a line that nobody is logged in, where `node` asks for W&B over the network.

    Nothing is sent: whether a key is right, W&B itself says.
    """
    if not str(node.get("_target_")).endswith(".WandbLogger") or node.offline:
        return None
    import wandb

    settings = wandb.setup().settings
    if settings.mode != "online" or settings.api_key or settings.identity_token_file:
        return None
    hosts = {WANDB, urlsplit(settings.base_url).hostname}
    return None if hosts & _netrc_hosts() else f"logger=wandb: no API key: {WAY_OUT}"


def _netrc_hosts() -> set[str]:
    """Return the hosts to which the user's netrc file, if there is one, has a login."""
    try:
        return set(netrc(Path(os.environ.get("NETRC", "~/.netrc")).expanduser()).hosts)
    except (OSError, NetrcParseError):
        return set()


@contextmanager
def _wandb_errors() -> Iterator[None]:
    """Raise ConfigError, in one line, for what W&B refuses: mostly, that nobody is logged in."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("wandb."):
            raise
        reason = " ".join(str(error).split())
        if "api_key" in reason.lower().replace(" ", "_"):
            reason = "no API key"
        raise ConfigError(f"logger=wandb: {reason}: {WAY_OUT}") from error


def finished(logger: Logger | None, result: Finished) -> None:
    """Tell the logger how a run ended: the scores of its best epoch, at the step of that epoch."""
    if logger is None:
        return
    mixes = {place: mix.to_json() for place, mix in result.mix.items()}
    scores = {"best_epoch": result.best_epoch, **mix_metrics(mixes)}
    for split, metrics in result.metrics.items():
        scores |= split_metrics(split, metrics)
        scores |= split_metrics(f"yardsticks/{split}", result.yardsticks[split])
    logger.log_metrics(scores, step=result.best_epoch)


def split_metrics(split: str, metrics: Mapping[str, float]) -> dict[str, float]:
    """Name the metrics of a split as a logger hears them."""
    return {f"{split}/{name}": value for name, value in metrics.items()}


def mix_metrics(mixes: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Name s and γ of each place, from what `Placement.summary` says."""
    flat: dict[str, float] = {}
    for place, mix in mixes.items():
        flat |= {f"mix/{place}/s{j}": share for j, share in enumerate(mix["weights"])}
        flat[f"mix/{place}/gamma"] = mix["gamma"]
    return flat
