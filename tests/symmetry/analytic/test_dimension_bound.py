"""Upper bounds from power series: known dimensions, invariance, and null spaces of matrices whose rank is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from known_symmetries import BROWNIAN, CASES, DOUBLE_WELL, KOLMOGOROV, PLANE, SYSTEMS, UNBOUNDED, Known
from liestonet.core.domain import Domain
from liestonet.core.power_series import SeriesRing
from liestonet.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic import dimension_bound
from liestonet.symmetry.analytic.dimension_bound import (
    FormalCount,
    columns_at,
    count_formal,
    formal_counts,
    generic_point,
    null_space,
)
from liestonet.symmetry.analytic.series_conditions import FormalSystem
from liestonet.symmetry.analytic.tuning import FORMAL
from liestonet.symmetry.determining.kinds import KINDS


def bound(kind: str, source: SymbolicCoefficients, domain: Domain) -> int | None:
    counts = formal_counts(KINDS[kind], source, domain)
    assert not counts[-1].doubtful
    return counts[-1].bound


@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case[0] != "unbounded"])
def test_bound_of_known_systems(name, kind):
    """Never below the number of independent exact generators, and equal where no others exist."""
    known = SYSTEMS[name]
    found = bound(kind, known.source, known.domain)
    assert found is not None
    assert found >= len(known.generators[kind])
    if kind in known.complete:
        assert found == len(known.generators[kind])


def test_known_dimensions_are_those_of_the_literature():
    """docs/method.md §2.4 and §2.6: what the list of systems says, in numbers."""
    sizes = {(name, kind): len(SYSTEMS[name].generators[kind]) for name, kind in CASES}
    kinds = ("ito", "law", "fokker-planck")
    assert [sizes["Brownian motion", kind] for kind in kinds] == [3, 3, 6]
    assert [sizes["Ornstein-Uhlenbeck", kind] for kind in kinds] == [3, 3, 6]
    assert [sizes["geometric Brownian motion", kind] for kind in kinds] == [3, 3, 6]
    assert [sizes["Example 3", kind] for kind in kinds] == [3, 3, 6]
    assert [sizes["plane", kind] for kind in ("ito", "law")] == [4, 5]
    assert [sizes["two noises", kind] for kind in ("ito", "law")] == [1, 3]


MORE = [
    ("dx = (x^2 + t*x^3) dt + dW", "ito", 0),
    ("dx = (x^2 + t*x^3) dt + dW", "fokker-planck", 1),  # u∂u is always there
    ("dx = (2/x - 3*x) dt + dW", "ito", 2),  # A/y + b y
    ("dx = (2/x - 3*x) dt + dW", "fokker-planck", 4),
    ("dx = (3/4 - x) dt + sqrt(x) dW", "fokker-planck", 6),  # 4κθ = 3σ²
    ("dx = (1 - x) dt + sqrt(x) dW", "fokker-planck", 4),
    ("dx = x dt + dW1; dy = x dt + y dt + dW2", "ito", 3),  # M not a multiple of 1
    ("dx = -2*x dt + dW1; dy = -2*y dt + dW2", "ito", 4),
    ("dx = cos(x/2) dW1 - sin(x/2) dW2; dy = sin(x/2) dW1 + cos(x/2) dW2", "ito", 2),  # a turned σ
    ("dx = cos(x/2) dW1 - sin(x/2) dW2; dy = sin(x/2) dW1 + cos(x/2) dW2", "law", 5),
    ("dx = y dt; dy = (-y - 3/16*x) dt + dW", "ito", 4),  # ω² = 3γ²/16
    ("dx = y dt; dy = (-y - 1/5*x) dt + dW", "ito", 3),
]


@pytest.mark.parametrize(("text", "kind", "expected"), MORE)
def test_facts_of_the_catalogue(text, kind, expected):
    source = SDE.parse(text).symbolic
    assert source is not None
    assert bound(kind, source, Domain(((0.0, 1.0), *[(1.0, 2.0)] * source.dimension))) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected"), [("ito", 12), ("law", 57)])
def test_brownian_motion_in_ten_dimensions(kind, expected):
    source = SDE.parse("; ".join(f"dx{i} = dW{i}" for i in range(1, 11))).symbolic
    assert source is not None
    assert bound(kind, source, Domain(((0.0, 1.0), *[(-1.0, 1.0)] * 10))) == expected


def test_an_infinite_algebra_has_new_freedom_at_every_degree():
    """h(ye^{−t})∂x and h(ye^{−t})y∂y: two new numbers a degree; ∂t and the scaling fill the lowest two."""
    last = formal_counts(KINDS["ito"], UNBOUNDED.source, UNBOUNDED.domain, largest=300)[-1]
    assert last.bound is None
    # the highest degree is not yet bound by all conditions
    assert np.diff(last.free[:-1]).tolist() == [3] + [2] * (len(last.free) - 3)


@pytest.mark.parametrize(
    "name", ["double well", "Example 3", "Feller", "driven", "rotating", "geometric Brownian motion"]
)
@pytest.mark.parametrize("shift", [-0.4, 0.3, 1.7])
def test_bound_does_not_depend_on_the_point(name, shift):
    known = SYSTEMS[name]
    for kind in set(known.generators) - {"fokker-planck"}:
        moved = Domain(tuple((low + shift, high + shift) for low, high in known.domain.intervals))
        assert bound(kind, known.source, moved) == len(known.generators[kind])


def in_units(known: Known, units: list[int]) -> tuple[SymbolicCoefficients, Domain]:
    """The same system with t and x measured in other units."""
    source, (time, *lengths) = known.source, [sp.Integer(10) ** power for power in units]
    change = {source.time: time * source.time, **{x: u * x for x, u in zip(source.state, lengths, strict=True)}}
    shrink = sp.diag(*[1 / u for u in lengths])
    drift = shrink * source.drift.subs(change, simultaneous=True) * time
    diffusion = shrink * source.diffusion.subs(change, simultaneous=True) * sp.sqrt(time)
    other = SymbolicCoefficients(source.state, source.time, sp.ImmutableMatrix(drift), sp.ImmutableMatrix(diffusion))
    pairs = zip(known.domain.intervals, units, strict=True)
    return other, Domain(tuple((low / 10.0**power, high / 10.0**power) for (low, high), power in pairs))


@pytest.mark.parametrize("units", [[3, -4, 5], [-6, 6, 0], [0, -3, -3]])
@pytest.mark.parametrize(("name", "kind"), [("double well", "fokker-planck"), ("Example 3", "ito"), ("Feller", "ito")])
def test_bound_does_not_depend_on_units(name, kind, units):
    known = SYSTEMS[name]
    source, domain = in_units(known, units[: known.source.dimension + 1])
    assert bound(kind, source, domain) == len(known.generators[kind])


MAPS = {"exp": (sp.exp, sp.log), "cube": (lambda x: x**3, sp.cbrt), "inverse": (lambda x: 1 / x, lambda x: 1 / x)}
MAPS["tan"] = (sp.tan, sp.atan)


@pytest.mark.parametrize("change", MAPS)
@pytest.mark.parametrize("name", ["Brownian motion", "Ornstein-Uhlenbeck", "double well", "Bessel", "driven"])
def test_bound_does_not_depend_on_coordinates(name, change):
    """Itô's formula for φ(x) in place of x, at kinds Itô and Fokker–Planck."""
    source, (forward, backward) = SYSTEMS[name].source, MAPS[change]
    (x,) = source.state
    phi, inverse = forward(x), {x: backward(x)}
    drift = source.drift[0] * phi.diff(x) + source.diffusion_squared[0] * phi.diff(x, 2) / 2
    diffusion = source.diffusion[0] * phi.diff(x)
    parts = [sp.ImmutableMatrix([[sp.simplify(part.subs(inverse))]]) for part in (drift, diffusion)]
    ends = sorted(float(forward(sp.Float(value))) for value in (0.5, 1.3))
    domain = Domain(((0.5, 1.5), (ends[0], ends[1])))
    other = SymbolicCoefficients(source.state, source.time, parts[0], parts[1])
    for kind in {"ito", "fokker-planck"} & set(SYSTEMS[name].generators):
        # some of these coordinates make small numbers of large ones, and the count may rightly say so: `doubtful`
        assert formal_counts(KINDS[kind], other, domain)[-1].bound == len(SYSTEMS[name].generators[kind])


def coupling_of(known: Known, kind: str, order: int = 5) -> np.ndarray:
    """Coupling as counting in floating point sees it; in two dimensions solving does without."""
    source, half = known.source, known.domain.half / 2
    ring = SeriesRing(source.dimension + 1, order + 1)
    series = source.series(ring, generic_point(known.domain), half)
    assert series is not None
    equations = KINDS[kind].equations(source.dimension, source.noise)
    return count_formal(FormalSystem(equations, ring, series, half), order).coupling


def test_coupling_names_the_variables_of_each_component():
    """In the plane, at law level: τ(t), and ξ linear in x and in y, never in a product and not in t."""
    coupling = coupling_of(PLANE, "law")
    assert coupling[0].tolist() == np.diag([True, False, False]).tolist()
    for unknown in (1, 2):
        assert coupling[unknown].tolist() == np.diag([False, True, True]).tolist()
    # ∂x + t∂y and 2t∂t + x∂x + 3y∂y
    coupling = coupling_of(KOLMOGOROV, "ito")
    assert coupling[1].tolist() == np.diag([False, True, False]).tolist()
    assert coupling[2].tolist() == np.diag([True, False, True]).tolist()


def test_taylor_coefficients_of_true_generators_solve_the_conditions():
    """The rows of the matrix are conditions that every symmetry meets, and near-misses do not."""
    source, order = DOUBLE_WELL.source, 5
    point, half = generic_point(DOUBLE_WELL.domain), DOUBLE_WELL.domain.half / 2
    ring = SeriesRing(2, order + 1)
    series = source.series(ring, point, half)
    assert series is not None
    equations = KINDS["fokker-planck"].equations(1, 1)
    matrix, degrees, columns = FormalSystem(equations, ring, series, half).matrix(order)
    assert matrix.shape[1] == len(degrees) == columns_at(equations, order)

    def coefficients(generator) -> np.ndarray:
        scales, values = equations.unknown_scales(half), []
        for unknown, position in columns:
            i, j = ring.exponents[position]
            derivative = sp.diff(sp.sympify(generator[unknown]), source.time, i, source.state[0], j)
            number = derivative.subs({source.time: point[0], source.state[0]: point[1]})
            values.append(float(number) * half[0] ** i * half[1] ** j / (sp.factorial(i) * sp.factorial(j)))
            values[-1] /= scales[unknown]
        return np.array(values, dtype=float)

    for generator in DOUBLE_WELL.expressions("fokker-planck"):
        assert np.abs(matrix @ coefficients(generator)).max() < 1e-12
    x, t = source.state[0], source.time
    for generator in ([0, 1, 0], [0, 0, x], [2 * t, x, 0]):
        assert np.abs(matrix @ coefficients(generator)).max() > 0.1


def test_counting_stops_where_there_is_no_series():
    t, x = sp.symbols("t x", real=True)
    source = SymbolicCoefficients((x,), t, sp.ImmutableMatrix([[sp.Max(x, t)]]), sp.ImmutableMatrix([[1]]))
    assert formal_counts(KINDS["ito"], source, Domain(((0.0, 1.0), (1.0, 2.0)))) == []


@pytest.mark.parametrize(
    ("free", "expected"), [((2, 3, 3, 5), 3), ((0, 0), 0), ((1, 2, 4), None), ((2, 3, 3, 3, 7), 3)]
)
def test_bound_is_where_a_degree_brings_nothing(free, expected):
    assert FormalCount(len(free) - 1, free, False, np.zeros((1, 2, 2), bool)).bound == expected


def test_generic_point_has_no_special_coordinates():
    domain = Domain(tuple((-1.0, 1.0) for _ in range(20)))
    point = generic_point(domain)
    assert (np.abs(point) < 0.2).all()
    assert (np.abs(point) > 1e-3).all()
    assert len(set(point[:16])) == 16


def random_rank(rng, rows: int, columns: int, rank: int) -> np.ndarray:
    """A matrix with `rank` singular values between 1 and 3 and the rest zero."""
    left = np.linalg.qr(rng.standard_normal((rows, rank)))[0]
    right = np.linalg.qr(rng.standard_normal((columns, rank)))[0]
    return left @ np.diag(rng.uniform(1, 3, rank)) @ right.T


@given(st.integers(0, 10_000), st.booleans())
def test_null_space_of_blocks_of_known_rank(seed, large):
    """Blocks shuffled into one matrix; their null spaces come out apart, by singular values or normal equations."""
    rng = np.random.default_rng(seed)
    blocks, expected = [], 0
    for _ in range(rng.integers(1, 4)):
        rows, columns = rng.integers(3, 12, 2)
        rank = int(rng.integers(1, min(rows, columns) + 1))
        blocks.append(random_rank(rng, rows, columns, rank))
        expected += columns - rank
    whole = np.asarray(scipy.linalg.block_diag(*blocks, np.zeros((1, 1))))  # and one unknown that no condition names
    expected += 1
    whole = whole[rng.permutation(len(whole))][:, rng.permutation(whole.shape[1])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dimension_bound, "FORMAL", replace(FORMAL, large=2 if large else FORMAL.large))
        null, levels, doubtful = null_space(whole)
    assert null.shape == (expected, whole.shape[1])
    np.testing.assert_allclose(null @ null.T, np.eye(expected), atol=1e-12)
    np.testing.assert_allclose(whole @ null.T, 0, atol=1e-7 if large else 1e-12)
    assert levels == (FORMAL.blunt_levels if large else FORMAL.exact_levels)
    assert not doubtful


@pytest.mark.parametrize(
    ("small", "count", "doubtful"), [(1e-14, 1, False), (1e-11, 1, True), (1e-8, 0, True), (1e-5, 0, False)]
)
def test_doubtful_singular_values_are_told(small, count, doubtful):
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.standard_normal((8, 8)))[0] for _ in range(2))
    null, _, found = null_space(left @ np.diag([1.0] * 7 + [small]) @ right.T)
    assert (len(null), found) == (count, doubtful)


def test_conditions_may_have_any_size():
    """Rows are compared to their own length, so a condition in small numbers counts like the others."""
    matrix = random_rank(np.random.default_rng(1), 6, 8, 6) * 10.0 ** np.arange(-9, 3, 2)[:, None]
    null, _, doubtful = null_space(matrix)
    assert len(null) == 2
    assert not doubtful


def test_brownian_bound_falls_to_its_limit():
    """Each further order can only take freedom away."""
    counts = formal_counts(KINDS["fokker-planck"], BROWNIAN.source, BROWNIAN.domain, repeats=4)
    for before, after in pairwise(counts):
        assert all(b <= a for a, b in zip(before.free, after.free, strict=False))
    assert counts[-1].free[2] == 6


@pytest.mark.slow  # 400 MB
def test_ten_coordinates_have_their_coupling_where_a_bound_is_too_large():
    """Ornstein–Uhlenbeck with ten different rates: noise allows rotations, but none that change with the time."""
    text = "; ".join(f"dx{i} = -{i}/4*x{i} dt + dW{i}" for i in range(1, 11))
    domain = Domain.from_pairs([(0, 1)] + [(-1, 1)] * 10, 10)
    (count,) = formal_counts(KINDS["fokker-planck"], SDE.parse(text).coefficients(domain), domain)
    assert count.order == 3
    for i in range(1, 11):
        own = np.zeros((11, 11), dtype=bool)
        own[np.ix_([0, i], [0, i])] = True
        assert not (count.coupling[i] & ~own & ~np.eye(11, dtype=bool)).any()
        assert count.coupling[i, 0, 0]  # e^{±it/4} ∂_i
        assert count.coupling[11, 0, i]  # and its β, linear in x_i
