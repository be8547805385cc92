"""An equation beside its Wiener processes: the same coefficients, and w that simply follows the noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.sde.extended import extended, noise_names


def test_coefficients_of_formulas_and_of_callables_agree():
    text = lsn.SDE.parse("dx = (x - y) dt + x dW1 + dW2; dy = t*y dt + y dW1")
    called = lsn.SDE(text.drift, text.diffusion, dimension=2, names=["x", "y"])
    rng = np.random.default_rng(0)
    t, x = rng.uniform(0, 1, 7), rng.uniform(-1, 1, (7, 4))
    for larger in map(extended, (text, called)):
        assert larger.names == ("x", "y", "w1", "w2")
        assert (larger.dimension, larger.noise) == (4, 2)
        np.testing.assert_allclose(larger.drift(t, x), np.column_stack([text.drift(t, x[:, :2]), np.zeros((7, 2))]))
        sigma = larger.diffusion(t, x)
        np.testing.assert_allclose(sigma[:, :2], text.diffusion(t, x[:, :2]))
        np.testing.assert_allclose(sigma[:, 2:], np.broadcast_to(np.eye(2), (7, 2, 2)))


def test_names_avoid_coordinates_and_parameters():
    assert noise_names(lsn.SDE.parse("dx = dW")) == ("w",)
    assert noise_names(lsn.SDE.parse("dw = k*w dt + dW")) == ("W",)
    assert noise_names(lsn.SDE.parse("dx = w1 dt + dW1 + dW2")) == ("W1", "W2")


def test_periods_are_kept():
    larger = extended(lsn.SDE.parse("dtheta = dW").with_periods({"theta": 2 * math.pi}))
    assert dict(larger.periodic) == {"theta": pytest.approx(2 * math.pi)}


def test_without_noise_there_is_nothing_to_depend_on():
    with pytest.raises(InputError, match="no noise"):
        extended(lsn.SDE.parse("dx = -x dt"))
