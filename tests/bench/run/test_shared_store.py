"""A run that reads its features from a folder that it cannot write, truly mounted so."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from bench import features
from tests.bench.small import SMALL
from tests.namespaces import isolated

PYTHON = (sys.executable, "-m")


def test_what_is_there_is_read_and_the_rest_goes_to_the_cache(
    small: Callable[..., Path], snli_folder: Path, tmp_path: Path
) -> None:
    shared, cache = tmp_path / "group", tmp_path / "cache"
    run = (*SMALL, f"data.dir={snli_folder}", "training.max_epochs=1")
    part = ("data.train_share=0.05", f"features.dir={shared}", "--splits", "train")
    features.main(["build", *run, *part])
    before = sorted(shared.rglob("*"))
    mine = (f"features.dir={shared}", f"paths.runs={tmp_path / 'mine'}", "features=store")
    done = isolated(
        [*PYTHON, "bench", *run, *mine], read_only=[shared], ELMO_BENCH_CACHE=str(cache)
    )
    assert done.returncode == 0, done.stderr
    assert re.search("features of train, dev.*; 16 distinct, ([1-9]|1[0-5]) of them", done.stderr)
    assert f"beside {before[0]}, which is only read" in done.stderr
    assert sorted(shared.rglob("*")) == before
    (own,) = (cache / "features").iterdir()
    assert own.name == before[0].name
    plain = small("training.max_epochs=1", "features=live")
    (folder,) = (tmp_path / "mine").glob("snli/*")
    results = [json.loads((each / "result.json").read_text()) for each in (folder, plain)]
    assert results[0]["metrics"] == results[1]["metrics"]


def test_it_is_not_thrown_away(small: Callable[..., Path], tmp_path: Path) -> None:
    shared = tmp_path / "group"
    small(f"features.dir={shared}", "training.max_epochs=1")
    (shard, *_) = shared.rglob("*.safetensors")
    shard.write_bytes(b"damaged")
    for words, said in {
        ("prune", "--all", "--yes"): "not ours to throw away, left alone",
        ("verify",): "not removed: Read-only file system",
    }.items():
        command = [*PYTHON, "bench.features", *words, "--dir", str(shared)]
        assert said in isolated(command, read_only=[shared]).stdout
    assert shard.exists()
