"""New coordinates of worked cases: proved, and checked once more by an Itô formula written here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.errors import InputError
from reductions import ito_mismatch, reduced, return_mismatch

# equation, generators, validity: scalar equations with a generator that leaves time alone are integrals
SOLVED = [
    ("dx = 2 dt + 3 dW", "d_x", "at all times"),
    ("dx = 2*(1-x) dt + 0.5 dW", "exp(-2*t) d_x", "at all times"),
    ("dx = 0.1*x dt + 0.2*x dW", "x d_x", "at all times"),
    ("dx = (1+t)*x dt + (2+t)*x dW", "x d_x", "at all times"),
    ("dx = (4*x+2) dt + (2*x+1) dW", "(2*x+1) d_x", "at all times"),
    ("dx = x*(1-2*log(x)) dt + 0.5*x dW", "exp(-2*t)*x d_x", "at all times"),
    ("dx = x/2 dt + sqrt(1+x^2) dW", "sqrt(1+x^2) d_x", "at all times"),
    ("dx = -x*(1-x^2) dt + (1-x^2) dW", "(1-x^2) d_x", "at all times"),
    ("dx = x*(1-x)*(1-2*x)/2 dt + x*(1-x) dW", "x*(1-x) d_x", "at all times"),
    ("dx = 2*(1/8-x) dt + sqrt(x) dW", "exp(-t)*sqrt(x) d_x", "until x reaches 0"),
    ("dx = 3*x^(1/3) dt + 3*x^(2/3) dW", "x^(2/3) d_x", "until x reaches 0"),
    ("dx = (1/4-x/2) dt + sqrt(x*(1-x)) dW", "sqrt(x*(1-x)) d_x", "until x reaches 0 or 1"),
    ("dx = -x/(1-t) dt + dW", "(1-t) d_x", "at all times for t < 1"),
    ("dx = (-x+sin(3*t)) dt + dW", "exp(-t) d_x", "at all times"),
    ("dx = sqrt(1+t) dW", "d_x", "at all times for t > -1"),
    ("dx = (x + 2*x^2 + x^3) dt + x^2 dW", "exp(-t)*x^2 d_x", "until x reaches infinity"),
]


@pytest.mark.parametrize(("equation", "generator", "validity"), SOLVED)
def test_a_generator_without_time_component_solves_a_scalar_equation(equation, generator, validity):
    made = reduced(equation, generator)
    assert (made.kind, made.status, made.level) == ("solved", "proved", "strong")
    assert made.is_exact
    assert made.validity.startswith(validity)
    assert ito_mismatch(made) < 1e-9
    assert return_mismatch(made) < 1e-9
    drift, noise = made.sde.symbolic.drift, made.sde.symbolic.diffusion
    assert not any(entry.has(*made.sde.symbolic.state) for entry in (*drift, *noise))
    assert made.solution is not None


# equation, generators, A, clock, the Bessel coordinate squared up to its scale at t = 0
BESSEL = [
    ("dx = 2*(1-x) dt + 0.5*sqrt(x) dW", "exp(-2*t)*(d_t - 2*x*d_x)", 2 * 2 / 0.25 - 0.5),
    ("dx = 0.3*x dt + 0.5*x^(3/4) dW", "exp(0.15*t)*(d_t + 0.3*x*d_x)", -1.5),
    ("dx = x*(1-2*x) dt + x^(3/2) dW", "exp(-t)*(d_t + x*d_x)", 2 * 2 + 1.5),
    ("dx = (2/x - x) dt + dW", "exp(2*t)*(d_t + x*d_x)", 2.0),
]


@pytest.mark.parametrize(("equation", "generator", "strength"), BESSEL)
def test_two_symmetries_make_a_bessel_process(equation, generator, strength):
    made = reduced(equation, f"{generator}; d_t")
    assert (made.kind, made.status) == ("reduced", "proved")
    assert float(made.bessel) == pytest.approx(strength)
    assert ito_mismatch(made) < 1e-9
    assert return_mismatch(made) < 1e-9
    assert made.is_exact


def test_the_clock_of_the_square_root_process_is_the_known_one():
    made = reduced("dx = 2*(1-x) dt + 0.5*sqrt(x) dW", "exp(-2*t)*(d_t - 2*x*d_x); d_t")
    t, x = sympy.symbols("t x", real=True)
    clock, zeta = made.coordinates.values()
    assert sympy.simplify(clock - (sympy.exp(2 * t) - 1) / 2) == 0
    at = {x: 0.7, t: 0.4}
    assert float(zeta.subs(at)) == pytest.approx(4 * math.exp(0.4) * math.sqrt(0.7))


AUTONOMOUS = [
    ("dx = -x^3/(1+t)^2 dt + dW", "2*(1+t) d_t + x d_x"),
    ("dx = sin(x-t) dt + dW", "d_t + d_x"),
]


@pytest.mark.parametrize(("equation", "generator"), AUTONOMOUS)
def test_one_symmetry_with_time_makes_an_equation_autonomous(equation, generator):
    made = reduced(equation, generator)
    assert (made.kind, made.status) == ("reduced", "proved")
    formulas = made.sde.symbolic
    assert not any(entry.has(formulas.time) for entry in (*formulas.drift, *formulas.diffusion))
    assert ito_mismatch(made) < 1e-9
    assert return_mismatch(made) < 1e-9


# equation, generators, law, kind, closed coordinates that are left
SYSTEMS = [
    ("dx = v dt; dv = -2*v dt + 3 dW", "d_x; exp(-2*t)*(d_x - 2*d_v)", False, "solved", 0),
    ("dx = v dt; dv = 3 dW", "d_x; t*d_x + d_v", False, "solved", 0),
    ("dx = 0.1*x dt + 0.2*x dW1; dy = 0.3*y dt + 0.1*y dW2", "x d_x; y d_y", False, "solved", 0),
    ("dx = y dW1; dy = y dW2", "d_x; x*d_x + y*d_y", False, "solved", 0),
    ("dx = sin(y) dt + dW1; dy = dW2", "d_x", False, "solved", 0),
    ("dx = (-x/2-2*y) dt - y dW; dy = (2*x-y/2) dt + x dW", "y*d_x - x*d_y; x*d_x + y*d_y", False, "solved", 0),
    ("dx = y dt + x dW; dy = x dt + y dW", "x*d_x + y*d_y; y*d_x + x*d_y", False, "solved", 0),
    ("dx = (x-y-x*(x^2+y^2)) dt + dW1; dy = (x+y-y*(x^2+y^2)) dt + dW2", "y*d_x - x*d_y", True, "reduced", 1),
    ("dS = 0.1*S dt + S*sqrt(v) dW1; dv = 2*(1-v) dt + 0.5*sqrt(v) dW2", "S d_S", False, "reduced", 1),
]


@pytest.mark.parametrize(("equation", "generators", "law", "kind", "closed"), SYSTEMS)
def test_systems(equation, generators, law, kind, closed):
    made = reduced(equation, generators, [(0.1, 0.9), (0.5, 0.9), (0.1, 0.4)], law=law)
    assert (made.kind, made.status, made.closed) == (kind, "proved", closed)
    assert made.level == ("law" if law else "strong")
    box = [(0.1, 0.9), (0.5, 0.9), (0.1, 0.4)]  # where every logarithm is defined
    assert ito_mismatch(made, box) < 1e-8
    assert return_mismatch(made, box) < 1e-8


def test_the_radius_of_a_turning_flow_in_law():
    made = reduced("dx = -2*x dt + dW1; dy = -2*y dt + dW2", "y*d_x - x*d_y", law=True)
    r = made.sde.symbolic.state[0] if made.closed else made.sde.symbolic.state[-1]
    if made.closed:
        drift = made.sde.symbolic.drift[0]
        place = float(made.coordinates[r].subs({"x": 0.6, "y": 0.8}))
        assert place == pytest.approx(1.0)
        assert float(drift.subs(r, 1)) == pytest.approx(0.5 - 2)
    assert ito_mismatch(made) < 1e-9


def test_symbols_without_a_value_are_kept():
    made = reduced("dx = k*(m-x) dt + s dW", "exp(-k*t) d_x", draw={"k": 2, "m": 1, "s": 3})
    assert (made.kind, made.status) == ("solved", "proved")
    assert {str(s) for s in made.solution[sympy.Symbol("x", real=True)].free_symbols} >= {"k", "m", "s"}
    assert ito_mismatch(made, k=1.3, m=0.4, s=0.7) < 1e-9
    with pytest.raises(InputError, match=r"with_parameters\(k=1.5\)"):
        made.sample(0.0, [1.0])
    sample = made.with_parameters(k=1, m=0, s=1).sample(2.0, [1.0], 20_000, 3).states[:, 0, 0]
    # six standard errors of the mean
    assert sample.mean() == pytest.approx(2 * math.exp(-1), abs=6 * math.sqrt((1 - math.exp(-2)) / 2 / 20_000))


def test_nothing_to_reduce_says_why():
    made = reduced("dx = (x - x^3 + sin(t)) dt + dW")
    assert (made.kind, made.solution) == ("none", None)
    assert "no symmetry" in str(made.steps[-1])
    assert str(made).startswith("Not reduced.")


def test_a_result_of_solve_is_reduced_and_text_latex_and_values_agree():
    result = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"))
    made: Any = lsn.reduce(result)
    assert made.kind == "solved"
    assert "∫_0^t exp(s) dW(s)" in str(made)
    assert made.latex().startswith("\\begin{align}")
    assert made.to_dictionary()["kind"] == "solved"
    one = lsn.reduce(result, "exp(-t) d_x")
    assert one.kind == "solved"
    chosen = next(k for k, row in enumerate(result.formulas()) if row.tau == 0)
    assert lsn.reduce(result, chosen).kind == "solved"


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        (9, "There are 3 generators, counted from 0"),
        ("x^2 d_x", "is not a symmetry of"),
        ("d_t; exp(-t) d_x", "2 generators were given"),
        (3.5, "A generator is its number, text"),
    ],
)
def test_a_generator_that_is_none_is_refused(generator, message):
    result = lsn.solve(lsn.SDE.parse("dx = -x dt + dW"))
    with pytest.raises(InputError, match=message):
        lsn.reduce(result, generator)


def test_only_results_of_equations_are_reduced():
    with pytest.raises(InputError, match="takes a result of solve"):
        lsn.reduce("dx = dW")
    sde = lsn.SDE(lambda t, x: -x, lambda t, x: np.ones((len(t), 1, 1)), dimension=1)
    with pytest.raises(InputError, match="need formulas"):
        lsn.reduce(lsn.solve(sde))


def test_equations_without_noise_are_refused():
    with pytest.raises(InputError, match="no noise"):
        lsn.reduce(lsn.solve(lsn.SDE.parse("dx = x dt")))


def test_half_angles_lead_back():
    """dx = −½ sin x cos x dt + cos x dW is the Gudermannian of a Wiener process, and never reaches π/2."""
    made = reduced("dx = -sin(x)*cos(x)/2 dt + cos(x) dW", "cos(x) d_x")
    assert (made.kind, made.status, made.validity, made.is_exact) == ("solved", "proved", "at all times", True)
    assert ito_mismatch(made) < 1e-9
    assert return_mismatch(made) < 1e-9
    _, far = made.to_old(np.zeros(1), np.array([[3.0]]))
    assert far[0, 0] == pytest.approx(2 * math.atan(math.tanh(1.5)))


def test_ends_that_are_no_simple_numbers_are_found_to_many_digits():
    """The noise vanishes where cos x = x: paths come near that point only."""
    made = reduced(
        "dx = (cos(x) - x)*(-sin(x) - 1)/2 dt + (cos(x) - x) dW", "(cos(x) - x) d_x", [(0.1, 0.9), (0.1, 0.6)]
    )
    assert made.kind == "solved"
    assert made.validity.startswith("at all times")
