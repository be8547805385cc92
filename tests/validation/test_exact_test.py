"""`lsn.test` on an equation: maps and generators that are known to be symmetries are proved, others fail at a point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import liestonet as lsn
from liestonet.errors import InputError

WELL = "dx = (x - x^3) dt + dW"
LORENZ = "dx = 10*(y - x) dt + dW1; dy = (28*x - y - x*z) dt + dW2; dz = (x*y - 8/3*z) dt + dW3"
THOMAS = "dx = (sin(y) - 0.2*x) dt + 0.3 dW1; dy = (sin(z) - 0.2*y) dt + 0.3 dW2; dz = (sin(x) - 0.2*z) dt + 0.3 dW3"
COUPLED = "dx = (x - x^3 + y - x) dt + 0.5 dW1; dy = (y - y^3 + x - y) dt + 0.5 dW2"
NERVE = "dx = (x - x^3/3 - y) dt + 0.3 dW1; dy = (x - 0.5*y)/10 dt + 0.3 dW2"
TRIANGLE = "dx = (x - x^2 + y^2) dt + dW1; dy = (y + 2*x*y) dt + dW2"

# Equation, map, whether it is a symmetry of the law.
CASES = [
    (WELL, "x -> -x", True),
    ("dx = (x - x^3 + 0.2) dt + dW", "x -> -x", False),
    ("dx = (x - x^3 + sin(t)) dt + dW", "t, x -> t + pi, -x", True),
    ("dx = (x - x^3 + sin(t)) dt + dW", "x -> -x", False),
    ("dx = sin(x) dt + dW", "x -> -x", True),
    ("dx = sin(x) dt + dW", "x -> x + 2*pi", True),
    ("dx = sin(x) dt + dW", "x -> x + 1", False),
    ("dx = x/2 dt + x dW", "x -> 1/x", True),
    ("dx = x dt + x dW", "x -> 1/x", False),
    ("dx = -x*log(x) dt + x/2 dW", "x -> exp(-1/4)/x", True),
    ("dx = -x*log(x) dt + x/2 dW", "x -> 1/x", False),
    ("dx = dW", "t, x -> 4*t, 2*x", True),
    ("dx = dW", "t, x -> 4*t, 3*x", False),
    ("dx = -x dt + dW", "x -> x + exp(-t)", True),
    (LORENZ, "x, y -> -x, -y", True),
    (LORENZ, "x, y, z -> -x, -y, -z", False),
    (THOMAS, "x, y, z -> y, z, x", True),
    (THOMAS, "x, y, z -> -x, -y, -z", True),
    (THOMAS, "x, y -> y, x", False),
    (COUPLED, "x, y -> y, x", True),
    (COUPLED, "x, y -> -y, -x", True),
    (COUPLED, "x -> -x", False),
    (NERVE, "x, y -> -x, -y", True),
    (TRIANGLE, "y -> -y", True),
    (TRIANGLE, "x, y -> -x/2 - sqrt(3)/2*y, sqrt(3)/2*x - y/2", True),
    (TRIANGLE, "x, y -> -y, x", False),
]


def law_is_kept(sde: lsn.SDE, text: str) -> bool:
    """Itô's formula and the change of clock by SymPy, written here and not read from the package."""
    source: Any = sde.symbolic
    read: Any = sp.sympify
    t, state = source.time, list(source.state)
    left, right = text.split("->")
    names = {"t": t, "pi": sp.pi} | {s.name: s for s in state}
    given = dict(zip([part.strip() for part in left.split(",")], read(f"[{right}]", locals=names), strict=True))
    clock = given.get("t", t)
    image: Any = sp.Matrix([given.get(s.name, s) for s in state])
    drift, squared = source.drift, source.diffusion_squared
    there = dict(zip([t, *state], [clock, *image], strict=True))
    speed, slopes = sp.diff(clock, t), image.jacobian(state)
    rows = [
        sp.diff(g, t) + (slopes[i, :] * drift)[0] + (sp.hessian(g, state) * squared).trace() / 2
        for i, g in enumerate(image)
    ]
    left_sides = [*rows, *(slopes * squared * slopes.T)]
    right_sides = [speed * part.subs(there, simultaneous=True) for part in (*drift, *squared)]
    # logarithms are those of positive states
    positive = {s: sp.Symbol(s.name, positive=True) for s in state} if source.drift.has(sp.log) else {}
    return all(sp.simplify((a - b).subs(positive)) == 0 for a, b in zip(left_sides, right_sides, strict=True))


@pytest.mark.parametrize(("text", "claim", "holds"), CASES)
def test_maps_are_proved_or_fail_at_a_point(text: str, claim: str, holds: bool):
    sde = lsn.SDE.parse(text)
    assert law_is_kept(sde, claim) is holds
    found = lsn.test(sde, claim)
    assert found.holds is holds
    assert found.rejected is not holds
    assert found.p_value == float(holds)
    if holds:
        assert found.status == "proved"
        assert found.verdict == "symmetry"
        assert found.residual == found.lower == found.upper == 0.0
        assert found.failure is None
        assert "proved by SymPy" in str(found)
    else:
        assert found.residual > 1e-3
        assert found.failure is not None
        assert abs(found.failure.wanted - found.failure.found) > 1e-3
        assert found.failure.what in str(found)


def test_the_point_of_failure_is_one():
    """f(−x) would have to be −f(x)."""
    found = lsn.test(lsn.SDE.parse("dx = (x - x^3 + 0.2) dt + dW"), "x -> -x")
    assert found.failure is not None
    x = found.failure.point["x"]
    assert found.failure.wanted == pytest.approx(-(x - x**3 + 0.2))
    assert found.failure.found == pytest.approx(-x + x**3 + 0.2)


def test_the_residual_is_the_part_that_the_mirror_changes():
    """Half of |f(−x) + f(x)| over the root mean square of drift and diffusion: 0.2 of √(0.04 + 1) here."""
    found = lsn.test(lsn.SDE.parse("dx = 0.2 dt + dW"), "x -> -x", domain=[(0, 1), (-1, 1)])
    assert found.residual == pytest.approx(0.2 / np.sqrt(0.2**2 + 1))
    assert found.verdict == "no"


def test_mirrors_and_shifts_of_an_angle():
    sde = lsn.SDE.parse("dtheta = sin(2*theta) dt + dW").with_periods({"theta": 2 * np.pi})
    for claim, holds in (("theta -> -theta", True), ("theta -> theta + pi", True), ("theta -> theta + 1", False)):
        assert lsn.test(sde, claim).holds is holds


def test_parameters_without_values_are_proved_for_all():
    assert lsn.test(lsn.SDE.parse("dx = (a*x - b*x^3) dt + c dW"), "x -> -x").status == "proved"


def test_maps_may_hold_the_parameters_of_an_equation():
    sde = lsn.SDE.parse("dx = k*(m - x) dt + c dW")
    found = lsn.test(sde, "x -> 2*m - x")
    assert (found.holds, found.status, found.claim) == (True, "proved", "x -> 2 m - x")
    wrong = lsn.test(sde, "x -> m - x")
    assert wrong.holds is False
    with pytest.raises(InputError, match=r"holds q, but there are t, x, c, k, m; write numbers for parameters"):
        lsn.test(sde, "x -> q - x")
    with pytest.raises(InputError, match=r"holds m, but there are t, x; write numbers for parameters"):
        lsn.test(sde.with_parameters(k=1, m=2, c=1), "x -> 2*m - x")


def test_callables_are_compared_by_numbers():
    sde = lsn.SDE(lambda t, x: x - x**3, lambda t, x: np.ones((len(x), 1, 1)), dimension=1)
    found = lsn.test(sde, "x -> -x", domain=[(0, 1), (-2, 2)])
    assert (found.holds, found.status) == (True, "numerical")

    def mirror(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return -x

    def jacobian(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return -np.ones((len(x), 1, 1))

    assert lsn.test(lsn.SDE.parse(WELL), (mirror, jacobian)).holds
    mirror.jacobian = jacobian  # type: ignore[attr-defined]
    assert lsn.test(lsn.SDE.parse(WELL), mirror).status == "numerical"


def test_callables_are_called_where_the_map_leads():
    """Beyond the box, where a projection of the callable would say anything."""
    noise = lambda t, x: np.ones((len(x), 1, 1))  # noqa: E731
    odd = lsn.SDE(lambda t, x: -np.tanh(3 * x), noise, dimension=1)
    assert lsn.test(odd, "x -> -x", domain=[(0, 1), (0.5, 2)]).holds
    bent = lsn.SDE(lambda t, x: np.where(x > 0, 1 - x, -5 * x), noise, dimension=1)
    found = lsn.test(bent, "x -> 2 - x", domain=[(0, 1), (0.5, 3)])
    assert found.failure is not None
    assert found.failure.point["x"] > 2  # its image is below zero
    positive = lsn.SDE(lambda t, x: 1 - np.sqrt(x), noise, dimension=1)
    with pytest.raises(InputError, match="no finite value"):
        lsn.test(positive, "x -> 2 - x", domain=[(0, 1), (0.5, 3)])


@pytest.mark.parametrize(
    ("text", "claim", "kind", "holds"),
    [
        ("dx = -x dt + dW", "exp(-t) d_x", None, True),
        ("dx = -x dt + dW", "exp(-t) d_x; d_t", "ito", True),
        ("dx = -x dt + dW", "exp(t) d_x", None, False),
        ("dx = -x dt + dW1; dy = -y dt + dW2", "-y d_x + x d_y", "law", True),
        ("dx = -x dt + dW1; dy = -y dt + dW2", "-y d_x + x d_y", "ito", False),
        ("dx = dW", "u d_u", "fokker-planck", True),
    ],
)
def test_generators_are_proved_too(text: str, claim: str, kind: str | None, holds: bool):
    found = lsn.test(lsn.SDE.parse(text), claim, kind)
    assert found.holds is holds
    assert found.status == ("proved" if holds else "no")


def test_what_solve_found_is_proved_again():
    sde = lsn.SDE.parse("dx = (x - x^2) dt + x dW")
    assert lsn.test(sde, lsn.solve(sde, symmetry="random")).status == "proved"
    assert lsn.test(sde, lsn.solve(sde, symmetry="ito")).status == "proved"


def test_random_generators_are_written_with_w():
    sde = lsn.SDE.parse("dx = (x - x^2) dt + x dW")
    assert lsn.test(sde, "x^2*exp(-w - t/2) d_x", "random").status == "proved"
    wrong = lsn.test(sde, "x^2*exp(-w) d_x", "random")
    assert not wrong.holds
    assert wrong.failure is not None
    assert "w" in wrong.failure.point
    for claim in ("d_t", "d_w"):
        with pytest.raises(InputError, match="no component along"):
            lsn.test(sde, claim, "random")
    with pytest.raises(InputError, match="leave symmetry out"):
        lsn.test(sde, lsn.solve(sde, formulas=False), "random")


def test_a_map_is_a_symmetry_of_the_law():
    with pytest.raises(InputError, match="symmetry of the law"):
        lsn.test(lsn.SDE.parse(WELL), "x -> -x", "ito")
