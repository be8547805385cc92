"""Random systems: their generators solve the determining equations, exactly and to many digits; no others do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

from liestonet.catalogue.reading import read_formula, symbols
from liestonet.catalogue.system import ITO, System
from liestonet.pipeline.solve import solve
from liestonet.reproduction.random_systems import BASES, SYSTEMS
from liestonet.reproduction.random_systems import system as draw

# systems from 30 on are for measurements; SymPy is slow on some
LOOKED_AT = [*range(10), *(pytest.param(number, marks=pytest.mark.slow) for number in range(10, 30))]
DIMENSION = {"brownian": 3, "linear": 3, "bessel": 2, "radial": 2, "well": 1}
T, X = symbols(("x",))
system = cache(draw)


def _coefficients(known: System) -> tuple[Any, Any]:
    """Drift and noise as SymPy has them, in our symbols."""
    symbolic = known.sde.symbolic
    assert symbolic is not None
    ours = dict(zip((symbolic.time, *symbolic.state), (T, X), strict=True))
    drift, noise = sympy.Matrix(symbolic.drift), sympy.Matrix(symbolic.diffusion)
    return sympy.sympify(drift[0]).xreplace(ours), sympy.sympify(noise[0, 0]).xreplace(ours)


def _residuals(known: System) -> list[Any]:
    """Both Itô determining equations of every generator, written out for one coordinate."""
    f, noise = _coefficients(known)
    found = []
    for texts in known.symmetries[ITO]:
        tau, xi = (read_formula(text, ("x",)) for text in texts)
        along = sympy.diff(xi, T) + f * sympy.diff(xi, X) + noise**2 * sympy.diff(xi, X, 2) / 2
        found.append(along - xi * sympy.diff(f, X) - tau * sympy.diff(f, T) - f * sympy.diff(tau, T))
        moved = xi * sympy.diff(noise, X) + tau * sympy.diff(noise, T)
        found.append(moved - noise * sympy.diff(xi, X) + noise * sympy.diff(tau, T) / 2)
    return found


@pytest.mark.parametrize("number", LOOKED_AT)
def test_generators_solve_the_determining_equations_to_many_digits(number: int) -> None:
    known = system(number)
    low, high = (sympy.Rational(str(round(end, 4))) for end in known.box[1])
    places = [(sympy.Rational(1, 3), low + (high - low) / 4), (sympy.Rational(7, 5), low + 3 * (high - low) / 4)]
    for residual in _residuals(known):
        for t, x in places:
            assert abs(sympy.N(residual.subs({T: t, X: x}), 40)) < 1e-20


@pytest.mark.parametrize("number", [0, 1, 2, 4])
def test_generators_solve_the_determining_equations_exactly(number: int) -> None:
    positive = sympy.Symbol("p", positive=True)
    rational = [sympy.nsimplify(residual.subs(X, positive)) for residual in _residuals(system(number))]
    assert all(sympy.simplify(residual.rewrite(sympy.exp)) == 0 for residual in rational)


@pytest.mark.parametrize("number", LOOKED_AT)
def test_numbers_of_generators_are_those_of_the_motion(number: int) -> None:
    known = system(number)
    assert len(known.symmetries[ITO]) == DIMENSION[BASES[number % len(BASES)]]
    assert known.equation == draw(number).equation


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
def test_equation_has_no_more_symmetries(number: int) -> None:
    known = system(number)
    assert solve(known.sde, "ito", known.box, formulas=False).dimension == len(known.symmetries[ITO])


def test_all_bases_are_drawn_equally_often() -> None:
    assert SYSTEMS % len(BASES) == 0


@pytest.mark.parametrize("number", [2, 3, 7])
def test_data_stay_in_the_state_space(number: int) -> None:
    data = system(number).simulate(paths=16, seed=1)
    f, noise = system(number).sde.drift, system(number).sde.diffusion
    step = data.increments()
    assert np.isfinite(f(step.t, step.x)).all()
    assert np.isfinite(noise(step.t, step.x)).all()
