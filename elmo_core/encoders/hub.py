"""The commit that a model's name on huggingface.co means now. No torch here."""

from __future__ import annotations

import logging
from pathlib import Path

from elmo_core.downloads.fetch import downloads_are_off
from elmo_core.errors import WeightsError
from elmo_core.packages import needed

log = logging.getLogger(__name__)

SECONDS = 10.0
"""How long the hub may take to answer."""


def commit(model: str, revision: str | None = None) -> str:
    """Return the commit that a branch or tag of a model stands for.

    The hub is asked; where it cannot be reached, or must not be, the local cache.

    Args:
        model: its name on the hub, such as `google-bert/bert-base-cased`.
        revision: the branch or tag; by default `main`.

    Returns:
        The commit, 40 hexadecimal digits.

    Raises:
        WeightsError: the hub has no such model or revision, or it does not answer and the cache
            does not know the model either.
    """
    with needed("huggingface_hub", "a model of the hub"):
        from huggingface_hub import HfApi, constants
        from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
    branch = revision or "main"
    if not (constants.HF_HUB_OFFLINE or downloads_are_off()):
        try:
            found = HfApi().model_info(model, revision=branch, timeout=SECONDS).sha
            if found:
                return str(found)
        except (RepositoryNotFoundError, RevisionNotFoundError) as error:
            raise WeightsError(f"{model}: huggingface.co has no {branch!r} of it") from error
        except Exception:  # no network, by the name that it has in one HTTP library or another
            log.info("huggingface.co does not answer: looking for %s in the cache", model)
    folder = f"models--{model.replace('/', '--')}"
    known = Path(constants.HF_HUB_CACHE) / folder / "refs" / branch
    if known.is_file():
        return known.read_text(encoding="utf-8").strip()
    raise WeightsError(
        f"{model}: no such folder here, not in {constants.HF_HUB_CACHE}, and "
        f"huggingface.co is not asked or does not answer: `hf download {model}` where there is a "
        "network, or give the model's folder"
    )
