"""Evidence on blocks against projections that are formed point by point, with the equations of moved coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import liestonet as lsn
from liestonet.symmetry.determining.kinds import LAW
from liestonet.symmetry.determining.operator import Operator
from liestonet.symmetry.statistical.elimination import Elimination, gather
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud
from liestonet.symmetry.statistical.tuning import JUDGING


@dataclass(frozen=True)
class Direct:
    """D and the D(δ_s) as whole matrices; at law level D is affine in the parameters, so differences are exact."""

    operator: NoisyOperator
    matrix: np.ndarray
    changes: np.ndarray

    def left(self, block: np.ndarray, cautious: bool) -> tuple[np.ndarray, np.ndarray]:
        """What is left of DV and of the D(δ_s)V when all other directions have absorbed what they can."""
        others = np.linalg.qr(block, mode="complete")[0][:, block.shape[1] :]
        gram = self.matrix.T @ self.matrix
        regular = JUDGING.rounding * np.eye(len(gram)) + (self.operator.noise_gram if cautious else 0.0)
        regular = regular + JUDGING.relative_rounding * np.trace(gram + regular) * np.eye(len(gram))
        inner = np.linalg.inv(others.T @ (gram + regular) @ others)
        projector = self.matrix @ others @ inner @ others.T @ self.matrix.T
        keep = np.eye(len(projector)) - projector
        return keep @ self.matrix @ block, np.einsum("rq,sqm,mk->srk", keep, self.changes, block)


@cache
def direct(name: str) -> Direct:
    surrogate = lsn.fit(lsn.catalogue[name].simulate(paths=100, seed=4))
    n = surrogate.dimension
    basis = generator_basis(LAW, n, surrogate.noise, surrogate.domain, (2, 2))
    cloud = mixed_cloud(surrogate.domain, surrogate.overview.points, 40)
    operator = NoisyOperator(LAW, surrogate, basis, cloud)

    def matrix(parameters: np.ndarray) -> np.ndarray:
        moved = surrogate.with_parameters(parameters)
        return Operator(LAW, moved, surrogate.domain, cloud).assemble(basis).dense() @ operator.whitening

    whole = matrix(surrogate.parameters)
    directions = surrogate.errors.joint[0].T
    return Direct(operator, whole, np.stack([matrix(surrogate.parameters + each) - whole for each in directions]))


@pytest.mark.parametrize("name", ["ornstein-uhlenbeck", "brownian-correlated"])
@pytest.mark.parametrize("cautious", [True, False])
def test_blocks_of_a_span_are_those_of_whole_projections(name: str, cautious: bool):
    case = direct(name)
    vectors = case.operator.lowest(4)
    span = Elimination(case.operator, case.operator.changes(vectors), cautious)
    for turn in np.linalg.qr(np.random.default_rng(0).standard_normal((3, 4, 4)))[0]:
        for length in (1, 2, 4):
            block = vectors @ turn[:, :length]
            residual, noise = case.left(block, cautious)
            found = span.evidence(turn[:, :length], case.operator.noise(block))
            np.testing.assert_allclose(found.residual_gram, residual.T @ residual, rtol=1e-4, atol=1e-9)
            expected = np.einsum("srk,trk->kst", noise, noise)
            np.testing.assert_allclose(found.noise, expected, atol=1e-5 * np.abs(expected).max())
            np.testing.assert_allclose(found.mutual, np.einsum("srk,srl->kl", noise, noise), rtol=1e-4, atol=1e-9)
            cross = np.einsum("srk,rk->sk", noise, residual)
            np.testing.assert_allclose(found.cross, cross, atol=1e-5 * np.abs(cross).max())


def test_only_what_is_wanted_is_weighed():
    operator = direct("ornstein-uhlenbeck").operator
    vectors = operator.lowest(3)
    whole = gather(operator, vectors)
    span = Elimination(operator, operator.changes(vectors), cautious=True)
    last = span.evidence(np.eye(3), operator.noise(vectors[:, 2:]), [2])
    np.testing.assert_allclose(last.noise[0], whole.noise[2])
    assert last.residual(0) == pytest.approx(whole.residual(2))
    assert last.interval(0, 0.95) == pytest.approx(whole.interval(2, 0.95))


def test_errors_in_few_directions_give_the_same_p_values():
    """The source's own errors, one by one, against those few that the coefficients show (`ERRORS.least_effect`)."""
    case = direct("brownian-correlated")
    surrogate = lsn.fit(lsn.catalogue["brownian-correlated"].simulate(paths=100, seed=4))
    plain = NoisyOperator(LAW, surrogate, case.operator.basis, case.operator.cloud, joint=False)
    assert case.operator.directions < plain.directions
    vectors = case.operator.lowest(3)
    few, many = gather(case.operator, vectors), gather(plain, vectors)
    for k in range(3):
        assert few.p_value(slice(k, k + 1)) == pytest.approx(many.p_value(slice(k, k + 1)), rel=1e-2, abs=1e-9)
        assert few.interval(k, 0.95) == pytest.approx(many.interval(k, 0.95), rel=2e-3)
    assert few.deviance()[0] == pytest.approx(many.deviance()[0], rel=1e-2)
