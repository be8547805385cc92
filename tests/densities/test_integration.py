"""Masses and densities after very short and very long times; what floating point cannot hold is refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import gamma, norm

import liestonet as lsn

# Every kind of kernel: equation, killing, boundary, domain, and a start.
KERNELS: dict[str, tuple[str, Any, Any, Any, float]] = {
    "free on a line": ("dx = -x dt + dW", None, None, None, 0.3),
    "free from a point": ("dx = (1 - x) dt + sqrt(x) dW", None, None, None, 0.3),
    "bound on a line": ("dx = tanh(x) dt + dW", None, None, None, 0.3),
    "killed on a line": ("dx = dW", "x^2/2", None, None, 3.0),
    "killed from a point": ("dr = (0.03 - 0.5*r) dt + 0.1*sqrt(r) dW", "r", None, None, 0.03),
    "killed in time": ("dx = dW", "(1 + t)*x^2/2", None, None, 3.0),
    "between two ends": ("dx = dW", None, "absorbing", (0, 1), 0.5),
}


@cache
def of(name: str) -> Any:
    equation, killing, boundary, domain, _ = KERNELS[name]
    return lsn.density(equation, killing=killing, boundary=boundary, domain=domain)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("time", [1e-6, 1e-9, 1e-12])
def test_after_a_short_time_every_density_is_gaussian(name, time):
    p, start = of(name), KERNELS[name][4]
    noise = np.sqrt(p.sde.diffusion_squared(np.zeros(1), np.array([[start]]))[0, 0, 0] * time)
    # corrections are of the order of the square root of time; places are rounded to 1e-16 of the step
    close = 10 * np.sqrt(time) + 1e-15 * start / noise
    assert p(time, start, 0, start) * noise == pytest.approx(norm.pdf(0), rel=close)
    assert p(time, start + noise, 0, start) * noise == pytest.approx(norm.pdf(1), rel=30 * close)
    assert p.mass(time, 0, start) == pytest.approx(1, abs=10 * time + close * 1e-3)
    assert p.cdf(time, start, 0, start) == pytest.approx(0.5, abs=30 * close)


def test_prices_of_short_maturities():
    """A bond is one but for the rate times the time: it was zero, without an error, where densities underflowed."""
    for time in (1e-4, 1e-8, 1e-12):
        root = lsn.price("dr = 0.5*(0.06 - r) dt + 0.1*sqrt(r) dW", "1", time, 0.03, killing="r")
        vasicek = lsn.price("dr = 0.5*(0.06 - r) dt + 0.02 dW", "1", time, 0.03, killing="r")
        assert float(root) == pytest.approx(np.exp(-0.03 * time), abs=root.error + 0.01 * time**2)
        assert float(vasicek) == pytest.approx(np.exp(-0.03 * time), abs=0.01 * time**2 + 1e-13)
        call = lsn.price("dx = 0.05*x dt + 0.2*x dW", "call(100)", time, 100, killing=0.05)
        assert float(call) == pytest.approx(20 * np.sqrt(time / (2 * np.pi)), rel=0.5 * np.sqrt(time) + 1e-6)


@pytest.mark.parametrize("time", [700.0, 1e4, 1e8, 1e300])
def test_after_a_long_time_the_density_does_not_depend_on_the_start(time):
    places = np.array([0.2, 1.0, 2.5])
    assert of("free on a line")(time, places, 0, 0.3) == pytest.approx(norm.pdf(places, 0, np.sqrt(0.5)), rel=1e-12)
    assert of("free from a point")(time, places, 0, 0.3) == pytest.approx(gamma.pdf(places, 2, scale=0.5), rel=1e-12)
    assert of("free from a point").mass(time, 0, 0.3) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("time", [50.0, 700.0, 1e4])
def test_two_peaks_far_apart_are_both_seen(time):
    """tanh: paths go up with probability (1 + tanh x₀)/2; cosh itself is too large from 710 on."""
    p = of("bound on a line")
    assert p.mass(time, 0, 0.3) == pytest.approx(1, abs=1e-10)
    assert p.cdf(time, 0.0, 0, 0.3) == pytest.approx((1 - np.tanh(0.3)) / 2, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "time", "start"),
    [("bound on a line", 1e300, 0.3), ("free on a line", 0.5, 1e100), ("free on a line", 1e-300, 0.3)],
)
def test_what_floating_point_cannot_hold_is_refused(name, time, start):
    with pytest.raises(lsn.InputError, match="range or the precision of floating point"):
        of(name).mass(time, 0, start)


def test_prices_that_floating_point_cannot_hold_are_refused():
    with pytest.raises(lsn.InputError, match="not integrable in floating point"):
        lsn.price("dx = 0.05*x dt + 0.2*x dW", "call(100)", 1e5, 100, killing=0.05)


def test_no_points_give_no_values():
    for found in (of("free on a line")(np.array([]), 0, 0, 0), of("free on a line").cdf(1, [], 0, 0)):
        assert found.shape == (0,)
