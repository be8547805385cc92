"""The operator on uncertain coefficients against the one on exact coefficients, and its noise against sampling."""

import numpy as np
import pytest

import liestonet as lsn
from liestonet.symmetry.determining.kinds import kind_named
from liestonet.symmetry.determining.operator import Operator
from liestonet.symmetry.statistical.elimination import gather
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud


@pytest.fixture(scope="module")
def surrogate():
    return lsn.fit(lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=64, seed=3))


def _operator(surrogate, symmetry, parameters=None):
    kind = kind_named(symmetry)
    source = surrogate if parameters is None else surrogate.with_parameters(parameters)
    basis = generator_basis(kind, 1, 1, surrogate.domain, (4, 3))
    return NoisyOperator(kind, source, basis, mixed_cloud(surrogate.domain, surrogate.overview.points, 100))


@pytest.mark.parametrize("symmetry", ["ito", "law", "fokker-planck"])
def test_same_matrix_as_with_exact_coefficients(surrogate, symmetry):
    operator = _operator(surrogate, symmetry)
    plain = Operator(kind_named(symmetry), surrogate, surrogate.domain, operator.cloud).assemble(operator.basis)
    expected = operator.whitening.T @ plain.gram() @ operator.whitening
    np.testing.assert_allclose(operator.gram, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("symmetry", ["law", "fokker-planck"])
def test_mean_of_the_gram_matrix_is_shifted_by_the_noise(surrogate, symmetry):
    """E[D(θ̂)ᵀD(θ̂)] = DᵀD + N exactly, as D is affine in the parameters; four standard errors of 400 draws."""
    rng, root = np.random.default_rng(0), surrogate.errors.scatter
    operator = _operator(surrogate, symmetry)
    probe = rng.standard_normal((operator.basis.size, 3))
    draws = []
    for _ in range(400):
        moved = surrogate.parameters + root @ rng.standard_normal(root.shape[1])
        gram = _operator(surrogate, symmetry, moved).gram
        draws.append(np.einsum("mk,mn,nk->k", probe, gram, probe))
    expected = np.einsum("mk,mn,nk->k", probe, operator.gram + operator.noise_gram, probe)
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(np.mean(draws, axis=0) - expected) < 4 * error)


def test_changes_are_differences_of_the_operator(surrogate):
    """D(δ_s)v from two operators that differ by δ_s, in inner product with D; linearised for Itô."""
    operator = _operator(surrogate, "ito")
    vectors = operator.lowest(2)
    changes = operator.changes(vectors)
    size = 1e-4
    for s in (0, 3, 7):
        delta = surrogate.errors.joint[0][:, s]
        plus, minus = (_operator(surrogate, "ito", surrogate.parameters + sign * size * delta) for sign in (1, -1))
        # DᵀD(δ)v = ½ ∂(DᵀD)v where the other half, D(δ)ᵀDv, is taken away by symmetrising with v
        quadratic = [np.einsum("mk,mn,nk->k", vectors, each.gram, vectors) for each in (plus, minus)]
        derivative = (quadratic[0] - quadratic[1]) / (2 * size)
        direct = 2 * np.einsum("mk,mk->k", changes.with_basis[:, s, :], vectors)
        np.testing.assert_allclose(derivative, direct, rtol=1e-4, atol=1e-9)


def test_projection_never_adds_noise(surrogate):
    operator = _operator(surrogate, "law")
    vectors = operator.lowest(3)
    noise, evidence = operator.noise(vectors), gather(operator, vectors)
    for k in range(3):
        assert -1e-12 < np.trace(evidence.noise[k]) <= np.trace(noise[k]) * (1 + 1e-9)
    assert np.trace(evidence.residual_gram) <= np.trace(vectors.T @ operator.gram @ vectors) * (1 + 1e-9)


def test_directions_are_sorted_where_rounding_leaves_negative_noise(surrogate):
    """A matrix of noise with an eigenvalue below zero by rounding ends in orthonormal directions all the same."""
    operator = _operator(surrogate, "ito")
    noise = operator.noise_gram * 1e6
    size = len(noise)
    operator.__dict__["noise_gram"] = noise - 1e-10 * np.trace(noise) * np.outer(np.eye(size)[-1], np.eye(size)[-1])
    operator.__dict__["noise_gram"][-1, :-1] = operator.__dict__["noise_gram"][:-1, -1] = 0.0
    operator.__dict__["noise_gram"][-1, -1] = -1e-10 * np.trace(noise)
    vectors = operator.lowest(3)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)
