"""`lsn.discrete`: groups of equations that are known, and mirrors of data that were made with them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError

THOMAS = "dx = (sin(y) - 0.2*x) dt + 0.3 dW1; dy = (sin(z) - 0.2*y) dt + 0.3 dW2; dz = (sin(x) - 0.2*z) dt + 0.3 dW3"
COUPLED = "dx = (x - x^3 + y - x) dt + 0.5 dW1; dy = (y - y^3 + x - y) dt + 0.5 dW2"


@pytest.mark.parametrize(
    ("text", "name", "order"),
    [
        ("dx = (x - x^3) dt + dW", "Z2", 2),
        ("dx = (x - x^3 + 0.2) dt + dW", "trivial", 1),
        ("dx = (1 - x) dt + dW", "Z2", 2),  # x → 2 − x
        ("dx = x/2 dt + x dW", "Z2 x Z2", 4),  # x → 1/x and x → −x
        ("dx = (1 - x) dt + sqrt(x) dW", "trivial", 1),
        ("dx = (x - x^3 + sin(t)) dt + dW", "Z2", 2),
        (COUPLED, "Z2 x Z2", 4),
        ("dx = (x - x^3/3 - y) dt + 0.3 dW1; dy = (x - 0.5*y)/10 dt + 0.3 dW2", "Z2", 2),
    ],
)
def test_groups_of_equations(text: str, name: str, order: int):
    found = lsn.discrete(lsn.SDE.parse(text))
    assert (found.group.name, found.group.order) == (name, order)
    assert {row.status for row in found.symmetries} <= {"proved"}
    assert found.source == "equation"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name", "order"),
    [
        ("dx = (x - x^3/3 - y) dt + 0.3 dW1; dy = (x + 0.7 - 0.8*y)/12 dt + 0.3 dW2", "trivial", 1),
        ("dx = (x - x^2 + y^2) dt + dW1; dy = (y + 2*x*y) dt + dW2", "D3", 6),
        ("dx = 10*(y - x) dt + dW1; dy = (28*x - y - x*z) dt + dW2; dz = (x*y - 8/3*z) dt + dW3", "Z2", 2),
        (THOMAS, "Z6", 6),
    ],
)
def test_groups_of_larger_equations(text: str, name: str, order: int):
    found = lsn.discrete(lsn.SDE.parse(text))
    assert (found.group.name, found.group.order) == (name, order)


def test_a_line_of_fixed_points_gives_no_candidates_of_its_own():
    """Every point with a = b is a fixed point; a mirror about one of them is the mirror and a shift of both angles."""
    sde = lsn.SDE.parse("da = sin(b - a) dt + 0.5 dW1; db = sin(a - b) dt + 0.5 dW2")
    found = lsn.discrete(sde.with_periods({"a": 2 * np.pi, "b": 2 * np.pi}))
    assert (found.group.name, found.group.order) == ("Z2 x Z2", 4)
    assert {row.map for row in found.symmetries} == {"a, b -> b, a", "a, b -> -a, -b", "a, b -> -b, -a"}


def test_mirrors_of_the_plane_turn_headings_too():
    """A swimmer between springs: x → −x turns its heading θ to π − θ, and half a turn of both is the product."""
    sde = lsn.SDE.parse("dx = (cos(theta) - x) dt + 0.3 dW1; dtheta = dW2").with_periods({"theta": 2 * np.pi})
    found = lsn.discrete(sde)
    assert (found.group.name, found.group.order) == ("Z2 x Z2", 4)
    assert {row.map for row in found.symmetries} == {
        "theta -> -theta", "x, theta -> -x, theta + pi", "x, theta -> -x, pi - theta"
    }  # fmt: skip
    assert {row.status for row in found.symmetries} == {"proved"}


def test_a_scalar_equation_without_a_mirror_has_none():
    found = lsn.discrete(lsn.SDE.parse("dx = (x - x^3 + 0.2) dt + dW"))
    assert found.complete
    assert "No mirror of this equation" in str(found)
    json.dumps(found.to_dictionary())


def well(tilt: float, paths: int, seed: int) -> lsn.Trajectories:
    sde = lsn.SDE.parse(f"dx = (x - x^3 + {tilt}) dt + 0.7 dW")
    starts = np.random.default_rng(seed).uniform(-1.8, 1.8, (paths, 1))
    return sde.simulate(starts, duration=3.0, step=0.02, paths=paths, seed=seed)


@pytest.mark.slow
def test_the_mirror_of_a_well_and_its_centre():
    """Intervals of 95 % and a test at 5 %; the seed is one of the 99 % in which 4 standard errors hold the centre."""
    data = well(0.0, 256, 5)
    found = lsn.discrete(data)
    (about,) = [row for row in found if row.centre is not None]
    assert about.centre is not None
    assert abs(about.centre.value) < 4 * about.centre.error
    assert about.centre.error < 0.05
    (plain,) = [row for row in found if row.map == "x -> -x"]
    assert plain.adjusted >= plain.p_value
    assert plain.verdict != "no"
    alone = lsn.test(data, "x -> -x")
    assert (alone.p_value, alone.residual) == (pytest.approx(plain.p_value), pytest.approx(plain.residual))
    assert (alone.lower, alone.upper) == (pytest.approx(plain.lower), pytest.approx(plain.upper))
    assert found.error_rate == 0.05
    assert len(found.table()) == len(found)
    json.dumps(found.to_dictionary())


@pytest.mark.slow
def test_a_strong_tilt_is_no_mirror():
    """A tilt of 0.5 is more than ten standard errors at this size."""
    (plain,) = [row for row in lsn.discrete(well(0.5, 256, 6)) if row.map == "x -> -x"]
    assert plain.adjusted < 1e-3
    assert plain.verdict == "no"


def test_bad_input_is_refused_in_a_sentence():
    sde = lsn.SDE.parse("dx = (x - x^3) dt + dW")
    with pytest.raises(InputError, match="an SDE or Trajectories, not a str"):
        lsn.discrete("x")
    with pytest.raises(InputError, match="error_rate must be a number between 0 and 1"):
        lsn.discrete(sde, error_rate=2)
    with pytest.raises(InputError, match="domain is for an equation"):
        lsn.discrete(well(0.0, 8, 1), domain=[(0, 1), (-1, 1)])
    five = "; ".join(f"dx{k} = -x{k} dt + dW{k}" for k in range(1, 6))
    with pytest.raises(InputError, match="at most 4"):
        lsn.discrete(lsn.SDE.parse(five))
