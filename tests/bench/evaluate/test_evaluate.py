"""Finished runs on other examples: scores, records, labels, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.errors import ConfigError
from bench.evaluate.labels import check
from tasks.pos import POS
from tests.bench.evaluate.conftest import (
    NER,
    PEOPLE,
    PLACES,
    Evaluate,
    Result,
    home,
    made,
    rows,
    write_names,
)


@pytest.mark.parametrize("which", [0, 1], ids=["input", "none"])
def test_on_its_own_data_a_run_says_what_it_said(
    which: int, runs: list[Path], call: Evaluate, result: Result
) -> None:
    run = runs[which]
    assert call(run, f"data.dir={home(run)}")[0] == 0
    (again,) = made(run)
    for new, old in zip(rows(again), rows(run), strict=True):
        slices = new.pop("slices").items()
        assert slices <= old.pop("slices").items()  # some need the training set
        assert new == old
    now, before = result(again), result(run)
    assert now["metrics"] == before["metrics"]
    assert now["metrics"]["dev"]["f1"] > 50
    assert now["primary"] == before["primary"]
    assert now["elmo"] == before["elmo"]
    assert now.get("encoder") == before.get("encoder")
    prints = before["data"]["fingerprint"]
    assert now["data"]["fingerprint"] == {split: prints[split] for split in ("dev", "test")}
    assert now["evaluation"]["run_id"] == run.name
    assert now["evaluation"]["trained_on"] == before["data"]
    assert now["evaluation"]["head"] == before["files"]["head.safetensors"]
    assert now["provenance"][0]["command"].startswith("python -m bench.evaluate")


def test_other_data_is_scored_as_by_hand(
    runs: list[Path], call: Evaluate, result: Result, tmp_path: Path
) -> None:
    other = write_names(tmp_path / "other", "PER", "LOC", ("dev", "test"))
    assert call(*runs, f"data.dir={other}")[0] == 0
    for run in runs:
        (found,) = made(run)
        scored = result(found)
        for split in ("dev", "test"):
            of_split = [row for row in rows(found) if row["split"] == split]
            assert scored["metrics"][split]["f1"] == pytest.approx(f1(of_split))
            assert len(of_split) == scored["counts"][split] == 12
            assert all(row["cluster"] == row["id"] for row in of_split)
        assert scored["data"]["dir"] == str(other)
        assert "history" in scored
        assert scored["history"] == []


def test_a_folder_may_hold_a_test_set_alone(
    runs: list[Path], call: Evaluate, result: Result, tmp_path: Path
) -> None:
    other = write_names(tmp_path / "other", "PER", "LOC", ("test",))
    status, said = call(runs[0], f"data.dir={other}")
    assert status == 0, said
    assert "no dev file: it is left out" in said
    assert [*result(made(runs[0])[0])["metrics"]] == ["test"]
    assert call(runs[0], f"data.dir={tmp_path}")[0] == 2
    assert call(runs[0], f"data.dir={other}", "--split", "dev")[0] == 2


def test_trivial_baselines_know_the_training_of_the_run(
    runs: list[Path], call: Evaluate, result: Result, tmp_path: Path
) -> None:
    """On names of its training they are what they were there; on others each word is new."""
    own, new = home(runs[0]), write_names(tmp_path / "new", "PER", "LOC", ("dev",))
    text = (new / "dev.txt").read_text()
    for name in (*PLACES, *PEOPLE):
        text = text.replace(name, f"X{name.lower()}")
    (new / "dev.txt").write_text(text)
    _, said = call(runs[0], f"data.dir={own}")
    known = result(runs[0])["yardsticks"]
    assert known["dev"]["each word's usual tag"] == 100
    (again,) = made(runs[0])
    assert result(again)["yardsticks"] == known
    assert "each word's usual tag 100.00" in said
    assert call(runs[1], f"data.dir={new}")[0] == 0
    (other,) = made(runs[1])
    assert result(other)["yardsticks"]["dev"]["each word's usual tag"] == 0


def test_trivial_baselines_are_left_out_without_the_training_of_the_run(
    runs: list[Path], call: Evaluate, result: Result, tmp_path: Path
) -> None:
    other = write_names(tmp_path / "other", "PER", "LOC", ("dev",))
    moved = Path(home(runs[0])).rename(tmp_path / "moved")
    try:
        status, said = call(runs[0], f"data.dir={other}")
    finally:
        moved.rename(home(runs[0]))
    assert status == 0
    assert "no trivial baselines" in said
    (found,) = made(runs[0])
    assert result(found)["yardsticks"] == {}


def f1(found: list[dict[str, Any]]) -> float:
    """Every name of this data is one token long, but a prediction may be longer."""

    def names(tags: list[str]) -> Iterator[tuple[int, int, str]]:
        begin = 0
        for i, tag in enumerate([*tags, "O"]):
            before = tags[i - 1] if i else "O"
            if before != "O" and tag != f"I-{before[2:]}":
                yield begin, i, before[2:]
            if tag != "O" and (tag[0] == "B" or before == "O"):
                begin = i

    gold = {(row["id"], *name) for row in found for name in names(row["gold"])}
    predicted = {(row["id"], *name) for row in found for name in names(row["prediction"])}
    return 200 * len(gold & predicted) / max(len(gold) + len(predicted), 1)


def test_under_noise_a_trial_run_is_scored_on_the_examples_that_it_had(
    runs: list[Path], bench: Callable[..., int], call: Evaluate, tmp_path: Path
) -> None:
    words = (*NER, f"data.dir={home(runs[0])}", f"paths.runs={tmp_path / 'trial'}")
    assert bench(*words, "elmo.placement=none", "trainer.limit_batches=1") == 0
    (trial,) = (tmp_path / "trial" / "ner").iterdir()
    status, said = call(trial, "--noise", "typos=0.5")[:2]
    assert status == 0
    assert "saw 1 batch of each split only: a trial" in said
    (noisy,) = made(trial)
    had = [(row["split"], row["id"]) for row in rows(trial)]
    assert [(row["split"], row["id"]) for row in rows(noisy)] == had
    assert len(had) == 8  # a batch of four of each of two splits


def test_a_repeat_shows_what_is_there(runs: list[Path], call: Evaluate, tmp_path: Path) -> None:
    other = write_names(tmp_path / "other", "PER", "LOC", ("dev",))
    assert call(runs[0], f"data.dir={other}")[0] == 0
    (found,) = made(runs[0])
    written = (found / "result.json").stat().st_mtime_ns
    moved = other.rename(tmp_path / "moved")
    status, said = call(runs[0], f"data.dir={moved}")
    assert status == 0
    assert "finished earlier" in said
    assert (found / "result.json").stat().st_mtime_ns == written
    assert call(runs[0], f"data.dir={moved}", "--force")[0] == 0
    assert (found / "result.json").stat().st_mtime_ns > written
    assert made(runs[0]) == [found]
    (moved / "dev.txt").write_text("Omar B-PER\n. O\n")
    assert call(runs[0], f"data.dir={moved}")[0] == 0
    assert len(made(runs[0])) == 2


def test_a_repeat_that_fails_leaves_the_old_one(
    runs: list[Path], call: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (runs[0], f"data.dir={home(runs[0])}", "--split", "dev")
    assert call(*words)[0] == 0
    (found,) = made(runs[0])
    before = {path.name: path.read_bytes() for path in found.glob("*.json*")}

    def stop(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bench.evaluate.evaluate._Evaluation._scored", stop)
    status, said = call(*words, "--force")
    assert status == 2
    assert "disk full" in said
    assert {path.name: path.read_bytes() for path in found.glob("*.json*")} == before


def test_a_run_that_was_repeated_is_scored_anew(
    runs: list[Path], call: Evaluate, result: Result
) -> None:
    words = (runs[0], f"data.dir={home(runs[0])}", "--split", "dev")
    assert call(*words)[0] == 0
    (found,) = made(runs[0])
    text = (found / "result.json").read_text()
    head = result(runs[0])["files"]["head.safetensors"]
    (found / "result.json").write_text(text.replace(head, "0" * 64))
    assert "finished earlier" not in call(*words)[1]
    assert result(found)["evaluation"]["head"] == head


def test_a_run_on_random_labels_has_nothing_to_score_on_other_data(
    runs: list[Path], call: Evaluate
) -> None:
    config = runs[0] / "config.yaml"
    text = config.read_text()
    assert "control: false" in text
    config.write_text(text.replace("control: false", "control: true"))
    status, said = call(runs[0], f"data.dir={home(runs[0])}")
    assert status == 2
    assert f"error: {runs[0]} has learned a control task's labels (data.control=true)" in said
    assert not made(runs[0])


def test_labels_must_meet_or_be_mapped(
    runs: list[Path], call: Evaluate, result: Result, tmp_path: Path
) -> None:
    other = write_names(tmp_path / "other", "person", "place", ("dev",))
    words = (runs[0], f"data.dir={other}", "--split", "dev")
    status, said = call(*words)
    assert status == 2
    assert "error: 2 labels that the run was not trained on: person, place (it knows LOC, PER)" in (
        said
    )
    assert not made(runs[0])
    status, said = call(*words, "--map", "PER=person", "--map", "plaice=LOC")
    assert status == 2
    assert "--map plaice=LOC: no label 'plaice'; did you mean 'place'?" in said
    status, said = call(*words, "--map", "PER=person")
    assert "1 label that the run was not trained on: place" in said
    assert call(*words, "--map", "PER=person", "--map", "place=LOC")[0] == 0
    (mapped,) = made(runs[0])
    same = write_names(tmp_path / "same" / "other", "PER", "LOC", ("dev",))
    assert call(runs[0], f"data.dir={same}", "--split", "dev")[0] == 0
    (plain,) = set(made(runs[0])) - {mapped}
    assert result(mapped)["metrics"]["dev"]["f1"] == result(plain)["metrics"]["dev"]["f1"] > 50
    assert result(mapped)["evaluation"]["names"] == {"PER": "person", "place": "LOC"}
    assert {t for row in rows(mapped) for t in row["gold"]} == {"O", "B-person", "B-LOC"}
    assert call(*words, "--map", "person=person", "--map", "place=LOC")[0] == 0
    (missed,) = set(made(runs[0])) - {mapped, plain}
    assert {t for row in rows(missed) for t in row["gold"]} == {"O", "B-person", "B-LOC"}
    assert not any("person" in t for row in rows(missed) for t in row["prediction"])


REFUSED = {
    "no run": (lambda run: ["data.dir=x"], "no RUN is named"),
    "no data": (lambda run: [run], "no data is named: give data.dir=FOLDER"),
    "another key": (lambda run: [run, "seed=2"], "seed=2: only data, data.dir, data.set"),
    "no folder": (lambda run: [run, "data.dir=/no/such"], "data.dir: no folder /no/such"),
    "no such set": (lambda run: [run, "data.set=wnut71"], "wnut71"),
    "gone, no data": (lambda run: [run.parent / "gone"], "gone is no finished run"),
    "gone": (lambda run: [run.parent / "gone", "data=mini"], "gone is no finished run"),
    "a noise": (lambda run: [run, "--noise", "typso=0.1"], "unknown; did you mean 'typos'?"),
    "its share": (lambda run: [run, "--noise", "typos=2"], "typos=2.0: must be from 0 to 1"),
    "no share": (lambda run: [run, "--noise", "typos"], "--noise typos: expected KIND=SHARE"),
    "two maps": (
        lambda run: [run, "data=mini", "--map", "PER=A", "--map", "PER=B"],
        "--map PER=B: PER is read as A already",
    ),
    "a map": (lambda run: [run, "data=mini", "--map", "PER"], "--map PER: expected FROM=TO"),
    "a map under noise": (
        lambda run: [run, "--noise", "typos=0.1", "--map", "PRE=X"],
        "--map PRE=X: no label 'PRE'",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_is_one_line(what: str, runs: list[Path], call: Evaluate) -> None:
    words, message = REFUSED[what]
    status, said = call(*words(runs[0]))
    assert status == 2
    assert message in said
    assert "Traceback" not in said
    assert not made(runs[0])


def test_an_evaluation_is_no_run(runs: list[Path], call: Evaluate) -> None:
    data = f"data.dir={home(runs[0])}"
    assert call(runs[0], data, "--split", "dev")[0] == 0
    (found,) = made(runs[0])
    assert f"is an evaluation of {runs[0].name}: name that run" in call(found, data)[1]


def test_a_damaged_head_is_told(runs: list[Path], call: Evaluate) -> None:
    with (runs[0] / "head.safetensors").open("ab") as file:
        file.write(b"0")
    status, said = call(runs[0], f"data.dir={home(runs[0])}")
    assert status == 2
    assert "head.safetensors: damaged" in said
    assert not [path for path in made(runs[0]) if (path / "result.json").exists()]


def test_only_spans_can_be_left_out() -> None:
    task = POS()
    task.tags = ["NN"]
    with pytest.raises(ConfigError, match="--map FW=O: leaves out spans, and O is no label here"):
        check(task, [{"tags": ["FW"]}], {"FW": "O"})
