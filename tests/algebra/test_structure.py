"""Structure constants of polynomial vector fields against brackets computed by SymPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import liestonet as lsn
from known_symmetries import invertible, polynomial_fields
from liestonet.algebra import structure
from liestonet.algebra.naming import name_algebra
from liestonet.algebra.structure import Algebra, find_algebra, jacobi_residual
from liestonet.algebra.tuning import ALGEBRA
from liestonet.core.domain import Domain
from liestonet.core.points import PointCloud, tensor_cloud
from liestonet.errors import InputError
from liestonet.symmetry.determining.fields import Fields

t, x, y, z = sp.symbols("t x y z", real=True)

# (τ, ξ^1, …), by name; the last one with β
ALGEBRAS: dict[str, list[list[Any]]] = {
    "so(3)": [[0, 0, -z, y], [0, z, 0, -x], [0, -y, x, 0]],
    "e(2)": [[0, 1, 0], [0, 0, 1], [0, -y, x]],
    "sl(2)": [[0, 1], [0, x], [0, x**2]],
    "aff(1)": [[0, 1], [0, x]],
    "Heisenberg": [[0, 1, 0, -y / 2], [0, 0, 1, x / 2], [0, 0, 0, 1]],
    "Brownian motion": [[1, 0], [0, 1], [2 * t, x]],
    "R^2": [[1, 0], [0, 1]],
    "projective time": [[1, 0], [t, x / 2], [t**2, t * x]],
    "heat equation": [
        [1, 0, 0],
        [0, 1, 0],
        [2 * t, x, 0],
        [0, 0, 1],
        [0, t, -x],
        [t**2, t * x, -(x**2 + t) / 2],
    ],
}
WITH_BETA = {"heat equation"}
BOX = ((0.0, 2.0), (-1.0, 2.0), (0.0, 1.0), (-2.0, -1.0))


def setup(name: str) -> tuple[Fields, PointCloud]:
    generators, beta = ALGEBRAS[name], name in WITH_BETA
    domain = Domain(BOX[: len(generators[0]) - beta])
    return polynomial_fields(generators, domain, 2, beta), tensor_cloud(domain, np.full(len(domain.intervals), 5))


def algebra_of(fields: Fields, cloud: PointCloud) -> Algebra:
    return find_algebra(fields, cloud.points, cloud.weights)


def bracket(X: list[Any], Y: list[Any], n: int) -> list[Any]:
    """docs/method.md §1.2: X(Y) − Y(X) in every component, with X(g) = τ g_t + ξ·∇g."""
    variables = (t, x, y, z)[: n + 1]

    def along(field: list[Any], g: Any) -> Any:
        return sum(field[v] * sp.diff(g, variable) for v, variable in enumerate(variables))

    return [sp.expand(along(X, b) - along(Y, a)) for a, b in zip(X, Y, strict=True)]


def exact_constants(name: str) -> np.ndarray:
    """Coefficients of every bracket in the generators, by comparing polynomials."""
    generators = ALGEBRAS[name]
    m, n = len(generators), len(generators[0]) - 1 - (name in WITH_BETA)
    unknowns = sp.symbols(f"c:{m}")
    result = np.zeros((m, m, m))
    for i in range(m):
        for j in range(m):
            found = bracket(generators[i], generators[j], n)
            conditions = []
            for component in range(len(found)):
                combined = sum(c * generators[k][component] for k, c in enumerate(unknowns))
                conditions += sp.Poly(found[component] - combined, t, x, y, z).coeffs()
            solution: Any = sp.linsolve(conditions, unknowns)
            result[i, j] = [float(value) for value in next(iter(solution))]
    return result


@pytest.mark.parametrize("name", ALGEBRAS)
def test_structure_constants_are_the_brackets(name):
    algebra = algebra_of(*setup(name))
    np.testing.assert_allclose(algebra.structure_constants, exact_constants(name), atol=1e-12)
    assert algebra.dimension == len(ALGEBRAS[name])
    assert algebra.closure < 1e-13
    assert algebra.jacobi < 1e-12


def test_constants_known_by_heart():
    """[X, x∂x] = ∂x for aff(1); the rotations of space as vector fields have c = −ε."""
    epsilon = np.array([[[sp.LeviCivita(i, j, k) for k in range(3)] for j in range(3)] for i in range(3)], dtype=float)
    np.testing.assert_allclose(algebra_of(*setup("so(3)")).structure_constants, -epsilon, atol=1e-12)
    affine = algebra_of(*setup("aff(1)")).structure_constants
    np.testing.assert_allclose(affine[0, 1], [1, 0], atol=1e-13)
    np.testing.assert_allclose(affine[1, 0], [-1, 0], atol=1e-13)


@pytest.mark.parametrize("name", ALGEBRAS)
@pytest.mark.parametrize("size", [1e-200, 3e-170, 7e150])
def test_size_of_the_generators_does_not_matter(name, size):
    """c[i, j, k] of λ_i X_i is λ_i λ_j / λ_k times that of X_i, however small λ is; closure and name stay."""
    fields, cloud = setup(name)
    factors = size * np.linspace(1, 2, fields.count)
    scaled = algebra_of(fields.mixed(np.diag(factors)), cloud)
    ratios = factors[:, None, None] / factors[None, None, :] * factors[None, :, None]
    np.testing.assert_allclose(scaled.structure_constants / ratios, exact_constants(name), atol=1e-11)
    plain = algebra_of(fields, cloud)
    np.testing.assert_allclose(scaled.unit_constants, plain.unit_constants, atol=1e-12)
    assert scaled.closure < 1e-12
    assert scaled.name == plain.name


def test_generators_of_very_different_sizes():
    fields, cloud = setup("Brownian motion")
    factors = np.array([1e-200, 1e-50, 1e30])
    scaled = algebra_of(fields.mixed(np.diag(factors)), cloud).structure_constants
    ratios = factors[:, None, None] / factors[None, None, :] * factors[None, :, None]
    exact = exact_constants("Brownian motion")
    np.testing.assert_allclose(scaled[exact != 0], (exact * ratios)[exact != 0], rtol=1e-12)
    assert not scaled[exact == 0].any()


def test_no_generators_no_algebra():
    fields, cloud = setup("aff(1)")
    algebra = algebra_of(fields.mixed(np.zeros((2, 0))), cloud)
    assert algebra.structure_constants.shape == (0, 0, 0)
    assert (algebra.closure, algebra.jacobi) == (0, 0)


@pytest.mark.parametrize("name", ["sl(2)", "e(2)", "Brownian motion"])
@given(seed=st.integers(0, 10_000))
def test_constants_transform_as_a_tensor(name, seed):
    """X'_i = Σ_a X_a M_ai gives c'_ij^k = M_ai M_bj c_ab^l (M⁻¹)_kl, and a closed span stays closed."""
    matrix = invertible(seed, 3)
    fields, cloud = setup(name)
    before, after = algebra_of(fields, cloud), algebra_of(fields.mixed(matrix), cloud)
    expected = np.einsum("ai,bj,abl,kl->ijk", matrix, matrix, before.structure_constants, np.linalg.inv(matrix))
    # least squares loses the square of the condition number, itself the product of the matrix's and the fields'
    np.testing.assert_allclose(after.structure_constants, expected, atol=1e-14 * 100**2 * 50)
    assert after.closure < 1e-11


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_constants_under_a_change_of_length_only(powers):
    """Generators of very different size: constants scale exactly, and the closure stays rounding."""
    sizes = 10.0 ** np.array(powers)
    fields, cloud = setup("sl(2)")
    before, after = algebra_of(fields, cloud), algebra_of(fields.mixed(np.diag(sizes)), cloud)
    expected = before.structure_constants * sizes[:, None, None] * sizes[None, :, None] / sizes
    unit = sizes / (sizes[:, None, None] * sizes[None, :, None])
    np.testing.assert_allclose(after.structure_constants * unit, expected * unit, atol=1e-11)
    assert after.closure < 1e-11
    assert after.jacobi < 1e-11


def test_a_span_that_is_not_closed_says_by_how_much():
    """∂x and x³∂x on [−1, 1]: [X, Y] = 3x²∂x, of which the span takes ∂x and leaves 3x² − 1."""
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    fields = polynomial_fields([[0, 1], [0, x**3]], domain, 3)
    algebra = algebra_of(fields, tensor_cloud(domain, np.array([2, 8])))
    left = np.sqrt(9 / 5 - 2 + 1)
    reference = np.sqrt(9 / 5) + 0 + 1 * np.sqrt(1 / 7)
    assert algebra.closure == pytest.approx(left / reference, rel=1e-12)
    np.testing.assert_allclose(algebra.structure_constants[0, 1], [1, 0], atol=1e-13)


def test_jacobi_fails_where_the_span_is_not_closed():
    """[∂x, x³∂x] leaves the span of ∂x, x∂x, x³∂x, and what least squares puts in its place breaks Jacobi."""
    domain = Domain(((0.0, 1.0), (-1.0, 2.0)))
    fields = polynomial_fields([[0, 1], [0, x], [0, x**3]], domain, 3)
    algebra = algebra_of(fields, tensor_cloud(domain, np.array([2, 8])))
    assert algebra.closure > 0.01
    assert algebra.jacobi > 0.01


def test_jacobi_residual_of_tensors():
    epsilon = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[i, j, k], epsilon[j, i, k] = 1, -1
    assert jacobi_residual(epsilon) == 0
    assert jacobi_residual(np.zeros((0, 0, 0))) == 0
    # [0,1] = 2 and [0,2] = 1 and [1,2] = 1: [0,[1,2]] + [1,[2,0]] + [2,[0,1]] = [0,1] − [1,1] + [2,2] = X_2
    broken = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 1)):
        broken[i, j, k], broken[j, i, k] = 1, -1
    assert jacobi_residual(broken) == pytest.approx(1.0)


def test_chunks_change_nothing(monkeypatch):
    fields, cloud = setup("heat equation")
    whole = algebra_of(fields, cloud)
    monkeypatch.setattr(structure, "CHUNK_ENTRIES", 36 * 3 * 7)
    parts = algebra_of(fields, cloud)
    np.testing.assert_allclose(parts.structure_constants, whole.structure_constants, atol=1e-13)
    assert parts.closure < 1e-13


def test_anatomy_is_in_terms_of_the_generators():
    """∂t, ∂x and 2t∂t + x∂x: brackets span the first two, whatever the lengths; of R^2 everything commutes."""
    fields, cloud = setup("Brownian motion")
    found = algebra_of(fields, cloud)
    lengths = np.array([1.0, 50.0, 0.02])
    scaled = found.structure_constants * lengths[:, None, None] * lengths[:, None] / lengths
    for constants in (found.structure_constants, scaled):
        anatomy = Algebra(constants, 0.0, 0.0, constants).anatomy
        derived = anatomy.derived_series[1]
        np.testing.assert_allclose(derived @ derived.T, np.diag([1.0, 1.0, 0.0]), atol=1e-9)
        assert anatomy.derived_dimensions == (3, 2, 0)
        assert (anatomy.resolved, anatomy.solvable, anatomy.nilpotent) == (True, True, False)
    assert algebra_of(*setup("R^2")).anatomy.abelian
    assert algebra_of(*setup("so(3)")).anatomy.killing_signature == (0, 3, 0)


def test_anatomy_of_uncertain_and_of_infinite_algebras():
    exact = algebra_of(*setup("aff(1)"))
    assert not Algebra(exact.structure_constants, 0.0, 0.0, exact.unit_constants, error=0.5).anatomy.resolved
    with pytest.raises(InputError, match="infinite-dimensional"):
        _ = Algebra(exact.structure_constants, 0.0, 0.0, exact.unit_constants, infinite=True).anatomy


def test_overlap_is_the_mean_of_squares_multiplied() -> None:
    domain = Domain(((-1.0, 1.0), (-1.0, 1.0)))
    fields = polynomial_fields([[0, 1], [0, t], [0, 1 + t], [0, 1 - t]], domain, 3)
    cloud = tensor_cloud(domain, np.array([8, 8]))
    overlap = find_algebra(fields, cloud.points, cloud.weights).overlap
    assert overlap is not None
    parts = [sp.Integer(1), t, 1 + t, 1 - t]

    def mean(function: sp.Expr) -> float:
        return float(sp.integrate(function, (t, -1, 1)) / 2)

    for i, first in enumerate(parts):
        for j, second in enumerate(parts):
            length = np.sqrt(mean(first**2) * mean(second**2))
            assert overlap[i, j] == pytest.approx(np.sqrt(mean(first**2 * second**2)) / length, rel=1e-9)


@pytest.mark.parametrize(("duration", "resolved"), [(1.0, True), (5.0, False)])
def test_brackets_of_generators_that_hardly_overlap_are_lost_in_errors(duration: float, resolved: bool) -> None:
    """exp(2t) (…) and exp(−2t) (…) of the Fokker–Planck algebra of dx = x dt + dW do not commute."""
    result = lsn.solve(lsn.SDE.parse("dx = x dt + dW"), symmetry="fokker-planck", domain=[(0, duration), (-2, 2)])
    cloud = tensor_cloud(result.domain, np.array([30, 12]))
    exact = find_algebra(result.fields, cloud.points, cloud.weights)
    assert exact.name == "sl(2,R) ⋉ h_3"
    named = replace(exact, error=2e-3).named
    assert named.resolved is resolved
    assert named.text == "sl(2,R) ⋉ h_3" or (not named.resolved and "not zero" in named.alternatives[-1])


def test_weights_two_and_one_are_told_apart_wherever_an_algebra_is_named() -> None:
    """`largest_error` is where the noise of the constants begins to hide the difference."""
    constants = np.zeros((3, 3, 3))
    for place, weight in ((1, 2.0), (2, 1.0)):
        constants[0, place, place], constants[place, 0, place] = weight, -weight
    largest = 2 * ALGEBRA.largest_error  # errors are relative to the largest constant
    for share in (0.1, 0.5, 0.9):
        named = name_algebra(constants, share * largest)
        assert named.text == "Bianchi VI, h = −9" or not named.resolved
    hidden = name_algebra(constants, 1.5 * largest)
    assert hidden.text != "Bianchi VI, h = −9"


def test_a_name_that_errors_leave_open_says_so() -> None:
    result = lsn.solve(lsn.SDE.parse("dx = x dt + dW"), symmetry="fokker-planck", domain=[(0, 5.0), (-2, 2)])
    cloud = tensor_cloud(result.domain, np.array([30, 12]))
    exact = find_algebra(result.fields, cloud.points, cloud.weights)
    blurred = replace(exact, error=2e-3)
    assert blurred.name == f"{blurred.named.text} (not resolved)"
    assert exact.name == exact.named.text
    assert replace(exact, error=0.2).name == "not resolved"
