"""How generators without a closed form begin."""

from __future__ import annotations

import numpy as np

import liestonet as lsn
from liestonet.render.first_terms import first_terms


def test_first_terms_are_the_generators():
    """Whatever the basis of the span: ask for two fields in it, around t = 1 and x = 0."""
    result = lsn.solve(lsn.SDE.parse("dx = dW"), domain=[(0, 2), (-1, 1)])
    t, x = np.linspace(0, 2, 9), np.linspace(-1, 1, 9)
    tau, xi = result.generators(t, x[:, None])
    wanted = np.array([[*(0 * t), *(0 * x - 1)], [*(3 * t), *(1.5 * x)]])
    mixing = np.linalg.lstsq(np.hstack([tau, xi[:, :, 0]]).T, wanted.T)[0]
    shown = first_terms(result.fields.mixed(mixing), result.domain, result.names, 0.0)
    assert shown == ["-∂x", "(3 + 3 (t - 1)) ∂t + 1.5 x ∂x"]


def test_what_is_below_the_error_is_left_out():
    result = lsn.solve(lsn.SDE.parse("dx = dW"), domain=[(0, 2), (-1, 1)])
    t, x = np.linspace(0, 2, 9), np.linspace(-1, 1, 9)
    tau, xi = result.generators(t, x[:, None])
    mixing = np.linalg.lstsq(np.hstack([tau, xi[:, :, 0]]).T, np.array([[*(0 * t + 0.01), *(0 * x + 1)]]).T)[0]
    field = result.fields.mixed(mixing)
    assert first_terms(field, result.domain, result.names, 0.0) == ["0.01 ∂t + ∂x"]
    assert first_terms(field, result.domain, result.names, 0.01) == ["∂x"]


def test_first_terms_say_where_more_follows():
    result = lsn.solve(lsn.SDE.parse("dx = x dt + dW"))
    shown = first_terms(result.fields, result.domain, result.names, 1e-9)
    assert "∂t" in shown
    assert sum("…" in text for text in shown) == 2
