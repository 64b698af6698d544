"""What came of a run that was trained to its end, as its record says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.choice import Choice
from bench.records import EncoderFacts, Epoch, Finished, Mix, OnlineCode, Primary, Sitting
from bench.run.datamodule import BenchData
from bench.run.module import BenchModule
from bench.run.predictions import trivial
from bench.run.record import outcome
from elmo_core import Encoder

Metrics = Mapping[str, Mapping[str, float]]
"""Scores by split and name."""


def _vectors(choice: Choice) -> dict[str, str]:
    """Return the hash of the file of word vectors; an encoder has its own fingerprint."""
    found = choice.files.get(choice.values.get("word_vectors") or "")
    return {"vectors": found} if found else {}


def result_of(
    choice: Choice,
    data: BenchData,
    encoder: Encoder | None,
    module: BenchModule,
    metrics: Metrics,
    *,
    online_code: OnlineCode | None,
    timing: Mapping[str, float],
    provenance: Sequence[Sitting],
) -> Finished:
    """Put together the result of a run.

    Args:
        choice: What the run is.
        data: What it was trained and scored on.
        encoder: Its encoder; None without ELMo.
        module: What was trained.
        metrics: The scores of the best epoch.
        online_code: The code length of the training labels; None where it was not asked for.
        timing: Seconds by step, but for training.
        provenance: Who worked on the run.

    Returns:
        The result, which does not vouch for any file yet.
    """
    task, history = data.task, module.history
    train = data.examples("train")
    seconds = {**timing, "fit_s": sum(epoch["seconds"] for epoch in history)}
    trainable = sum(p.numel() for p in module.parameters() if p.requires_grad)
    return outcome(
        Finished,
        choice,
        data={
            **choice.values["data"],
            "content": choice.content,
            "fingerprint": data.fingerprints,
            **_vectors(choice),
        },
        encoder=encoder and _described(encoder),
        metrics=metrics,
        primary=Primary.of(task.metric, metrics),
        yardsticks={split: trivial(task, train, data.examples(split)) for split in metrics},
        mix={place: Mix(**mix) for place, mix in module.placement.summary().items()},
        epochs=len(history),
        steps=history[-1].get("steps"),
        best_epoch=module.best_epoch,
        history=[Epoch(**epoch) for epoch in history],
        online_code=online_code,
        provenance=provenance,
        timing={name: round(each, 2) for name, each in seconds.items()},
        counts={
            **{split: len(data.examples(split)) for split in ("train", *metrics)},
            "trainable_parameters": trainable,
        },
    )


def _described(encoder: Encoder) -> EncoderFacts:
    names = ("name", "fingerprint", "layers", "dim", "parameters")
    return EncoderFacts(**{name: getattr(encoder, name) for name in names})
