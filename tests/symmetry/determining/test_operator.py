"""The operator's matrix against SymPy, column by column, and the points it stands on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

from known_symmetries import by_hand, numbers, scattered
from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.core.points import PointCloud, lattice_cloud, tensor_cloud
from liestonet.errors import InputError
from liestonet.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.determining import operator as operator_module
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import KINDS
from liestonet.symmetry.determining.operator import Operator

LINE = "dx = (1 + t x^2) dt + exp(x t) dW1 + x dW2"
SURFACE = "dx = (y - t x) dt + (2 + x y) dW1 + t dW2; dy = cos(x + t) dt + (1 + y^2) dW2"


def source_of(text: str) -> SymbolicCoefficients:
    symbolic = SDE.parse(text).symbolic
    assert symbolic is not None
    return symbolic


def setup(text: str, kind: str, degree: int, points: int = 11):
    source = source_of(text)
    n = source.dimension
    domain = Domain(((0.5, 2.0), (-1.0, 3.0), (0.0, 1.0))[: n + 1])
    weights = np.random.default_rng(3).uniform(0.1, 1, points)
    cloud = PointCloud(scattered(domain, points), weights / weights.sum())
    equations = KINDS[kind].equations(n, source.noise)
    full, time = total_degree(range(n + 1), n + 1, degree), total_degree([0], n + 1, degree)
    degrees = tuple(time if unknown.time_only else full for unknown in equations.unknowns)
    basis = Basis(domain, equations.unknown_scales(domain.half), degrees)
    return source, domain, cloud, basis, Operator(KINDS[kind], source, domain, cloud)


def basis_function(basis: Basis, variables, unknown: int, row) -> sp.Expr:
    """One basis function as a formula."""
    result = sp.Float(basis.scales[unknown], 30)
    for v, degree in enumerate(row.tolist()):
        s = (variables[v] - sp.Float(basis.domain.centre[v])) / sp.Float(basis.domain.half[v])
        result *= sp.sqrt(2 * degree + 1) * sp.legendre(degree, s)
    return result


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.extended])
@pytest.mark.parametrize(("text", "degree"), [(LINE, 3), (SURFACE, 2)])
def test_columns_are_the_equations_of_one_basis_function(kind, text, degree):
    source, domain, cloud, basis, operator = setup(text, kind, degree)
    half = domain.half
    # docs/method.md §3.1, written out: T/L_i, √T/L_i, T/(L_i L_j) with off-diagonal entries twice, T
    n, r = source.dimension, source.noise
    first = [half[0] / half[i + 1] for i in range(n)]
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    second = [(1 if i == j else math.sqrt(2)) * half[0] / (half[i + 1] * half[j + 1]) for i, j in pairs]
    noise = [math.sqrt(half[0]) / half[i + 1] for i in range(n) for _ in range(r)]
    scales = {"ito": first + noise, "law": first + second, "fokker-planck": second + first + [half[0]]}[kind]
    matrix = operator.assemble(basis).apply(np.eye(basis.size))
    variables = (source.time, *source.state)
    unknowns = len(basis.degrees)
    for unknown, rows in enumerate(basis.degrees):
        for position in {0, len(rows) // 3, len(rows) // 2, len(rows) - 1}:
            values: list[Any] = [sp.Integer(0)] * unknowns
            values[unknown] = basis_function(basis, variables, unknown, rows[position])
            exact = by_hand(kind, source.time, source.state, source.drift.flat(), source.diffusion.tolist(), values)
            expected = numbers(source, exact, cloud.points) * np.array(scales)[:, None] * np.sqrt(cloud.weights)
            found = matrix[:, basis.columns(unknown).start + position]
            np.testing.assert_allclose(found, expected.ravel(), rtol=1e-10, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.extended])
def test_products_agree_with_the_dense_matrix(kind, kept, monkeypatch):
    monkeypatch.setattr(operator_module, "CHUNK", 4)  # eleven points in three chunks, the last one short
    monkeypatch.setattr(operator_module, "KEPT_BYTES", 4e8 if kept else 0)
    _, _, _, basis, operator = setup(SURFACE, kind, 2)
    assembled = operator.assemble(basis)
    dense = assembled.apply(np.eye(basis.size))
    rng = np.random.default_rng(0)
    some, images = rng.standard_normal((basis.size, 3)), rng.standard_normal((len(dense), 2))
    size = np.abs(dense).max()
    np.testing.assert_allclose(assembled.apply(some), dense @ some, atol=1e-12 * size)
    np.testing.assert_allclose(assembled.transposed(images), dense.T @ images, atol=1e-12 * size)
    np.testing.assert_allclose(assembled.gram(), dense.T @ dense, atol=1e-12 * size**2)


def test_chunks_only_reorder_the_rows(monkeypatch):
    _, _, _, basis, operator = setup(SURFACE, "law", 2)
    whole = operator.assemble(basis)
    gram, singular = whole.gram(), np.linalg.svd(whole.apply(np.eye(basis.size)), compute_uv=False)
    monkeypatch.setattr(operator_module, "CHUNK", 3)
    parts = operator.assemble(basis)
    np.testing.assert_allclose(parts.gram(), gram, atol=1e-13 * np.abs(gram).max())
    again = np.linalg.svd(parts.apply(np.eye(basis.size)), compute_uv=False)
    np.testing.assert_allclose(again, singular, atol=1e-13 * singular[0])


def test_equations_without_any_term_take_no_rows():
    """dx = dW in ten dimensions: of E2's hundred equations none is empty, of E1's terms only ∂t ξ + ½Δξ remain."""
    source = source_of("; ".join(f"dx{i} = dW{i}" for i in range(1, 4)))
    domain = Domain(((0.0, 1.0),) * 4)
    cloud = tensor_cloud(domain, np.full(4, 3))
    full = total_degree(range(4), 4, 1)
    basis = Basis(domain, np.full(4, 0.5), (total_degree([0], 4, 1), full, full, full))
    active = [len(columns) for columns, _ in Operator(KINDS["ito"], source, domain, cloud).blocks(basis)]
    # E1^i sees ξ^i alone; E2^i_k sees ξ^i, and τ where i = k
    assert active == [5] * 3 + [7 if i == k else 5 for i in range(3) for k in range(3)]


@pytest.mark.parametrize("counts", [(4, 3), (2, 5, 3)])
def test_tensor_cloud_is_exact_for_polynomials(counts):
    domain = Domain(((1.0, 4.0), (-2.0, -1.0), (0.0, 10.0))[: len(counts)])
    cloud = tensor_cloud(domain, np.array(counts))
    assert len(cloud.weights) == math.prod(counts)
    for powers in np.ndindex(*[2 * count for count in counts]):
        found = cloud.weights @ np.prod(cloud.points ** np.array(powers), axis=1)
        exact = math.prod(
            (high ** (p + 1) - low ** (p + 1)) / ((p + 1) * (high - low))
            for p, (low, high) in zip(powers, domain.intervals, strict=True)
        )
        assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("edge", [None, [True, False, True], [True, True, True]])
def test_lattice_cloud_integrates(edge):
    """A Kronecker sequence's error falls nearly like 1/N; random points would miss by N^(-1/2) = 0.016 deviations."""
    domain = Domain(((0.0, 2.0), (-1.0, 1.0), (1.0, 3.0)))
    cloud = lattice_cloud(domain, 4000, edge=None if edge is None else np.array(edge))
    assert cloud.weights.sum() == pytest.approx(1, abs=1e-14)
    assert (cloud.weights >= 0).all()
    low, high = np.array(domain.intervals).T
    assert ((cloud.points >= low) & (cloud.points <= high)).all()
    t, x, y = cloud.points.T
    for values, exact in [(t, 1), (x**2, 1 / 3), (t * y, 2), (np.exp(x), np.sinh(1)), (t**2 * x**2 * y, 8 / 9)]:
        deviation = np.sqrt(cloud.weights @ (values - exact) ** 2)
        assert abs(cloud.weights @ values - exact) < 30 / 4000 * deviation


def test_lattice_cloud_converges():
    """Sixteen times the points: 1/16 of the error up to (log N)² in two variables; random points give a quarter."""
    domain = Domain(((0.0, 1.0), (0.0, 1.0)))

    def error(middle: int) -> float:
        misses = []
        for count in range(int(0.9 * middle), int(1.1 * middle), middle // 100):
            cloud = lattice_cloud(domain, count)
            misses.append(cloud.weights @ np.exp(cloud.points.sum(axis=1)) - (np.e - 1) ** 2)
        return float(np.linalg.norm(misses) / np.sqrt(len(misses)))

    assert error(16000) < error(1000) / 8


def test_lattice_shift_gives_other_points():
    domain = Domain(((0.0, 1.0), (0.0, 1.0)))
    first, second = (lattice_cloud(domain, 100, shift=shift).points for shift in (0.5, 0.123))
    gaps = np.linalg.norm(first[:, None] - second[None], axis=2).min()
    assert gaps > 1e-3


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("dx = 1/x dt + dW", "ito"),  # infinite at a point
        ("dx = sqrt(x) dt + dW", "law"),  # not real on a half
        ("dx = log(x) dt + dW", "fokker-planck"),
        ("dx = dt + sqrt(abs(x)) dW", "ito"),  # finite, with an infinite derivative
    ],
)
def test_coefficients_that_are_not_finite_are_refused(text, kind):
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    cloud = tensor_cloud(domain, np.array([3, 3]))  # has a point at x = 0
    with pytest.raises(InputError, match="not finite on the domain"):
        Operator(KINDS[kind], source_of(text), domain, cloud)
