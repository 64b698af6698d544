"""The CRF and Viterbi against all sequences, one by one."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tasks.formats.tags import BIO, BIOES, follows, inventory
from tasks.nn.crf import CRF
from tasks.nn.viterbi import viterbi

LENGTHS = (4, 1, 3, 2)


def example(tags: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Emissions with rubbish in the padding, and the mask."""
    generator = torch.Generator().manual_seed(seed)
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    emissions = 2 * torch.randn(*mask.shape, tags, generator=generator)
    return emissions.masked_fill(~mask.unsqueeze(2), 1e3), mask


def crf(scheme: str | None, kinds: str = "AB") -> tuple[CRF, int]:
    torch.manual_seed(1)
    tags = inventory(kinds, scheme or BIO)
    model = CRF(tags, lambda a, b: follows(a, b, scheme)) if scheme else CRF(tags)
    torch.nn.init.normal_(model.scores)
    return model, len(tags)


def by_hand(model: CRF, emissions: Tensor, path: tuple[int, ...]) -> Tensor:
    """The score of one path, term by term."""
    transitions, start, end = model.chain()
    total = start[path[0]] + end[path[-1]]
    total = total + sum(emissions[t, tag] for t, tag in enumerate(path))
    return total + sum(transitions[a, b] for a, b in itertools.pairwise(path))


def every_path(tags: int, length: int) -> itertools.product[tuple[int, ...]]:
    return itertools.product(range(tags), repeat=length)


@pytest.mark.parametrize("scheme", [None, BIO, BIOES])
def test_partition_and_decoding_equal_enumeration(scheme: str | None) -> None:
    model, tags = crf(scheme, "AB" if scheme != BIOES else "A")
    emissions, mask = example(tags)
    partition, decoded = (
        model.log_partition(emissions, mask),
        viterbi(emissions, mask, *model.chain()),
    )
    for row, length in enumerate(LENGTHS):
        paths = list(every_path(tags, length))
        scores = torch.stack([by_hand(model, emissions[row], path) for path in paths])
        assert partition[row].item() == pytest.approx(scores.logsumexp(0).item(), abs=1e-4)
        assert tuple(decoded[row]) == paths[int(scores.argmax())]


@pytest.mark.parametrize("scheme", [None, BIO])
def test_loss_and_gradients_equal_enumeration(scheme: str | None) -> None:
    model, tags = crf(scheme)
    emissions, mask = example(tags, seed=2)
    emissions.requires_grad_()
    gold = [[1, 2, 0, 3], [0], [3, 4, 4], [1, 1]]  # B-A I-A O B-B, …
    padded = torch.tensor([[*row, *[4] * (4 - len(row))] for row in gold])
    loss = model(emissions, mask, padded)
    parameters = (emissions, model.scores)
    ours = torch.autograd.grad(loss, parameters)
    terms = []
    for row, path in enumerate(gold):
        scores = [by_hand(model, emissions[row], p) for p in every_path(tags, len(path))]
        terms.append(torch.stack(scores).logsumexp(0) - by_hand(model, emissions[row], tuple(path)))
    expected = torch.stack(terms).mean()
    assert loss.item() == pytest.approx(expected.item(), abs=1e-4)
    for our, theirs in zip(ours, torch.autograd.grad(expected, parameters), strict=True):
        assert our.isfinite().all()
        torch.testing.assert_close(our, theirs, atol=1e-5, rtol=1e-4)
    assert ours[0][~mask].abs().max() == 0


def test_probabilities_of_valid_sequences_sum_to_one() -> None:
    model, tags = crf(BIOES, "A")
    emissions, _ = example(tags)
    row, mask = emissions[:1], torch.ones(1, 4, dtype=torch.bool)
    paths = torch.tensor(list(every_path(tags, 4)))
    count = len(paths)
    rows, masks = row.expand(count, -1, -1), mask.expand(count, -1)
    logs = model.score(rows, masks, paths) - model.log_partition(rows, masks)
    assert logs.exp().sum().item() == pytest.approx(1, abs=1e-4)
    names = inventory("A", BIOES)
    for path, log in zip(paths.tolist(), logs.tolist(), strict=True):
        bounded = [None, *(names[i] for i in path), None]
        valid = all(follows(a, b, BIOES) for a, b in itertools.pairwise(bounded))
        assert valid == (log > -torch.inf)


def test_half_precision_is_added_up_in_whole() -> None:
    """In bfloat16, a sum of many numbers would lose the last ones."""
    model, tags = crf(BIO)
    emissions = (20 * torch.randn(2, 60, tags)).bfloat16()
    given = torch.ones(2, 60).bool(), torch.zeros(2, 60).long()
    assert model(emissions, *given).item() == model(emissions.float(), *given).item()


def test_viterbi_needs_no_start_and_no_end() -> None:
    emissions, mask = example(3)
    transitions = torch.randn(3, 3, generator=torch.Generator().manual_seed(3))
    zero = torch.zeros(3)
    assert viterbi(emissions, mask, transitions) == viterbi(
        emissions, mask, transitions, zero, zero
    )
    greedy = [row[:n].argmax(1).tolist() for row, n in zip(emissions, LENGTHS, strict=True)]
    assert viterbi(emissions, mask, torch.zeros(3, 3)) == greedy


class Counter(TorchDispatchMode):
    """Counts the operations that torch carries out."""

    count = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.count += 1
        return func(*args, **(kwargs or {}))


def test_a_large_batch_takes_the_operations_of_a_small_one() -> None:
    model, tags = crf(BIOES, "ABCD")
    counts = []
    for sentences in (2, 512):
        emissions, mask = torch.randn(sentences, 40, tags), torch.ones(sentences, 40).bool()
        chain = model.chain()
        with Counter() as counter:
            viterbi(emissions, mask, *chain)
        counts.append(counter.count)
    assert counts[0] == counts[1] > 40
