"""Jets of symbolic coefficients against SymPy's own derivatives in 30 digits and against finite differences."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import sympy as sp

from liestonet.core.coefficients import JetOrder, derivatives
from liestonet.errors import InputError
from liestonet.sde import SDE

TEXTS = [
    "dx = (x - x^3 + sin(t)) dt + exp(-x/2) dW",
    "dx = y dt; dy = (-y + t x^2) dt + sqrt(1+x^2) dW",
    "dx = t y dt + x dW1 + cos(y) dW2; dy = x/(1+y^2) dt + tanh(x y) dW2",
    "dx = x^(3/2) dt + log(x) dW1 + dW2; dy = atan(z) dt + y dW1; dz = 2 dt + z dW3",
    "dx = 3 dt + 2 dW",
    "dx = 0 dt + 0 dW",
]


def points(dimension, count=6):
    rng = np.random.default_rng(1)
    return rng.uniform(0, 2, count), rng.uniform(0.3, 2, (count, dimension))


@pytest.mark.parametrize("text", TEXTS)
def test_jet_is_the_exact_derivative(text):
    symbolic = SDE.parse(text).symbolic
    assert symbolic is not None
    t, x = points(symbolic.dimension)
    jet = symbolic.jet(t, x, JetOrder(2, 2, 3))
    variables = (symbolic.time, *symbolic.state)
    squared = symbolic.diffusion * symbolic.diffusion.T
    for found, matrix, order in [
        (jet.drift, symbolic.drift, 2),
        (jet.diffusion, symbolic.diffusion, 2),
        (jet.diffusion_squared, squared, 3),
    ]:
        for key in derivatives(len(variables), order):
            exact = matrix
            for index in key:
                exact = exact.diff(variables[index])
            if key not in found:
                assert sp.simplify(exact).is_zero_matrix
                continue
            for b in range(len(t)):
                values = dict(zip(variables, map(sp.Float, (t[b], *x[b])), strict=True))
                expected = np.array(exact.subs(values).evalf(30).tolist(), dtype=float)
                np.testing.assert_allclose(found[key][b].reshape(expected.shape), expected, rtol=1e-12, atol=1e-13)


def test_jet_agrees_with_finite_differences():
    sde = SDE.parse(TEXTS[2])
    t, x = points(2)
    assert sde.symbolic is not None
    jet = sde.symbolic.jet(t, x, JetOrder(1, 1, 1))
    h = 1e-5
    for index in range(3):
        dt, dx = (h, np.zeros(2)) if index == 0 else (0.0, h * np.eye(2)[index - 1])
        for name in ("drift", "diffusion", "diffusion_squared"):
            evaluate = getattr(sde, name)
            slope = (evaluate(t + dt, x + dx) - evaluate(t - dt, x - dx)) / (2 * h)
            expected = getattr(jet, name).get((index,), np.zeros_like(slope))
            np.testing.assert_allclose(slope, expected, atol=1e-8)


def test_only_what_is_asked_and_not_zero():
    symbolic = SDE.parse("dx = y dt; dy = -y dt + sqrt(2) dW").symbolic
    assert symbolic is not None
    jet = symbolic.jet(*points(2), JetOrder(drift=2, diffusion=1))
    assert set(jet.drift) == {(), (2,)}
    assert set(jet.diffusion) == {()}
    assert jet.diffusion_squared == {}
    assert jet.drift[()].shape == (6, 2)
    assert jet.diffusion[()].shape == (6, 2, 1)
    np.testing.assert_array_equal(jet.drift[(2,)], np.tile([1.0, -1.0], (6, 1)))
    assert symbolic.error == 0.0


X = sp.Symbol("x", real=True)


@pytest.mark.parametrize(
    ("function", "kinks"),
    [
        (sp.Abs(X - 1), {X - 1}),
        (sp.sign(X - 1) * X**2, {X - 1}),
        (X * sp.Heaviside(X - 1), {X - 1}),
        (sp.Max(X, 1, X**2), {1 - X, 1 - X**2, X - X**2}),
        (sp.Min(X, 1), {1 - X}),
        (X * sp.floor(X), {X}),
        (sp.Abs(sp.sin(X)) ** 3, {sp.sin(X)}),
        (sp.sqrt(sp.Abs(sp.log(X))), {sp.log(X)}),
    ],
)
def test_kinks_are_named_and_differentiated_away_from_them(function, kinks):
    sde = SDE.from_sympy(function, 1, X)
    symbolic = sde.symbolic
    assert symbolic is not None
    assert all(kink in kinks or sp.expand(-kink) in kinks for kink in symbolic.kinks)
    assert len(symbolic.kinks) == len(kinks)
    values, h = np.array([[0.31], [0.77], [1.6], [2.35]]), 1e-4
    jet = symbolic.jet(np.zeros(4), values, JetOrder(drift=2))
    first = (sde.drift(0, values + h) - sde.drift(0, values - h)) / (2 * h)
    second = (sde.drift(0, values + h) - 2 * sde.drift(0, values) + sde.drift(0, values - h)) / h**2
    np.testing.assert_allclose(jet.drift.get((1,), np.zeros((4, 1))), first, atol=1e-6)
    np.testing.assert_allclose(jet.drift.get((1, 1), np.zeros((4, 1))), second, atol=1e-5)
    np.testing.assert_allclose(sde.drift(0, values)[:, 0], [float(function.subs(X, u)) for u in values[:, 0]])


def test_smooth_coefficients_have_no_kinks():
    symbolic = SDE.parse("dx = sqrt(x) dt + exp(x) dW").symbolic
    assert symbolic is not None
    assert symbolic.kinks == ()


def test_diffusion_squared_is_tidied():
    symbolic = SDE.parse("dx = cos(x/2) dW1 - sin(x/2) dW2; dy = sin(x/2) dW1 + cos(x/2) dW2").symbolic
    assert symbolic is not None
    assert symbolic.diffusion_squared == sp.eye(2)
    root = SDE.parse("dx = sqrt(x) dW").symbolic
    assert root is not None
    assert root.diffusion_squared[0] == root.state[0]


def test_undefined_points_give_nan_in_silence():
    sde = SDE.parse("dx = log(x) dt + sqrt(x) dW")
    assert math.isnan(sde.drift(0, [[-1.0]])[0, 0])
    assert math.isnan(sde.diffusion(0, [[-1.0]])[0, 0, 0])
    assert np.isneginf(sde.drift(0, [[0.0]])[0, 0])


def test_ten_dimensions():
    terms = "+".join(f"x{j}^2" for j in range(1, 11))
    text = ";".join(f"dx{i} = -x{i}^3 dt + sqrt(1+{terms}) dW{i}" for i in range(1, 11))
    symbolic = SDE.parse(text).symbolic
    assert symbolic is not None
    jet = symbolic.jet(*points(10), JetOrder(2, -1, 3))
    assert set(jet.drift) == {(), *((i,) for i in range(1, 11)), *((i, i) for i in range(1, 11))}
    np.testing.assert_allclose(jet.diffusion_squared[(3, 3)], np.tile(2 * np.eye(10), (6, 1, 1)))
    assert not any(len(key) == 3 for key in jet.diffusion_squared)


def test_parameters_must_have_values_before_evaluation():
    symbolic = SDE.parse("dx = y dt + s dW").symbolic
    assert symbolic is not None
    with pytest.raises(InputError, match=r"Parameters s, y have no value.*equation ds = \.\.\."):
        symbolic.jet(*points(1), JetOrder(0))


def test_travels_to_other_processes_without_its_compiled_functions():
    sde = SDE.parse("dx = -x dt + x dW")
    before = sde.drift(0, [[2.0]])
    copy = pickle.loads(pickle.dumps(sde))
    np.testing.assert_array_equal(copy.drift(0, [[2.0]]), before)
    assert copy.symbolic == sde.symbolic
