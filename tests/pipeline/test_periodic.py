"""Angles and phases from end to end: equations, data, files, pictures, pushes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError

P = 2 * math.pi
FORCE = "dtheta = (sin(theta) + 0.3*cos(2*theta)) dt + dW"


def uniform(*lows_and_highs: tuple[float, float]) -> Any:
    low, high = np.array(lows_and_highs).T
    return lambda rng, paths: rng.uniform(low, high, (paths, len(low)))


@pytest.mark.parametrize(
    ("text", "angles", "kind", "expected"),
    [
        ("dtheta = 0 dt + dW", ["theta"], "ito", 2),
        ("dtheta = 0 dt + dW", ["theta"], "fokker-planck", 3),
        (FORCE, ["theta"], "ito", 1),
        ("dtheta = 4*sin(8*theta) dt + dW", ["theta"], "ito", 1),
        ("dtheta = v dt; dv = (-v - sin(theta)) dt + dW", ["theta"], "ito", 1),
        ("da = sin(b - a) dt + dW1; db = (0.5 + sin(a - b)) dt + dW2", ["a", "b"], "ito", 2),
        ("dx = cos(phi) dt + 0.3 dW1; dy = sin(phi) dt + 0.3 dW2; dphi = 0.5 dW3", ["phi"], "law", 4),
        ("dtheta = dW1; dx = (-x + cos(8*theta)) dt + dW2", ["theta"], "ito", 2),
    ],
)
def test_equations_have_the_symmetries_that_close(text: str, angles: list[str], kind: str, expected: int) -> None:
    result = lsn.solve(lsn.SDE.parse(text), kind, periodic=dict.fromkeys(angles, P))
    assert result.dimension == result.bound == expected
    assert [row.status for row in result.formulas()] == ["proved"] * expected
    assert {flag.code for flag in result.flags} <= {"domain-chosen", "lift"}


def test_a_formula_of_an_angle_is_proved_and_periodic() -> None:
    """(2 + cos θ) ∂θ is ∂y of y = ∫dθ/(2 + cos θ), in which the noise is constant and there is no drift."""
    text = "dtheta = -0.5*sin(theta)*(2 + cos(theta)) dt + (2 + cos(theta)) dW"
    result = lsn.solve(lsn.SDE.parse(text), periodic={"theta": P})
    assert result.dimension == 2
    assert "cos(theta) + 2" in [str(row.xi[0]) for row in result.formulas() if row.status == "proved"]


@pytest.mark.parametrize(("period", "factor"), [(360.0, "pi/180"), (1.0, "2*pi")])
def test_other_units_give_the_same_answer(period: float, factor: str) -> None:
    sde = lsn.SDE.parse(f"da = sin({factor}*a) dt + {period / P!r} dW")
    result = lsn.solve(sde, periodic={"a": period})
    assert result.dimension == result.bound == 1
    assert result.domain.intervals[1] == (0.0, period)


def test_callables_are_periodic_too() -> None:
    sde = lsn.SDE(lambda t, x: np.sin(x), lambda t, x: np.ones((len(x), 1, 1)), dimension=1, names=["a"])
    result = lsn.solve(sde, periodic={"a": P}, domain=[(0, 1), None])
    assert result.dimension == 1


def test_a_local_invariant_without_a_periodic_function_of_it_is_refused() -> None:
    sde = lsn.SDE.parse("da = dW; db = sqrt(2) dW")
    with pytest.raises(InputError, match="none was found that is periodic"):
        lsn.solve(sde, periodic={"a": P, "b": P})


def test_what_solve_refuses() -> None:
    sde = lsn.SDE.parse("da = sin(a) dt + dW")
    for periodic, words in (({"a": 0}, "period of a"), ({"b": 1}, "no coordinate"), ({"a": 3.0}, "does not have the")):
        with pytest.raises(InputError, match=words):
            lsn.solve(sde, periodic=periodic)
    with pytest.raises(InputError, match="one whole turn"):
        lsn.solve(sde, domain=[(0, 1), (0, 3)], periodic={"a": P})


@pytest.fixture(scope="module")
def forced() -> lsn.Trajectories:
    sde = lsn.SDE.parse(FORCE).with_periods({"theta": P})
    return sde.simulate(uniform((0, P)), duration=2.0, step=0.02, paths=250, seed=11)


@pytest.fixture(scope="module")
def found(forced: lsn.Trajectories) -> lsn.Result:
    return lsn.discover(forced)


def test_wrapped_data_give_the_same_answer(forced: lsn.Trajectories, found: lsn.Result) -> None:
    states = [(s + math.pi) % P - math.pi for s in forced.states]
    wrapped = lsn.Trajectories.from_arrays(forced.times, states, ["theta"], periodic={"theta": P})
    other = lsn.discover(wrapped)
    assert other.dimension == found.dimension == 1
    assert [row.verdict for row in other.ladder] == [row.verdict for row in found.ladder]
    np.testing.assert_allclose(
        [row.residual for row in other.ladder], [row.residual for row in found.ladder], rtol=1e-6, atol=1e-9
    )


def test_coefficients_are_periodic(found: lsn.Result) -> None:
    x = np.linspace(0, P, 30)[:, None]
    t = np.full(30, 1.0)
    np.testing.assert_allclose(found.surrogate.drift(t, x + 3 * P), found.surrogate.drift(t, x), atol=1e-9)
    error = found.surrogate.drift(t, x)[:, 0] - (np.sin(x[:, 0]) + 0.3 * np.cos(2 * x[:, 0]))
    assert np.sqrt(np.mean(error**2)) < 0.3  # about σ√(p/T) with T = 500 and p = 8: 0.13
    np.testing.assert_allclose(found.generators(t, x + P)[1], found.generators(t, x)[1], atol=1e-9)


@pytest.mark.usefixtures("undrawn")
def test_a_result_of_an_angle_is_kept_and_shown(found: lsn.Result, tmp_path: Path) -> None:
    found.save(tmp_path / "run.lsn")
    again = lsn.load(tmp_path / "run.lsn")
    assert again.domain == found.domain
    assert again.domain.periodic == (1,)
    assert json.loads(again.to_json())["domain"]["periodic"] == {"theta": P}
    again.report(tmp_path / "report.html")
    assert "theta from 0 to 6.283 (periodic)" in (tmp_path / "report.html").read_text()
    exact = lsn.solve(lsn.SDE.parse(FORCE), periodic={"theta": P})
    exact.save(tmp_path / "exact.lsn")
    kept = lsn.load(tmp_path / "exact.lsn")
    assert dict(kept.surrogate.periodic) == {"theta": P}
    assert kept.dimension == 1


def test_a_push_goes_round_and_leaves_nothing(forced: lsn.Trajectories) -> None:
    result = lsn.solve(lsn.SDE.parse("dtheta = 0 dt + dW"), periodic={"theta": P}, domain=[(0, 2), None])
    turn = next(i for i, row in enumerate(result.formulas()) if row.xi[0] == 1)
    pushed = result.push(forced, turn, 40.0)
    assert pushed.left == 0
    assert dict(pushed.periodic) == {"theta": P}
    np.testing.assert_allclose(pushed.flat_states, forced.flat_states + 40.0, rtol=1e-9)
    begin = pushed.increments().x
    assert begin.min() >= 0
    assert begin.max() < P


@pytest.mark.usefixtures("few_draws")
@pytest.mark.slow
def test_given_generators_are_tested_on_the_circle(forced: lsn.Trajectories) -> None:
    """Level 1e-3 for the shift that is one; the other is beyond doubt."""
    few = forced.take(np.arange(200))
    assert lsn.test(few, "d_t").p_value > 1e-3
    assert lsn.test(few, "d_theta").p_value < 1e-6
    with pytest.raises(InputError, match="not periodic in theta"):
        lsn.test(few, "theta d_theta")
    with pytest.raises(InputError, match="not periodic in"):
        lsn.test(few, lambda t, x: (np.zeros((1, len(t))), x[None]))


def test_the_neural_engine_says_that_it_has_no_angles(forced: lsn.Trajectories) -> None:
    with pytest.raises(InputError, match="no periodic functions"):
        lsn.discover(forced, engine=lsn.Neural())


@pytest.mark.parametrize("periods", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_several_periods_in_a_turn_have_one_symmetry(periods: int) -> None:
    sde = lsn.SDE.parse(f"dtheta = 2*sin({periods}*theta) dt + dW").with_periods({"theta": P})
    data = sde.simulate(uniform((0, P)), duration=2.0, step=0.01, paths=400, seed=3)
    result = lsn.discover(data, formulas=False)
    assert result.dimension == 1
    assert not any(row.verdict == "near-symmetry" for row in result.ladder)
    assert "fine-structure" not in [flag.code for flag in result.flags]
    assert result.surrogate.drift_estimates[0].features.orders[:, 1].max() >= periods


@pytest.mark.slow
def test_finer_structure_than_the_series_is_flagged() -> None:
    sde = lsn.SDE.parse("dtheta = 20*sin(80*theta) dt + 0.2 dW").with_periods({"theta": P})
    data = sde.simulate(uniform((0, P)), duration=0.2, step=0.0005, paths=100, seed=3)
    result = lsn.discover(data, formulas=False)
    assert "fine-structure" in [flag.code for flag in result.flags]


def test_an_angle_that_stays_in_a_part_of_its_turn_is_flagged() -> None:
    sde = lsn.SDE.parse("dtheta = -4*sin(theta - 3) dt + 0.3 dW").with_periods({"theta": P})
    data = sde.simulate(uniform((2.9, 3.1)), duration=2.0, step=0.02, paths=200, seed=3)
    result = lsn.discover(data, formulas=False)
    assert "coverage" in [flag.code for flag in result.flags]
    assert result.domain.intervals[1] == (0.0, P)
