"""Training that goes on from a trained model: from an encoder, or on a task's text."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from elmo_core import load_encoder
from elmo_core.bilm.options import Options
from elmo_core.errors import OptionsError, WeightsError
from elmo_core.pretraining import folder
from elmo_core.pretraining.corpus import Window
from elmo_core.pretraining.errors import TrainingError
from elmo_core.pretraining.export import export
from elmo_core.pretraining.finetune import finetune
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.prepare import VOCABULARY
from elmo_core.pretraining.progress import read_log
from elmo_core.pretraining.settings import Training
from elmo_core.pretraining.train import train
from tests.elmo_core.pretraining.conftest import EVERY, state


def test_a_training_starts_from_an_encoder(
    run: Callable[..., None],
    trained: Callable[[Path], Path],
    prepared: Path,
    options: Options,
    training: Training,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its first step is the encoder's own; to resume it, the same encoder is asked for."""
    first, second, other = (tmp_path / name for name in ("first", "second", "other"))
    trained(first)
    given = folder.load(first)[0].bilm.state_dict()

    def go_on(start: Path) -> None:
        train(prepared, second, options, training, start=start, every=EVERY, accelerator="cpu")

    seen = []
    original = PretrainingModule.training_step

    def noted(self: PretrainingModule, window: Window, index: int) -> torch.Tensor:
        seen.append({k: v.clone() for k, v in self.model.bilm.state_dict().items()})
        return original(self, window, index)

    monkeypatch.setattr(PretrainingModule, "training_step", noted)
    go_on(first)
    assert all(torch.equal(seen[0][name], tensor) for name, tensor in given.items())
    assert any(not torch.equal(seen[-1][name], tensor) for name, tensor in given.items())
    run(other, seed=7)
    with pytest.raises(TrainingError, match="start = "):
        go_on(other)


def test_an_encoder_of_another_shape_is_no_start(
    prepared: Path, options: Options, training: Training, tmp_path: Path
) -> None:
    with pytest.raises(OptionsError, match="elmo-mini: a biLM of another shape"):
        train(prepared, tmp_path, options, training, start="elmo-mini")


def test_finetuning_helps_on_the_task_and_leaves_the_model_alone(
    run: Callable[..., None], tmp_path: Path
) -> None:
    run(tmp_path / "model", every=60, epochs=0.5)
    before = state(tmp_path / "model")
    for name, count in (("train", 300), ("dev", 50)):
        (tmp_path / name).write_text("a tree sees a zebra .\nthe mouse hears a dog .\n" * count)
    worse, better = finetune(
        tmp_path / "model", [tmp_path / "train"], [tmp_path / "dev"], tmp_path / "tuned"
    )
    assert better.average < worse.average / 2
    _, vocabulary, kept = folder.load(tmp_path / "tuned")
    assert "zebra" not in vocabulary.ids
    assert kept == Training.parse({**vars(kept), "epochs": 1.0})
    assert (
        load_encoder(tmp_path / "tuned").fingerprint != load_encoder(tmp_path / "model").fingerprint
    )
    assert all(torch.equal(t, before[name]) for name, t in state(tmp_path / "model").items())


def test_finetuning_into_the_model_itself_is_refused(
    trained: Callable[[Path], Path], text: Path, tmp_path: Path
) -> None:
    out = trained(tmp_path / "model")
    (out / "last.ckpt").unlink()
    before = state(out)
    with pytest.raises(OptionsError, match="the model itself would be overwritten"):
        finetune(out, [text], [text], tmp_path / "x" / ".." / "model")
    assert all(torch.equal(t, before[name]) for name, t in state(out).items())


def test_finetuning_into_a_corpus_is_refused(
    run: Callable[..., None],
    trained: Callable[[Path], Path],
    prepared: Path,
    text: Path,
    tmp_path: Path,
) -> None:
    """The model's vocabulary has the name of the corpus's own."""
    model = trained(tmp_path / "model")
    before = (prepared / VOCABULARY).read_bytes()
    with pytest.raises(OptionsError, match="a prepared corpus, whose vocabulary"):
        finetune(model, [text], [text], prepared)
    with pytest.raises(OptionsError, match="a prepared corpus, whose vocabulary"):
        run(prepared)
    assert (prepared / VOCABULARY).read_bytes() == before


@pytest.mark.parametrize("name", folder.FILES)
def test_what_is_no_model_is_told(
    trained: Callable[[Path], Path], tmp_path: Path, name: str
) -> None:
    trained(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(
        WeightsError, match=rf"`train` or `finetune` made \(no {name}\).*no softmax"
    ):
        folder.load(tmp_path)


def test_training_where_a_published_encoder_lies_is_refused(
    run: Callable[..., None], trained: Callable[[Path], Path], text: Path, tmp_path: Path
) -> None:
    model = trained(tmp_path / "model")
    published = tmp_path / "published"
    export(model, published)
    before = (published / folder.OPTIONS).read_bytes()
    with pytest.raises(OptionsError, match="in the published layout"):
        run(published)
    with pytest.raises(OptionsError, match="in the published layout"):
        finetune(model, [text], [text], published)
    assert (published / folder.OPTIONS).read_bytes() == before


def test_an_export_where_another_published_encoder_lies_is_refused(
    trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    model = trained(tmp_path / "model")
    published = tmp_path / "published"
    for _ in range(2):  # its own place is taken anew
        export(model, published)
    (published / "weights.hdf5").rename(published / "other_weights.hdf5")
    (published / folder.OPTIONS).write_text("theirs")
    with pytest.raises(OptionsError, match=r"published layout, whose options\.json"):
        export(model, published)
    assert (published / folder.OPTIONS).read_text() == "theirs"
    assert not (published / "weights.hdf5").exists()


def test_a_model_without_its_checkpoint_is_set_aside(
    run: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever deletes what is large, and gives the same command again, does not lose the model."""
    out = tmp_path / "out"
    made = []
    for seed in (1, 2, 3):
        run(out, seed=seed)
        made.append(load_encoder(out).fingerprint)
        (out / "last.ckpt").unlink()
    assert len(set(made)) == 3
    assert "what was here is now in earlier-2/" in capsys.readouterr().err
    for n, fingerprint in enumerate(made[:2], 1):
        aside = out / f"earlier-{n}"
        assert load_encoder(aside).fingerprint == fingerprint
        assert folder.load(aside)[2].seed == n  # it can be evaluated, and trained further
        assert len(read_log(aside)) == len(read_log(out))


@pytest.mark.parametrize("name", folder.FILES)
@pytest.mark.parametrize("damaged", [False, True])
def test_a_finished_model_that_is_gone_or_damaged_is_written_again(
    run: Callable[..., None],
    trained: Callable[[Path], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    damaged: bool,
) -> None:
    trained(tmp_path)
    before = state(tmp_path)
    if damaged:
        (tmp_path / name).write_text("{")
    else:
        (tmp_path / name).unlink()
    run(tmp_path)
    assert "damaged: the model is written again from last.ckpt" in capsys.readouterr().err
    assert all(torch.equal(t, before[key]) for key, t in state(tmp_path).items())
    run(tmp_path)
    assert "written again" not in capsys.readouterr().err


def test_steps_of_a_training_that_is_gone_are_set_aside(
    run: Callable[..., None], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run(out, keep=[1, 2])
    before = load_encoder(f"{out}@2").fingerprint
    (out / "last.ckpt").unlink()
    run(out, keep=[1], seed=2)
    with pytest.raises(WeightsError, match=r"kept were 1$"):
        load_encoder(f"{out}@2")
    assert load_encoder(f"{out / 'earlier-1'}@2").fingerprint == before


def test_another_precision_is_told(
    prepared: Path,
    options: Options,
    training: Training,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elmo_core.lightning.multiplies_bfloat16", lambda: True)

    def go(precision: str, epochs: float) -> str:
        longer = replace(training, epochs=epochs)
        train(prepared, tmp_path, options, longer, accelerator="cpu", precision=precision)
        return capsys.readouterr().err

    assert "goes on" not in go("bf16-mixed", 0.05) + go("bf16-mixed", 0.1)
    assert re.search(r"trained in bf16-mixed for \d+ steps, goes on in 32-true", go("32-true", 0.2))


def test_finetuning_goes_on_with_the_same_model_and_text_alone(
    run: Callable[..., None], trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    trained(tmp_path / "model")
    run(tmp_path / "other", seed=7)
    shutil.copytree(tmp_path / "model", tmp_path / "other softmax")
    shutil.copy(tmp_path / "other" / folder.SOFTMAX, tmp_path / "other softmax")
    for name, noun in (("text", "tree"), ("same", "tree"), ("of equal length", "bird")):
        (tmp_path / name).write_text(f"a {noun} sees a zebra .\n" * 100)

    def tuned(model: str, text: str) -> object:
        texts, dev = [tmp_path / text], [tmp_path / "text"]
        return finetune(tmp_path / model, texts, dev, tmp_path / "out", accelerator="cpu")

    first = tuned("model", "text")
    assert tuned("model", "same") == first
    before = state(tmp_path / "out")
    with pytest.raises(WeightsError, match="encoder and softmax are of different steps"):
        tuned("other softmax", "text")
    for changed in (("other", "text"), ("model", "of equal length")):
        with pytest.raises(TrainingError, match=r"start = model \w+ and text \w+, not model"):
            tuned(*changed)
    assert all(torch.equal(t, before[name]) for name, t in state(tmp_path / "out").items())


def test_finetuning_reads_texts_of_one_name(
    trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    model, texts = trained(tmp_path / "model"), [tmp_path / "a/train.txt", tmp_path / "b/train.txt"]
    for path in texts:
        path.parent.mkdir()
        path.write_text("a tree sees a zebra .\n" * 50)
    whole = tmp_path / "whole.txt"
    whole.write_text("".join(path.read_text() for path in texts))
    got, expected = (
        finetune(model, given, [whole], tmp_path / name, accelerator="cpu")
        for name, given in (("two", texts), ("one", [whole]))
    )
    assert got == expected


def test_finetuning_in_batches_larger_than_the_text_is_refused(
    trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("a tree sees a zebra .\n")
    with pytest.raises(OptionsError, match=r"batch_size: 1,000 streams, more than the text's 7"):
        finetune(
            trained(tmp_path / "model"),
            [tmp_path / "text"],
            [tmp_path / "text"],
            tmp_path / "out",
            ["batch_size=1000"],
        )
    assert not (tmp_path / "out").exists()


def test_finetuning_into_a_folder_below_the_texts_can_be_repeated(
    trained: Callable[[Path], Path], tmp_path: Path
) -> None:
    model = trained(tmp_path / "model")
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a").write_text("a tree sees a zebra .\n" * 100)
    first, second = (
        finetune(model, [texts], [texts], texts / "out", accelerator="cpu") for _ in range(2)
    )
    assert second == first
