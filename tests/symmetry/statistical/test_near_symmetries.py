"""Doubtful directions: products of a turned block against those computed directly, slopes against differences."""

from __future__ import annotations

from functools import cache

import numpy as np

import liestonet as lsn
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.symmetry.determining.kinds import ITO
from liestonet.symmetry.statistical.elimination import Elimination
from liestonet.symmetry.statistical.near_symmetries import Pairs, peeled
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud


@cache
def operator() -> NoisyOperator:
    surrogate = fit_spectral(lsn.catalogue["langevin"].simulate(paths=150, seed=1))
    cloud = mixed_cloud(surrogate.domain, surrogate.overview.points, 200)
    basis = generator_basis(ITO, 2, surrogate.noise, surrogate.domain, (3, 2))
    return NoisyOperator(ITO, surrogate, basis, cloud)


def turned(size: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((4, size)))[0]


@cache
def span() -> Elimination:
    return Elimination(operator(), operator().changes(operator().lowest(5)), cautious=False)


def test_products_of_a_block_are_linear_in_its_projector():
    pairs, block = Pairs(span(), slice(0, 4)), turned(2, 0)
    inside = np.concatenate([block, np.zeros((1, 2))])
    data_noise, data_cross = span().data_noise(inside)
    noise, cross = pairs.of(block @ block.T)
    # in orthonormal combinations of the errors: invariants compare
    expected = np.linalg.eigvalsh(data_noise.sum(axis=0))[::-1]
    found = np.linalg.eigvalsh(noise)[::-1]
    np.testing.assert_allclose(found[:5], expected[:5], rtol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(cross), np.linalg.norm(data_cross.sum(axis=1)), rtol=1e-2)


def test_the_slope_is_that_of_the_deviance():
    pairs, block = Pairs(span(), slice(0, 4)), turned(3, 1)
    direction = np.random.default_rng(2).standard_normal((4, 4))
    direction += direction.T
    projector, step = block @ block.T, 1e-6
    up, down = (pairs.deviance(projector + sign * step * direction)[0] for sign in (1, -1))
    np.testing.assert_allclose(np.sum(pairs.deviance(projector)[1] * direction), (up - down) / (2 * step), rtol=1e-4)


def test_the_span_of_all_stays():
    # a level of one lets no block pass: every direction is peeled off
    turn = peeled(span(), 1, 3, 1.0)
    np.testing.assert_allclose(turn.T @ turn, np.eye(5), atol=1e-10)
    np.testing.assert_allclose(turn[:, [0, 4]], np.eye(5)[:, [0, 4]])
