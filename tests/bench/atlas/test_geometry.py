"""The numbers of an atlas where closed forms are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.atlas.geometry import (
    effective_rank,
    intrinsic_dimension,
    mean_cosine,
    mean_over,
    similarity_to_mean,
)

DRAWN = np.random.default_rng(0)


def test_mean_cosine_is_that_of_all_pairs() -> None:
    vectors = DRAWN.normal(size=(7, 3)) + 0.5
    pairs = [
        a @ b / math.sqrt((a @ a) * (b @ b))
        for i, a in enumerate(vectors)
        for b in vectors[i + 1 :]
    ]
    assert mean_cosine(vectors) == pytest.approx(np.mean(pairs))
    assert math.isnan(mean_cosine(vectors[:1]))


def test_words_that_a_static_encoder_does_not_know_have_no_cosine() -> None:
    known = DRAWN.normal(size=(5, 3))
    with_unknown = np.insert(known, [0, 2, 5], 0.0, axis=0)
    assert mean_cosine(with_unknown) == pytest.approx(mean_cosine(known))
    assert similarity_to_mean(with_unknown) == pytest.approx(similarity_to_mean(known))
    assert math.isnan(mean_cosine(np.zeros((4, 3))))
    assert math.isnan(similarity_to_mean(np.zeros((4, 3))))


def test_cosines_of_known_shapes() -> None:
    assert mean_cosine(np.outer([1.0, 2.0, 0.5], [3.0, 4.0])) == pytest.approx(1)
    assert mean_cosine(np.eye(5)) == pytest.approx(0)
    assert mean_cosine(np.array([[1.0, 0.0], [-2.0, 0.0]])) == pytest.approx(-1)
    assert mean_cosine(DRAWN.normal(size=(3000, 50))) == pytest.approx(0, abs=0.001)
    assert similarity_to_mean(np.eye(4)) == pytest.approx(1 / 2)
    assert similarity_to_mean(np.array([[1.0, 1.0], [2.0, 2.0]])) == pytest.approx(1)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_a_gaussian_has_as_many_dimensions_as_it_has(dimension: int) -> None:
    """Also where it lies in a larger space; the estimate's deviation is d / √n."""
    flat = DRAWN.normal(size=(4000, dimension))
    turned = flat @ np.linalg.qr(DRAWN.normal(size=(20, 20)))[0][:dimension]
    for vectors in (flat, turned, 100 * turned + 7):
        assert intrinsic_dimension(vectors) == pytest.approx(dimension, rel=0.08)


def test_a_curve_is_of_one_dimension() -> None:
    angle = DRAWN.uniform(0, 2 * math.pi, size=3000)
    circle = np.stack([np.cos(angle), np.sin(angle), np.zeros(3000)], axis=1)
    assert intrinsic_dimension(circle) == pytest.approx(1, rel=0.08)
    assert effective_rank(circle) == pytest.approx(2, rel=0.01)


def test_equal_vectors_count_once() -> None:
    vectors = DRAWN.normal(size=(500, 3))
    assert intrinsic_dimension(np.concatenate([vectors] * 3)) == intrinsic_dimension(vectors)
    assert math.isnan(intrinsic_dimension(np.ones((9, 2))))
    assert math.isnan(intrinsic_dimension(np.eye(4)))  # ratios of 1


@pytest.mark.parametrize("rank", [1, 3, 8])
def test_effective_rank_of_equal_directions_is_their_number(rank: int) -> None:
    directions = np.linalg.qr(DRAWN.normal(size=(12, 12)))[0][:rank]
    vectors = np.concatenate([directions, -directions]) + 5.0  # the mean is taken away
    assert effective_rank(vectors) == pytest.approx(rank)
    assert effective_rank(np.ones((3, 4))) == 1


def test_effective_rank_is_the_entropy_of_the_spectrum() -> None:
    vectors = np.diag([3.0, 1.0])
    vectors = np.concatenate([vectors, -vectors])
    assert effective_rank(vectors) == pytest.approx(
        math.exp(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    )


def test_mean_over_leaves_out_what_is_no_number() -> None:
    assert mean_over([1.0, math.nan, 3.0]) == 2.0
    assert math.isnan(mean_over([]))
