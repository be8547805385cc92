"""Equations from recordings: the true constants within their errors, and the family that symmetries leave."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.formulas.formula import Constant, Formula
from liestonet.reduction.recording.candidate_terms import Term, candidate_terms
from liestonet.reduction.recording.common_equation import constants_on
from liestonet.reduction.recording.constant_fit import (
    Likelihood,
    best_terms,
    lack_of_fit,
    likelihood_of,
    whole_family,
)
from liestonet.reduction.recording.family_constraints import constraints_of
from liestonet.reduction.recording.family_fit import fit_on_family
from liestonet.reduction.recording.known_steps import step_added
from liestonet.surrogate.spectral_fit import fit_plainly
from liestonet.trajectories.measurement import Measurement

t, x = sympy.symbols("t x", real=True)


@cache
def recording(key: str = "ornstein-uhlenbeck", paths: int = 256, seed: int = 61):
    data = lsn.catalogue[key].simulate(paths=paths, seed=seed)
    return lsn.discover(data, formulas=False)


@cache
def fitted(formulas: tuple[Formula, ...]):
    surrogate = recording().surrogate
    terms = candidate_terms(surrogate, {0})
    found = fit_on_family(likelihood_of(surrogate, terms), constraints_of(formulas, terms, surrogate))
    assert found is not None
    return terms, found


def generator(tau: sympy.Expr, xi: sympy.Expr, *constants: Constant) -> Formula:
    return Formula(sympy.sympify(tau), (sympy.sympify(xi),), sympy.Integer(0), "consistent", 0.0, constants)


@pytest.mark.parametrize(("centre", "highest"), [(0, 3), (20, 2), (500, 1)])
def test_powers_that_lower_ones_represent_are_no_candidates(centre, highest):
    """On c ± 2 what x^k adds to lower powers falls like (2/c)^(k − 1)."""
    data = lsn.SDE.parse(f"dx = ({centre} - x) dt + dW").simulate([float(centre)], 40.0, 0.02, 4, 3)
    terms = candidate_terms(lsn.fit(data, clock="recorded"), {0})
    assert [term.function for term in terms if term.entry == (0,)] == [x**k for k in range(highest + 1)]


def test_an_equation_does_not_lose_its_drift_far_from_zero():
    """Rate and noise do not depend on the origin; the tests have a false-alarm rate below one in a thousand."""
    data = lsn.SDE.parse("dx = (20 - x) dt + dW").simulate([20.0], 250.0, 1 / 12, 1, 1, substeps=10)
    found = lsn.discover(lsn.Trajectories.from_arrays(data.times, data.states)).equation()
    assert sympy.Poly(found.drift[0], x).degree() == 1
    assert found.diffusion[0][0].free_symbols <= {constant.symbol for constant in found.constants}
    values = {constant.symbol: constant.value for constant in found.constants}
    errors = {constant.symbol: constant.error for constant in found.constants}
    (rate,) = (symbol for symbol in found.drift[0].diff(x).free_symbols)
    assert abs(values[rate] + 1) < 3.5 * errors[rate]


def test_without_generators_nothing_is_imposed():
    terms, found = fitted(())
    assert found.freedom == 0
    assert found.tangent.shape == (len(terms), len(terms))


def test_a_shift_with_a_rate_leaves_affine_drift_and_constant_noise():
    rate = sympy.Symbol("k1", real=True)
    row = generator(sympy.Integer(0), sympy.exp(rate * t), Constant(rate, -0.9, 0.1))
    terms, found = fitted((row,))
    assert found.tangent.shape[1] == 3
    free = {(term.entry, term.function) for term, u in zip(terms, found.factors, strict=True) if abs(u) > 1e-5}
    assert free == {((0,), sympy.Integer(1)), ((0,), x), ((0, 0), sympy.Integer(1))}
    # the truth is dx = −x dt + dW; five standard errors and the bias of a step
    for term, value, error in zip(terms, found.factors, np.sqrt(np.diag(found.covariance)), strict=True):
        true = {((0,), x): -1.0, ((0, 0), sympy.Integer(1)): 1.0}.get((term.entry, term.function), 0.0)
        assert abs(value - true) <= 5 * error + 1e-3
    assert found.p_value > 1e-4
    others = [u for term, u in zip(terms, found.factors, strict=True) if (term.entry, term.function) not in free]
    assert np.abs(others).max() < 1e-12  # conditions hold to rounding: nearly equal functions do not stand for others


def test_numbers_of_a_formula_are_fitted_too():
    """exp(−t) ∂x was read off data: its rate is no more exact than one that is written as a constant."""
    rate = sympy.Symbol("k1", real=True)
    named = fitted((generator(sympy.Integer(0), sympy.exp(rate * t), Constant(rate, -1.0, 0.1)),))[1]
    terms, plain = fitted((generator(sympy.Integer(0), sympy.exp(-t)),))
    np.testing.assert_allclose(plain.factors, named.factors, atol=1e-9)
    place = [term.function for term in terms].index(x)
    assert plain.covariance[place, place] == pytest.approx(named.covariance[place, place], rel=1e-6)
    assert plain.covariance[place, place] > 0


def test_a_family_keeps_its_noise():
    """At rates of the noise-free equation the scaling asks for less; the fit does not end there."""
    power = sympy.Symbol("k2", real=True)
    scaling = generator(sympy.exp(power * t), power / 2 * x * sympy.exp(power * t), Constant(power, -1.8, 0.1))
    terms, found = fitted((scaling,))
    noise = [term.entry == (0, 0) and term.function == 1 for term in terms]
    assert found.factors[noise] == pytest.approx(1.0, abs=0.05)


def test_the_rate_is_pooled_with_the_scaling():
    rate, power = sympy.symbols("k1 k2", real=True)
    shift = generator(sympy.Integer(0), sympy.exp(rate * t), Constant(rate, -0.9, 0.1))
    scaling = generator(
        sympy.exp(power * t), sympy.Rational(1, 2) * power * x * sympy.exp(power * t), Constant(power, -2.1, 0.1)
    )
    alone = fitted((shift,))[1]
    terms, both = fitted((shift, scaling))
    assert both.tangent.shape[1] == 2  # dx = κx dt + s dW
    assert both.freedom == alone.freedom + 1
    place = [term.function for term in terms].index(x)
    error = np.sqrt(both.covariance[place, place])
    # κ of 256 paths of length 2: the error of a least-squares slope, 1/√(Σ x² Δt) with E x² near 0.7, within a factor
    assert 0.5 < error * np.sqrt(256 * 2 * 0.7) < 2


def test_conditions_are_the_determining_equations():
    """Terms of the true equation satisfy the conditions of its generators, and others do not."""
    surrogate = recording().surrogate
    terms = candidate_terms(surrogate, {0})
    row = generator(sympy.exp(2 * t), x * sympy.exp(2 * t))  # of dx = x dt + dW
    asked = constraints_of((row,), terms, surrogate)
    matrix, rest = asked.at(asked.constants)
    factors = {((0,), x): 1.0, ((0, 0), sympy.Integer(1)): 0.7}
    right = np.array([factors.get((term.entry, term.function), 0.0) for term in terms])
    assert np.abs(matrix @ right + rest).max() < 1e-12
    assert np.abs(matrix @ (2 * right) + rest).max() > 1e-3


def test_the_equation_of_a_result():
    equation = recording().equation()
    assert equation.kind == "closed form"
    assert str(equation).startswith("dx = −")
    assert "not searched" in equation.notes[0]
    values = {str(row.symbol)[0]: row for row in equation.constants}
    assert abs(values["c"].value + 1) < 5 * values["c"].error
    assert abs(values["s"].value - 1) < 5 * values["s"].error
    assert equation.covariance.shape == (2, 2)
    np.testing.assert_allclose(np.diag(equation.correlations), 1.0)
    assert equation.sde.dimension == 1
    assert equation.to_dictionary()["text"] == str(equation)


def test_what_a_continuous_step_adds_is_taken_off():
    """dx = −x dt + dW over a step h: E[Δx] = (e^{−h} − 1) x and Var[Δx] = (1 − e^{−2h})/2, to first order in h."""
    surrogate = recording().surrogate
    terms = candidate_terms(surrogate, {0})
    truth = {((0,), x): -1.0, ((0, 0), sympy.Integer(1)): 1.0}
    factors = np.array([truth.get((term.entry, term.function), 0.0) for term in terms])
    added = step_added(surrogate, terms, factors, Measurement.exact("continuous"))
    step = float(np.median(surrogate.overview.sample.dt))
    matrix = np.column_stack([term.parameters for term in terms])
    found = np.linalg.lstsq(matrix, added, rcond=None)[0]
    for term, value in zip(terms, found, strict=True):
        true = {((0,), x): step / 2, ((0, 0), sympy.Integer(1)): -step}.get((term.entry, term.function), 0.0)
        assert value == pytest.approx(true, abs=0.02 * step)


def test_steps_that_are_known_leave_no_bias():
    """Continuous steps of 0.1 bias an uncorrected slope by 0.05, three times the error that is left."""
    sde = lsn.SDE.parse("dx = -x dt + dW")
    equations = [
        lsn.discover(sde.simulate(start, 2.0, 0.1, 1500, seed, substeps=substeps), formulas=False).equation()
        for seed, substeps in ((71, 40), (72, 1))
    ]
    for equation in equations:
        slope = next(row for row in equation.constants if str(row.symbol).startswith("c"))
        assert abs(slope.value + 1) < 4 * slope.error
        assert slope.error < 0.025


def start(rng: np.random.Generator, paths: int) -> np.ndarray:
    return rng.uniform(-2, 2, (paths, 1))


def test_rounding_without_noise_is_no_error():
    """Positions that follow velocities by exact Euler steps: their terms have next to no error."""
    data = lsn.catalogue["langevin"].simulate(paths=256, seed=63)
    surrogate = lsn.discover(data, formulas=False).surrogate
    terms = candidate_terms(surrogate, {0})
    known = likelihood_of(surrogate, terms)
    found = fit_on_family(known, constraints_of((), terms, surrogate))
    assert found is not None
    errors = dict(zip([(term.entry, str(term.function)) for term in terms], np.diag(found.covariance), strict=True))
    assert max(value for (entry, _), value in errors.items() if entry == (0,)) < 0.05**2


def test_terms_that_do_as_well_stay_together():
    """x and x³ on a box, the truth x: one of the two where they can be told apart, both where they cannot."""
    place = np.linspace(-1, 1, 200)
    columns = np.column_stack([place, place**3])
    terms = [Term((0,), function, np.ones(1)) for function in (x, x**3)]
    for count, expected in ((60.0, {x, x**3}), (4000.0, {x})):
        precision = count * columns.T @ columns / len(place)
        root = np.linalg.cholesky(precision)
        # 60: both have nearly the same deviance, and either is far better than none
        known = Likelihood(precision, precision @ np.array([1.0, 0.0]), root, 0, np.ones(2, dtype=bool), 1000)
        kept = best_terms(known, terms)
        assert {term.function for term, keep in zip(terms, kept, strict=True) if keep} == expected


def test_a_lack_of_fit_is_seen():
    """A cubic does not describe sin x on two thirds of two turns; a line describes −x. One false alarm in 1,000."""
    for text, spread, least, most in (("dx = sin(x) dt + dW", 4, 0.0, 1e-6), ("dx = -x dt + dW", 2, 1e-3, 1.0)):
        sde = lsn.SDE.parse(text)
        begin = np.random.default_rng(5).uniform(-spread, spread, (2000, 1))
        surrogate = fit_plainly(lsn.fit(sde.simulate(begin, 1.0, 0.05, 2000, 74)))
        terms = candidate_terms(surrogate, {0})
        known = likelihood_of(surrogate, terms, np.zeros(len(surrogate.parameters)))
        found = lack_of_fit(surrogate, terms, whole_family(known), np.zeros(len(surrogate.parameters)))
        assert least <= found <= most


def test_steps_of_positions_are_taken_off():
    """dx = y dt over continuous steps of 0.1 has a factor of 0.952 before y; an error of 0.01 would not explain it."""
    sde = lsn.SDE.parse("dx = y dt; dy = -y dt + sqrt(2) dW")
    data = sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 2)), 2.0, 0.1, 512, 75, substeps=40)
    y = sympy.Symbol("y", real=True)
    places = [((0,), y), ((1,), y), ((1, 1), sympy.Integer(1))]
    found = constants_on(lsn.fit(data), places, data.measurement)
    errors = np.sqrt(np.diag(found.covariance))
    assert (np.abs(found.values - [1, -1, np.sqrt(2)]) < 4 * errors).all()
    assert errors[0] < 0.012


def test_an_equation_needs_data():
    with pytest.raises(InputError, match="nothing to estimate"):
        lsn.solve(lsn.SDE.parse("dx = dW"), formulas=False).equation()
