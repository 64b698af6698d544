"""Published sets: what is known of each, and what their files hold."""

from __future__ import annotations

import re
import tarfile
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path

import pytest

import tasks
from tasks.base.folder_task import FolderTask
from tasks.base.published import SPLITS, File, Source, choose, published
from tasks.ner.sources import SOURCES as NER
from tasks.ner.sources import WHOLE, WIKIGOLD, WNUT17
from tasks.task import DataError
from tests.conftest import shared

TASKS = tasks.names()
ALL = published()

# --- what is known


def test_every_task_with_published_sets_has_an_open_one_and_the_paper_s() -> None:
    for task in TASKS:
        sources = _class_of(task).sources
        assert all(choose(sources, kind) in ALL for kind in ("open", "paper") if sources)
    names = [source.folder(Path()) for source in ALL]
    assert len(set(names)) == len(names)


def test_nothing_can_be_left_out() -> None:
    for kind in (Source, File):
        assert all(f.default is f.default_factory is MISSING and f.kw_only for f in fields(kind))
    known = {f.name: getattr(WNUT17, f.name) for f in fields(Source)}
    for name in known:
        with pytest.raises(TypeError, match=name):
            Source(**{key: value for key, value in known.items() if key != name})


@pytest.mark.parametrize("source", ALL, ids=lambda s: f"{s.task}/{s.name}")
def test_the_facts_hold_together(source: Source) -> None:
    task = _class_of(source.task)
    assert source.metric == task.metric
    assert source in task.sources
    assert all((source.title, source.origin, source.version, source.licence, source.citation))
    assert set(source.kinds) <= {"open", "paper"}
    assert (source.obtain is None) == bool(source.files)
    assert set(source.counts) <= {*SPLITS, WHOLE}
    for file in source.files:
        pinned = re.search(r"hf://.*@([0-9a-f]{40})/|github[^/]*/.*/([0-9a-f]{7,40})[./]", file.url)
        assert pinned or file.sha256, file.url
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256 or "0" * 64)


def _class_of(task: str) -> type[FolderTask]:
    module = import_module(f"tasks.{task}")
    (found,) = (c for n in module.__all__ if issubclass(c := getattr(module, n), FolderTask))
    return found


def test_sets_are_chosen_by_name_or_by_what_they_serve_as() -> None:
    assert choose(NER, "open") is WNUT17
    assert choose(NER, "wikigold") is WIKIGOLD
    with pytest.raises(DataError, match=r"'wikigolt'; did you mean 'wikigold'\?: there is wnut17"):
        choose(NER, "wikigolt")


# --- what is counted

FOLDERS = {
    "ner/wnut17": "ner/wnut17",
    "ner/wikigold": "ner/wikigold",
    "srl/propbank-ewt": "srl/propbank-ewt",
    "coref/ontogum": "coref/ontogum",
    "coref/litbank": "coref/litbank",
    "sst5/sst5": "sst5",
    "snli/snli": "snli",
    "squad/squad": "squad",
    "pos/ud-ewt": "pos/ud-ewt",
}
SUBSETS = {("snli/snli", "train"), ("squad/squad", "train"), ("squad/squad", "dev")}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for name in sorted({path.split("/")[0] for path in FOLDERS.values()}):
        with tarfile.open(shared(f"data/{name}.tar.xz")) as archive:
            archive.extractall(folder, filter="data")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_counts_are_those_of_the_real_files(name: str, collection: Path) -> None:
    (source,) = (s for s in ALL if f"{s.task}/{s.name}" == name)
    for split, expected in source.counts.items():
        found = source.count(collection / FOLDERS[name], split)
        if split == "test":
            assert found is None
            continue
        assert found is not None
        if (name, split) in SUBSETS:
            assert all(found.counts[figure] < number for figure, number in expected.items())
        else:
            assert dict(found.counts) == expected
