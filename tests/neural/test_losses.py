"""Losses L1–L9 on exact generators (zero) and on near-misses (not zero), in one and more dimensions."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from liestonet.neural import losses_l1_to_l5 as structure
from liestonet.neural.generator_networks import GeneratorJets
from liestonet.neural.losses_l6_l8 import determining_residuals
from liestonet.neural.objective import Losses
from liestonet.neural.settings import Objective
from liestonet.symmetry.determining.kinds import kind_named
from neural_cases import at_once

from .exact_generators import ExactGenerators, known_case

T = sympy.Symbol("t")
KEY = jax.random.key(0)

CHANGES = {rate: (lambda rows, rate=rate: [[rate * T, 0]]) for rate in (-30, 30)}
ITO_CASES = ["brownian", "linear", "langevin", "bessel-drift"]
FOKKER_PLANCK_CASES = ["brownian", "ornstein-uhlenbeck", "geometric-brownian"]


def loss(number: int, key: str, kind: str, change=None, part: float = 1.0, **changes) -> float:
    generators, table = known_case(key, kind, change=change, part=part)
    objective = replace(Objective(checks=True, barrier=0.0), **changes)
    return float(term(number, objective, kind, generators, table))


def term(number: int, objective: Objective, kind: str, generators: ExactGenerators, table: dict[str, jax.Array]):
    return at_once(lambda table: Losses(objective, kind).terms(generators, table, KEY, (number,))[number], table)


def bent(rows):
    """The last generator with t²/10 added to its first spatial component: no symmetry of any of the systems."""
    last = list(rows[-1])
    last[1] = last[1] + T**2 / 10
    return [*rows[:-1], last]


@pytest.mark.parametrize(("key", "kind"), [*((key, "ito") for key in ITO_CASES), ("bessel-drift", "law")])
def test_determining_equations(key, kind):
    assert loss(6, key, kind) < 1e-20
    assert loss(6, key, kind, bent) > 1e-6


@pytest.mark.parametrize("key", FOKKER_PLANCK_CASES)
def test_fokker_planck_equations(key):
    """Also with drift, where the paper's printed coefficients annihilate only some of the generators."""
    assert loss(8, key, "fokker-planck") < 1e-18
    assert loss(8, key, "fokker-planck", bent) > 1e-6


@pytest.mark.parametrize(
    ("key", "kind"),
    [("linear", "ito"), ("bessel-drift", "ito"), pytest.param("brownian", "fokker-planck", marks=pytest.mark.slow)],
)
def test_closure_and_jacobi(key, kind):
    assert loss(2, key, kind) < 1e-12
    assert loss(1, key, kind) < 1e-12
    assert loss(1, key, kind, bent) > 1e-6


def test_pointwise_closure_has_no_residual_but_no_constant_constants_either():
    """Three fields in two components: any bracket lies in the span at a point, and only constancy is a condition."""
    assert loss(1, "brownian", "ito", closure="pointwise") > 1e-3
    generators, table = known_case("brownian", "ito")

    def residual(table):
        fields = generators(table["points"], table["squared"])
        brackets = structure.lie_brackets(fields)
        constants, _ = structure.pointwise_constants(fields, brackets, 1e-12)
        return structure.closure(fields, brackets, constants)

    assert float(at_once(residual, table)) < 1e-12


def test_pointwise_closure_of_two_fields():
    """As many fields as components: constants at a point are unique, so the true algebra costs nothing."""
    # the smallest constants are found with a ridge, whose trace is seen where the fields are nearly parallel
    assert loss(1, "brownian", "ito", lambda rows: [rows[0], rows[2]], closure="pointwise") < 1e-8
    assert loss(1, "brownian", "ito", lambda rows: [rows[0], bent(rows)[2]], closure="pointwise") > 1e-6


@pytest.mark.slow
def test_pointwise_closure_is_bounded_where_generators_become_dependent():
    """X = ∂t + x∂x and Y = (x − p)∂x: [X, Y] = p∂x = p/(x − p) Y, infinite where x = p."""
    p, x = 0.3, np.array([-1.0, -0.5, 0.3 + 1e-7, 1.0])
    one, zero = np.ones_like(x), np.zeros_like(x)
    values = np.stack([np.stack([one, x], axis=1), np.stack([zero, x - p], axis=1)])
    gradient = np.zeros((2, 4, 2, 2))
    gradient[:, :, 1, 1] = 1.0
    jets = (jnp.asarray(array) for array in (values, gradient, np.zeros((2, 4, 2)), np.zeros((2, 4, 2, 2, 2))))
    fields = GeneratorJets(*jets)
    brackets = structure.lie_brackets(fields)
    np.testing.assert_allclose(brackets[0, 1], np.stack([zero, p * one], axis=1), atol=1e-15)
    free, bounded = (structure.pointwise_constants(fields, brackets, ridge) for ridge in (1e-20, 1e-6))
    np.testing.assert_allclose(free.constants[:, 0, 1, 1], p / (x - p), rtol=1e-2)
    assert np.abs(bounded.constants).max() < 1e3
    assert float(structure.constancy(bounded.gradient)) < 1e-12 * float(structure.constancy(free.gradient))
    # elsewhere the ridge is not seen
    np.testing.assert_allclose(bounded.constants[[0, 1, 3], 0, 1, 1], p / (x[[0, 1, 3]] - p), rtol=1e-4)


def test_gradient_of_pointwise_constants_against_differences():
    """Fields that are no algebra, so that the constants change from point to point."""
    generators, table = known_case("langevin", "ito", change=bent)

    @jax.jit
    def constants(points):
        fields = generators.bent(points, table["squared"])
        return structure.pointwise_constants(fields, structure.lie_brackets(fields), 1e-12)

    found, step = constants(table["points"]), 1e-5
    i, j = np.triu_indices(3, 1)
    for v in range(3):
        shift = jnp.zeros(3).at[v].set(step)
        ahead, behind = (constants(table["points"] + s).constants for s in (shift, -shift))
        expected = ((ahead - behind) / (2 * step))[:, i, j]
        np.testing.assert_allclose(found.gradient[:, v], expected, atol=1e-4 * (1 + np.abs(expected).max()))


def test_jacobi_sees_constants_of_no_algebra():
    rng = np.random.default_rng(0)
    c = rng.standard_normal((4, 4, 4))
    c = c - c.transpose(1, 0, 2)
    expected = 0.0
    for i in range(4):
        for j in range(i + 1, 4):
            for k in range(j + 1, 4):
                turns = ((i, j, k), (j, k, i), (k, i, j))
                cyclic = [np.einsum("l,lp->p", c[a, b], c[:, d]) for a, b, d in turns]
                expected += float(np.sum(np.sum(cyclic, axis=0) ** 2))
    assert float(structure.jacobi(jnp.asarray(c))) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("number", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_identities_hold_for_any_fields(number):
    assert loss(number, "brownian", "ito", bent) < 1e-24


@pytest.mark.parametrize("form", ["hinge", "determinant"])
def test_dependent_generators_cost(form):
    independent = loss(5, "brownian", "ito", independence=form)
    twice = loss(5, "brownian", "ito", lambda rows: [rows[0], rows[1], rows[1]], independence=form)
    assert twice > independent + 0.1


def test_hinge_is_that_of_singular_values():
    generators, table = known_case("brownian", "ito")
    values = np.asarray(generators(table["points"], table["squared"]).values)
    stacked = values.reshape(3, -1).T / np.sqrt(values.shape[1])
    singular = np.linalg.svd(stacked, compute_uv=False)
    expected = np.sum(np.maximum(0.8 - singular, 0) ** 2)
    assert loss(5, "brownian", "ito") == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("key", "kind"), [("linear", "ito"), pytest.param("bessel-drift", "law", marks=pytest.mark.slow)]
)
def test_pushed_coefficients_fall_with_the_step_for_symmetries_only(key, kind):
    """Heun and Taylor leave ε³ of a true symmetry, so ε⁶ of the loss; a near-miss leaves ε.

    Early times only: the flow of e^{2t}∂t ends at ε = ½ e^{−2t}.
    """
    true = [loss(7, key, kind, part=0.1, flow=step) for step in (2e-2, 1e-2)]
    false = [loss(7, key, kind, bent, part=0.1, flow=step) for step in (2e-2, 1e-2)]
    assert true[1] < true[0] / 30 or true[0] < 1e-16
    assert false[1] > 100 * true[1]
    assert false[0] / false[1] == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize("rate", [-30, 30])
def test_barrier_is_the_softplus_of_pushed_time_steps(rate):
    """One step of Heun multiplies the time steps of c t ∂t by 1 + cε + (cε)²/2."""
    generators, table = known_case("brownian", "ito", change=CHANGES[rate])
    table = table | {"time_step": jnp.full(40, 0.05)}
    with_it, without = (term(7, Objective(barrier=b), "ito", generators, table) for b in (1.0, 0.0))
    pushed = 0.05 * (1 + rate / 100 + (rate / 100) ** 2 / 2)
    assert float(with_it - without) == pytest.approx(np.log1p(np.exp(-pushed)), rel=1e-8)


def density_of(table):
    """A positive function that solves no equation, with its derivatives: the corrected L9 must still vanish."""

    def u(point):
        return jnp.exp(-0.5 * point[1] ** 2 + 0.3 * point[0] * point[1])

    points = table["points"]
    parts = [u, jax.jacfwd(u), jax.jacfwd(jax.jacfwd(u))]
    names = ["density", "density_gradient", "density_hessian"]
    made = at_once(lambda points: [jax.vmap(part)(points) for part in parts], points)
    return table | dict(zip(names, made, strict=True))


@pytest.mark.slow
def test_pushed_density_solves_its_equation():
    """The right L9 falls as ε⁶ for true symmetries, whatever û is, and stays larger for others."""

    def tilted(rows):
        return [*rows[:-1], [rows[-1][0], T / 2, rows[-1][2]]]

    def at(flow, change=None):
        generators, table = known_case("geometric-brownian", "fokker-planck", count=20, change=change, part=0.1)
        return float(term(9, Objective(flow=flow), "fokker-planck", generators, density_of(table)))

    true = [at(2e-2), at(1e-2)]
    assert true[1] < true[0] / 30
    assert at(1e-2, tilted) > 100 * true[1]


def test_printed_pushed_density_penalises_a_true_symmetry():
    """u∂u maps solutions to solutions, but not û to itself: the printed L9 is not zero, the right one is."""

    def scaling(rows):
        return [rows[-1]]

    generators, table = known_case("brownian", "fokker-planck", change=scaling)
    table = density_of(table)
    printed = term(9, Objective(pushed_density="printed"), "fokker-planck", generators, table)
    right = term(9, Objective(pushed_density="solution"), "fokker-planck", generators, table)
    assert float(printed) > 1e-6
    assert float(right) < 1e-12


@pytest.mark.parametrize(("key", "kind"), [("bessel-drift", "ito"), ("heston", "law"), ("linear", "fokker-planck")])
def test_equations_agree_with_the_table_of_terms(key, kind):
    """The written-out equations against the spectral engine's table, for fields that are no symmetries."""
    from liestonet import catalogue
    from liestonet.core.domain import Domain
    from liestonet.core.points import PointCloud
    from liestonet.symmetry.determining.operator import Operator

    def change(rows):
        t = sympy.Symbol("t", real=True)
        names = catalogue[key].sde.names
        x = sympy.Symbol(names[0], real=True)
        extra = [sympy.sin(t), *[sympy.cos(x + k * t) for k in range(len(names))]]
        return [[*extra, x * sympy.exp(-t)] if kind == "fokker-planck" else extra]

    generators, table = known_case(key, kind, change=change, second=False)
    residuals = at_once(
        lambda table: determining_residuals(kind, generators(table["points"], table["squared"]), table), table
    )
    total = sum(float(jnp.sum(part**2)) for part in residuals) / len(table["points"])

    system = catalogue[key]
    domain = Domain.from_pairs(system.box, system.sde.dimension)
    points = domain.centre + domain.half * np.asarray(table["points"])
    cloud = PointCloud(points, np.full(len(points), 1 / len(points)))
    operator = Operator(kind_named(kind), system.sde.coefficients(domain), domain, cloud)
    # the operator's own factors, applied to SymPy's derivatives of the fields in the data's units
    half, scales = domain.half, np.append(domain.half, 1.0)

    def derivative(unknown, d):
        formula = generators.formulas[0][unknown]
        for v in d:
            formula = sympy.diff(formula, generators.variables[v])
        values = sympy.lambdify(generators.variables, formula)(*np.asarray(table["points"]).T)
        return np.broadcast_to(values, len(points)) * scales[unknown] / np.prod(half[list(d)])

    expected = sum(
        float(np.sum(sum(factor * derivative(unknown, d) for unknown, d, factor in row) ** 2))
        for row in operator._factors
    )
    assert total == pytest.approx(expected, rel=1e-9)
