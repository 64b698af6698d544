"""A model's name on the hub becomes a commit: by the hub, or by what was fetched before."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import HfApi

from elmo_core.downloads.fetch import downloads_off
from elmo_core.encoders.hub import commit
from elmo_core.errors import WeightsError

NAME, SHA = "google-bert/bert-base-cased", "cd5ef92a9fb2f889e972770a36d4ed042daf221e"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    return tmp_path


def fetched(cache: Path, revision: str) -> None:
    known = cache / "models--google-bert--bert-base-cased" / "refs" / revision
    known.parent.mkdir(parents=True)
    known.write_text(SHA)


def no_network(*_: Any, **__: Any) -> None:
    raise ConnectionError("no network")


def test_the_hub_is_asked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(self: HfApi, model: str, *, revision: str, timeout: float) -> SimpleNamespace:
        return SimpleNamespace(sha=f"{model} at {revision}")

    monkeypatch.setattr(HfApi, "model_info", told)
    assert commit(NAME) == f"{NAME} at main"
    assert commit(NAME, "v2") == f"{NAME} at v2"


def test_without_a_network_the_cache_is(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HfApi, "model_info", no_network)
    with pytest.raises(WeightsError, match=f"hf download {NAME}"):
        commit(NAME)
    fetched(cache, "main")
    assert commit(NAME) == SHA
    with pytest.raises(WeightsError, match=f"hf download {NAME}"):
        commit(NAME, "v2")


@pytest.mark.parametrize("off", ["HF_HUB_OFFLINE", "downloads_off"])
def test_nobody_is_asked_offline(cache: Path, monkeypatch: pytest.MonkeyPatch, off: str) -> None:
    monkeypatch.setattr(HfApi, "model_info", lambda *_, **__: pytest.fail("asked the hub"))
    fetched(cache, "main")
    if off == "downloads_off":
        with downloads_off():
            assert commit(NAME) == SHA
    else:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        assert commit(NAME) == SHA
