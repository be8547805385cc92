"""Enrichment: residuals of symmetries fall, those of near-symmetries stay, and the rules that tell them apart."""

from __future__ import annotations

import numpy as np
import pytest

from known_symmetries import (
    BROWNIAN,
    CASES,
    DOUBLE_WELL,
    EXAMPLE_3,
    FELLER,
    GEOMETRIC,
    SYSTEMS,
    Known,
    numbers,
)
from liestonet.core.angles import principal_angles
from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.core.points import lattice_cloud
from liestonet.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic.nullspace import (
    Enrichment,
    NullSpace,
    cloud_for,
    count_symmetries,
    enlarged,
    find_null_space,
    project_coefficients,
    residuals_elsewhere,
    start_basis,
    unsettled_directions,
    used_basis,
)
from liestonet.symmetry.analytic.smallest_singular import Directions
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import KINDS


def source_of(text: str) -> SymbolicCoefficients:
    symbolic = SDE.parse(text).symbolic
    assert symbolic is not None
    return symbolic


def found(known: Known, kind: str, bound: int | None) -> NullSpace:
    return find_null_space(KINDS[kind], known.source, known.domain, bound)


def exact_fields(known: Known, kind: str):
    """The exact generators as a function of points."""
    n, expressions = known.source.dimension, known.expressions(kind)

    def call(t, x):
        values = [numbers(known.source, e, np.column_stack([t, x])) for e in expressions]
        parts = np.array(values)
        return (
            parts[:, 0],
            parts[:, 1 : n + 1].transpose(0, 2, 1),
            *([parts[:, n + 1]] if n + 1 < parts.shape[1] else []),
        )

    return call


@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case[0] != "unbounded"])
def test_the_null_space_is_the_span_of_the_exact_generators(name, kind):
    """Without being told the dimension. Aim of ACCURACY: 1e-7 radians, 6e-6 degrees."""
    known = SYSTEMS[name]
    null = found(known, kind, None)
    assert null.settled
    assert null.count == len(known.generators[kind])
    span = Fields(null.directions.basis, null.directions.coefficients[:, : null.count], kind == "fokker-planck")
    points = lattice_cloud(known.domain, 300).points
    scale = (float(known.domain.half[0]), known.domain.half[1:].tolist())
    angles = principal_angles(span, exact_fields(known, kind), points[:, 0], points[:, 1:], scale=scale)
    assert angles.max() < 6e-6


def test_a_symmetry_falls_and_a_near_symmetry_stays():
    """The square root process with 4κθ = 4σ²: two symmetries, and a third direction at 0.7 % for good."""
    history = found(FELLER, "ito", None).history
    residuals = np.array([round_.residuals[:3] for round_ in history])
    assert len(history) >= 3
    assert residuals[-1, 1] < 1e-5 * residuals[0, 1]
    assert 0.9 * residuals[0, 2] < residuals[-1, 2] < residuals[0, 2]
    sizes = [round_.size for round_ in history]
    assert sizes == sorted(sizes)


def test_example_3_has_a_near_symmetry_of_about_one_percent():
    """Example 3 has a near-symmetry (docs/method.md §3.4), a fourth direction of 0.7 to 3 % depending on the box."""
    null = found(EXAMPLE_3, "ito", 3)
    assert null.count == 3
    assert 0.007 < null.directions.residuals[3] < 0.03
    assert null.gap > 1e6


def test_near_symmetries_of_a_weak_cubic_are_first_order_small():
    """dx = (−x − εx³)dt + dW: exact at ε = 0, so two residuals are linear in ε, and only ∂t is a symmetry."""
    sizes = []
    for small in ("1/1000", "1/500"):
        null = find_null_space(
            KINDS["ito"], source_of(f"dx = (-x - {small}*x^3) dt + dW"), Domain(((0.0, 1.0), (-1.0, 1.0))), None
        )
        assert null.count == 1
        sizes.append(null.directions.residuals[1:3])
    np.testing.assert_allclose(sizes[1] / sizes[0], 2, rtol=5e-3)


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("dx = (1/2 + {})*x dt + sqrt(1 + x^2) dW", (-6.0, 6.0)),
        ("dx = (1/4 - (1/2 + {})*x) dt + sqrt(x*(1 - x)) dW", (0.05, 0.95)),
    ],
)
def test_near_symmetries_are_resolved_although_the_bound_is_reached_at_once(text, box):
    """Exact at δ = 0, so two residuals are linear in δ; ∂t, all that is left, needs no enrichment at all."""
    sizes = []
    for small in ("1/1000", "1/500"):
        null = find_null_space(KINDS["ito"], source_of(text.format(small)), Domain(((0.0, 1.0), box)), 1)
        assert (null.count, null.settled) == (1, True)
        sizes.append(null.directions.residuals[1:3])
    np.testing.assert_allclose(sizes[1] / sizes[0], 2, rtol=5e-3)


def test_a_round_with_more_rounding_does_not_replace_a_better_one():
    """Nor does one that misses the bound; of two that reach it equally well the later has the richer basis."""
    basis = start_basis(KINDS["ito"], BROWNIAN.source, BROWNIAN.domain, None)

    def null(residuals: list[float], count: int) -> NullSpace:
        values = np.array(residuals)
        directions = Directions(basis, values, np.zeros((basis.size, len(values))), np.ones(basis.size))
        return NullSpace(directions, count, (Enrichment(2, values),), True)

    early = null([1e-13, 0.5], 1)
    assert early.tells_more_than(null([1e-9, 0.5], 1), 1)
    assert early.tells_more_than(null([1e-13, 1e-12], 2), 1)
    assert not early.tells_more_than(null([1e-12, 1e-6], 1), 1)
    # fewer than the bound, although nothing rose: what was counted before stays
    assert not null([1e-16, 1.4e-6, 0.1], 2).tells_more_than(null([1e-16, 1.38e-6, 0.1], 1), 2)
    assert null([1e-16, 1.4e-9, 0.1], 2).tells_more_than(null([1e-16, 1.4e-8, 0.1], 1), 2)
    assert not null([1e-13, 0.5], 1).tells_more_than(null([1e-13, 1e-13, 0.5], 2), 2)


def test_residuals_elsewhere_use_other_points():
    """On fresh points a symmetry stays one, and ∂x of the double well has the residual integrated by hand."""
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    basis = Basis(domain, domain.half, (total_degree([0], 2, 1), total_degree([0, 1], 2, 1)))
    coefficients = np.zeros((basis.size, 2))
    coefficients[0, 0], coefficients[2, 1] = 1, 1  # ∂t and ∂x, of any length
    found = residuals_elsewhere(KINDS["ito"], DOUBLE_WELL.source, domain, Fields(basis, 5 * coefficients))
    # ‖T E1/L‖/‖ξ/L‖ with E1 = −f' = 3x² − 1: T √(E[(3x² − 1)²]) = ½ √(4/5)
    np.testing.assert_allclose(found, [0, 0.5 * np.sqrt(0.8)], atol=2e-3)
    assert len(residuals_elsewhere(KINDS["ito"], DOUBLE_WELL.source, domain, Fields(basis, coefficients[:, :0]))) == 0


def rounds(*residuals: list[float], size: int = 50) -> list[Enrichment]:
    return [Enrichment(size + 10 * i, np.array(row)) for i, row in enumerate(residuals)]


COUNTS = [
    ([1e-14, 1e-13, 1e-12, 0.3, 0.5], None, 3),
    ([1e-14, 1e-13, 1e-12, 0.3, 0.5], 3, 3),
    ([1e-14, 1e-13, 1e-12, 0.3, 0.5], 1, 1),  # never more than the bound
    ([0.2, 0.3, 0.5], None, 0),
    ([0.2, 0.3, 0.5], 0, 0),
    ([0.2, 0.3, 0.5], 2, 0),  # a bound is not a count
    ([1e-14, 0.005, 0.3, 0.6], 3, 1),  # a near-symmetry
    ([1e-16, 1e-6, 1e-5, 0.3, 0.5], 3, 3),  # a clear gap at the bound wins over a wider one below
]


@pytest.mark.parametrize(("residuals", "bound", "expected"), COUNTS)
def test_counting(residuals, bound, expected):
    assert count_symmetries(rounds(residuals), bound) == expected


def test_unsettled_until_two_rounds_brought_nothing():
    falling = [[1e-14, 1e-2, 0.2, 0.9], [1e-15, 1e-4, 0.2, 0.9], [1e-15, 1e-6, 0.2, 0.9]]
    assert unsettled_directions(rounds(falling[0]), None).tolist() == [1, 2]
    assert unsettled_directions(rounds(*falling), None).tolist() == [1]
    still = [[1e-14, 1e-2, 0.2, 0.9]] * 3
    assert unsettled_directions(rounds(*still), None).tolist() == []
    # one quiet round is not enough
    assert unsettled_directions(rounds(falling[0], falling[1], falling[1]), None).tolist() == [1]


def test_unsettled_knows_the_bound():
    falling = [[1e-14, 1e-4, 0.3, 0.9], [1e-15, 1e-6, 0.3, 0.8], [1e-15, 1e-7, 0.3, 0.7]]
    # with a bound of two, the second direction is accurate once it is 1e-7 of the third
    assert unsettled_directions(rounds(*falling), 2).tolist() == [1]
    assert unsettled_directions(rounds(*falling), 2, accuracy=1e-6).tolist() == []
    assert unsettled_directions(rounds(*falling), 0).tolist() == []
    # the first direction beyond the bound is followed where it falls and the basis is small
    near = [[1e-14, 0.9, 1.9], [1e-14, 0.6, 1.9], [1e-14, 0.3, 1.9]]
    assert unsettled_directions(rounds(*near), 1).tolist() == [1]
    assert unsettled_directions(rounds(*near, size=5000), 1).tolist() == []


def test_last_fall_and_gap():
    history = rounds([1e-9, 0.3, 0.5], [1e-12, 0.2, 0.5, 0.6])
    basis = start_basis(KINDS["ito"], BROWNIAN.source, BROWNIAN.domain, None)
    directions = Directions(basis, history[-1].residuals, np.zeros((basis.size, 4)), np.ones(basis.size))
    null = NullSpace(directions, 1, tuple(history), True)
    assert null.gap == pytest.approx(0.2e12)
    assert [null.last_fall(j) for j in range(4)] == pytest.approx([1e-9, 0.1, 0.0, 0.6], rel=1e-2)
    assert NullSpace(directions, 4, tuple(history), True).gap == float("inf")


def test_used_basis_keeps_what_the_directions_use():
    """Brownian motion's generators are linear, so beyond the degrees kept anyway nothing is needed."""
    null = found(BROWNIAN, "ito", 3)
    wide = enlarged(
        enlarged(null.directions.basis, KINDS["ito"].equations(1, 1), None), KINDS["ito"].equations(1, 1), None
    )
    coefficients = project_coefficients(null.directions, wide)
    norms = np.ones(wide.size)
    kept = used_basis(Directions(wide, null.directions.residuals, coefficients, norms), np.array([2]))
    assert kept.highest.max() <= 7
    assert kept.size < wide.size
    # and every function of the wide basis with a weight in the third direction would have been kept
    heavy = coefficients.copy()
    heavy[-1, 2] = 1.0
    kept = used_basis(Directions(wide, null.directions.residuals, heavy, norms), np.array([2]))
    assert wide.degrees[-1][-1].tolist() in kept.degrees[-1].tolist()


def test_projection_keeps_the_functions_in_common():
    known = GEOMETRIC
    null = found(known, "ito", 3)
    larger = enlarged(null.directions.basis, KINDS["ito"].equations(1, 1), None)
    assert larger.size > null.directions.basis.size
    points = lattice_cloud(known.domain, 50).points
    here = Fields(null.directions.basis, null.directions.coefficients)
    there = Fields(larger, project_coefficients(null.directions, larger))
    for a, b in zip(here(points[:, 0], points[:, 1:]), there(points[:, 0], points[:, 1:]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-13)


def test_start_basis_in_many_dimensions_follows_the_coupling():
    """In four dimensions only functions of variables that a solution couples; τ stays a function of time."""
    source = source_of("; ".join(f"dx{i} = dW{i}" for i in range(1, 5)))
    domain = Domain(((0.0, 1.0),) * 5)
    coupling = np.zeros((5, 5, 5), bool)
    coupling[0, 0, 0] = True
    coupling[1, 1, 1] = coupling[1, 2, 2] = True  # x1 and x2, but not their product
    coupling[2, 3, 3] = coupling[2, 4, 4] = coupling[2, 3, 4] = coupling[2, 4, 3] = True
    basis = start_basis(KINDS["ito"], source, domain, coupling)
    rows = [sorted(map(tuple, rows.tolist())) for rows in basis.degrees]
    assert rows[0] == [(k, 0, 0, 0, 0) for k in range(4)]
    assert rows[1] == sorted([(0,) * 5, (0, 1, 0, 0, 0), (0, 2, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 2, 0, 0)])
    assert (0, 0, 0, 1, 1) in rows[2]
    assert len(rows[2]) == 6
    assert rows[3] == [(0,) * 5]


def test_clouds_have_more_equations_than_unknowns():
    for known in (BROWNIAN, EXAMPLE_3):
        basis = start_basis(KINDS["law"], known.source, known.domain, None)
        for _ in range(3):
            assert len(cloud_for(basis, known.domain).weights) > max(len(rows) for rows in basis.degrees)
            basis = enlarged(basis, KINDS["law"].equations(known.source.dimension, 1), None)
