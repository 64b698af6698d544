#!/usr/bin/env python
"""Tokens a second of pretraining, and which part of a step takes how long.

    python scripts/pretraining_speed.py CORPUS --options mini --precision bf16
    python scripts/pretraining_speed.py CORPUS --options mini --precision bf16 --torch-lstms

CORPUS is what `python -m elmo_core.pretraining prepare` made. Each part runs alone, forward and
backward, on the windows of a real step; the step is all of them and the optimizer. Medians.
With --torch-lstms, steps in turns with the same model whose LSTMs are `torch.nn.LSTM(proj_size=…)`,
which cannot clip.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

import torch
from torch import Tensor, nn

from bench.errors import exit_status
from elmo_core import heap
from elmo_core.bilm.bilm import BiLM
from elmo_core.bilm.lstm import ProjectedLSTM
from elmo_core.pretraining import settings
from elmo_core.pretraining.corpus import Corpus
from elmo_core.pretraining.model import Direction, LanguageModel
from elmo_core.pretraining.module import PretrainingModule
from elmo_core.pretraining.prepare import ENCODED, TRAIN, VOCABULARY
from elmo_core.pretraining.streams import Streams
from elmo_core.pretraining.vocabulary import Vocabulary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--options", default="mini", help="a preset or an options file")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--torch-lstms", action="store_true", help="beside torch's own LSTMs")
    given = parser.parse_args()
    heap.keep()
    options, training = settings.read(given.options)
    vocabulary = Vocabulary.read(given.corpus / VOCABULARY)
    text = Corpus(given.corpus / ENCODED / TRAIN, vocabulary, options.characters)
    model = LanguageModel(BiLM(options), len(vocabulary), training.dropout).to(given.device)
    step = Step(PretrainingModule(model, text, training), given.device, given.precision == "bf16")
    for number in range(2):  # warm up
        step.all_of(number)
    if given.torch_lstms:
        other = PretrainingModule(TorchLSTMs(model).to(given.device), text, training)
        compare(step, Step(other, given.device, step.half), given.steps)
        return
    seconds = {name: median(times) for name, times in step.measure(given.steps).items()}
    whole = seconds.pop("whole step")
    print(f"{given.options}, {given.precision}, {given.device}, {torch.get_num_threads()} threads:")
    print(f"{step.tokens / whole:,.0f} tokens/s ({step.tokens:,} tokens a step, {whole:.3f} s)")
    for name, time_of_part in seconds.items():
        print(f"{name:24}{time_of_part:8.3f} s {time_of_part / whole:7.1%}")


def compare(ours: Step, theirs: Step, steps: int) -> None:
    """Print both rates, and the losses that show that both compute the same while nothing clips."""
    both = ours, theirs
    before = [step.loss_of(0) for step in both]
    for step in both:
        step.all_of(0)
    times = [[step.seconds(partial(step.all_of, n)) for step in both] for n in range(1, 1 + steps)]
    rates = [ours.tokens / median(each) for each in zip(*times, strict=True)]
    print(f"{rates[0]:,.0f} tokens/s, torch.nn.LSTM's {rates[1]:,.0f}", end="; ")
    print(f"{median(b / a for a, b in times):.2f} times as fast (median of {steps} pairs)")
    print("loss of a window: {:.5f}, {:.5f}".format(*before))


class TorchLSTMs(LanguageModel):
    """A copy of a model, its LSTMs torch's."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(deepcopy(model.bilm), len(model.softmax.weight), model.dropout.p)
        self.softmax.load_state_dict(model.softmax.state_dict())
        self.lstms = nn.ModuleList(
            nn.ModuleList(torch_lstm(lstm) for lstm in layers if isinstance(lstm, ProjectedLSTM))
            for layers in (model.bilm.forward_lstm, model.bilm.backward_lstm)
        )

    def directions(self) -> tuple[Direction, Direction]:
        skip = self.bilm.options.skip
        forward, backward = (TorchDirection(layers, self.dropout, skip) for layers in self.lstms)
        return forward, backward


@torch.no_grad()
def torch_lstm(lstm: ProjectedLSTM) -> nn.LSTM:
    """Return torch's LSTM with the same weights; its gates are in the order i, f, g, o."""

    def ordered(gates: Tensor) -> Tensor:
        i, g, f, o = gates.chunk(4)
        return torch.cat([i, f, g, o])

    outer, inner = lstm.projection.shape
    made = nn.LSTM(outer, inner, proj_size=outer)
    made.weight_ih_l0.copy_(ordered(lstm.input_weight))
    made.weight_hh_l0.copy_(ordered(lstm.recurrent_weight))
    made.weight_hr_l0.copy_(lstm.projection)
    made.bias_ih_l0.copy_(ordered(lstm.bias))
    made.bias_hh_l0.zero_()
    made.bias_hh_l0[inner : 2 * inner] = 1  # the forget gate's
    return made


class TorchDirection(Direction):
    def forward(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hiddens, cells = [], []
        for k, lstm in enumerate(self.lstms):
            x = self.dropout(x)
            y, (h, c) = lstm(x, (hidden[k : k + 1].to(x.dtype), cell[k : k + 1].to(x.dtype)))
            x = y + x if k > 0 and self.skip else y
            hiddens.append(h[0].float())
            cells.append(c[0].float())
        return self.dropout(x), torch.stack(hiddens), torch.stack(cells)


class Step:
    """One training step, and its parts."""

    def __init__(self, module: PretrainingModule, device: str, half: bool) -> None:
        self.module, self.model, self.device = module, module.model, device
        training, self.tokens, self.half = module.training_part, module.step_tokens, half
        self.streams = Streams(module.corpus, training.batch_size, training.unroll_steps)
        self.optimizer = torch.optim.Adam(self.model.parameters(), 1e-3, fused=True)
        self.autocast = lambda: torch.autocast(device, torch.bfloat16, enabled=half)
        self.draws = count()  # each as in training: while the one before is in use
        self.state = self.model.bilm.zero_state(training.batch_size, self.model.softmax.weight)
        if device == "cuda":  # as in training
            with self.autocast():
                self.model.record(training.unroll_steps, training.batch_size)

    def measure(self, steps: int) -> dict[str, list[float]]:
        times: dict[str, list[float]] = {}
        for number in range(2, 2 + steps):
            for name, part in self._parts(number):
                times.setdefault(name, []).append(self.seconds(part))
        return times

    def seconds(self, part: Callable[[], object]) -> float:
        self._wait()
        begin = time.perf_counter()
        part()
        self._wait()
        return time.perf_counter() - begin

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize()

    def _parts(self, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
        window = self.streams.window(number)
        yield "reading the text", lambda: self.streams.window(number)
        self.window = window.to(self.device)
        yield "character CNN", lambda: self._words().sum().backward()
        words = self._words().detach().requires_grad_()
        yield "LSTMs", lambda: self._contexts(words).sum().backward()
        vectors = self._contexts(words).detach().flatten(0, 2).requires_grad_()
        yield "softmax", lambda: self._loss(vectors).backward()
        yield "clipping and optimizer", self._update
        yield "whole step", lambda: self.all_of(number)

    def _words(self) -> Tensor:
        with self.autocast():
            return self.model.words(self.window)

    def _contexts(self, words: Tensor) -> Tensor:
        with self.autocast():
            return self.model.contexts(words, self.window, self.state)[0]

    def _loss(self, vectors: Tensor) -> Tensor:
        with self.autocast():
            targets = self.window.targets.flatten()
            return self.model.softmax.loss(
                vectors, targets, self.module.negatives(next(self.draws))
            )

    def _update(self) -> None:
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 10)
        self.optimizer.step()
        self.optimizer.zero_grad()

    @torch.no_grad()
    def loss_of(self, number: int) -> float:
        """Return a window's loss from zero state, nothing dropped out."""
        self.module.eval()
        self.draws = count()  # the same negatives for both
        self.window = self.streams.window(number).to(self.device)
        loss = self._loss(self._contexts(self._words()).flatten(0, 2)).item()
        self.module.train()
        return loss

    def all_of(self, number: int) -> None:
        self.window = self.streams.window(number).to(self.device)
        with self.autocast():
            vectors, _ = self.model(self.window, self.state)
        self._loss(vectors.flatten(0, 2)).backward()
        self._update()


if __name__ == "__main__":
    with exit_status(debug=False):
        main()
